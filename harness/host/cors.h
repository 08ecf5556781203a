// Lets a page in a browser be the client: what a server says to browsers so that scripts of another
// origin may use it.
//
// The Fetch standard, "CORS protocol": https://fetch.spec.whatwg.org/#http-cors-protocol
#pragma once

#include <string>

#include "reference/transport/http_listener.h"

namespace assay::harness {

// Hands on to `handler`. A preflight of a page of that origin ("http://localhost:5173") is answered
// here, and every other reply to it says that its scripts may read it. Pages of other origins find
// what they would find without this.
transport::HttpListener::Handler with_cors(std::string origin,
                                           transport::HttpListener::Handler handler);

}  // namespace assay::harness
