// The HTTP exchanges of a client, of all its sessions, for plays that judge requests.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/host/review.h"

namespace assay::scenarios {

struct Passage {
  harness::EventPtr request;
  harness::EventPtr response;  // its head; null if none came
  harness::EventPtr end;       // null while it went on

  const transport::HttpHead& head() const { return *request->observation.http(); }
  int status() const { return response ? response->observation.http()->status : 0; }
  // The request's session, as the recording names it.
  std::optional<std::string_view> session_id() const;
  // The message that was posted; null if none could be read.
  const wire::Message* message() const { return request->message(); }
  bool posts(std::string_view method) const;
};

// In the order in which the requests came.
std::vector<Passage> passages(const harness::Review& review);

}  // namespace assay::scenarios
