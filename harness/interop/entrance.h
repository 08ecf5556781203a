// Whether a server over HTTP refuses requests without a token, and how we get in ourselves.
#pragma once

#include <string>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_url.h"

namespace assay::harness {

struct Entrance {
  bool asks_for_token = false;
  std::string authorization;  // with which we are let in: a secret; empty if we have none
};

// Asks once without a token. Of a server on this machine that refuses so, it then gets a token as
// our own client does, without a browser; elsewhere no token is asked for.
Entrance look_at_entrance(const transport::HttpUrl& url, const transport::Headers& headers);

}  // namespace assay::harness
