// What is on this machine.
#pragma once

#include "reference/transport/http_url.h"

namespace assay::transport {

// The host is this machine by its name or address: nobody is asked what another name stands for.
inline bool is_loopback(const HttpUrl& url) {
  return url.host == "localhost" || url.host == "127.0.0.1" || url.host == "::1";
}

}  // namespace assay::transport
