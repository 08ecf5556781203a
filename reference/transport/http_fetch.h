// One HTTP exchange with any server, and no more: no redirect is followed, nothing is kept open.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_connection.h"
#include "reference/transport/observer.h"

namespace assay::transport {

struct Fetched {
  int status = 0;
  Headers headers;
  std::string body;
};

// What a document may take; more is a failure.
inline constexpr std::size_t kMostFetchedBytes = 1u << 20;

// Asks the server of the URL for `message`; its target is the URL's, and Host and Accept are added
// where they are not there.
std::variant<Fetched, Failure> fetch(std::string_view url, HttpMessage message,
                                     std::chrono::milliseconds timeout,
                                     Reach reach = Reach::kAnywhere);

// The same, and tells the observer about it, as one exchange of a client's on that lane.
std::variant<Fetched, Failure> fetch_watched(std::string_view url, HttpMessage message,
                                             std::chrono::milliseconds timeout, Observer& observer,
                                             std::uint64_t lane);

}  // namespace assay::transport
