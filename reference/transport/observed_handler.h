// An HTTP server's exchanges, told to an observer as a client's wire tells them.
#pragma once

#include "reference/transport/http_listener.h"
#include "reference/transport/observer.h"

namespace assay::transport {

// Hands on to `handler` and tells `observer` of each request and of what is answered: with a body,
// with events as they are read, and how it ended. Lanes count the exchanges from 1. What a full
// observer cannot be told of is refused with 503. The observer outlives the handler, and all
// replies that came of it.
HttpListener::Handler observed(HttpListener::Handler handler, Observer& observer);

}  // namespace assay::transport
