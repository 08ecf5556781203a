// What a peer says that it takes for an answer.
//
// RFC 9110, 12.5.1: the Accept field. Specification: basic/transports, "Sending Messages".
#pragma once

#include <string_view>

#include "reference/transport/observer.h"

namespace assay::transport {

// Whether `headers` accept an answer of that type, "application/json" for one. Without an Accept
// header everything is accepted.
bool accepts(const Headers& headers, std::string_view type);

// Which of the two forms of an answer a request takes: accepts() for both.
struct Acceptance {
  bool json = false;    // application/json
  bool events = false;  // text/event-stream
};
Acceptance acceptance_of(const Headers& headers);

}  // namespace assay::transport
