// Opens a TCP connection.
#pragma once

#include <chrono>
#include <variant>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_url.h"
#include "reference/transport/public_address.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

// Connects to the first address of the URL's host that is within `reach` and takes the connection;
// each has `timeout` for that. The socket does not block, and sends what it is given at once.
// Looking up the host's name is bounded by the system's resolver. If `interrupted` is a descriptor,
// waiting ends when it becomes readable.
std::variant<UniqueFd, Failure> connect_tcp(const HttpUrl& url, std::chrono::milliseconds timeout,
                                            int interrupted = -1, Reach reach = Reach::kAnywhere);

}  // namespace assay::transport
