// Names of hosts to addresses.
#pragma once

#include <netdb.h>

#include <memory>
#include <string>
#include <variant>

namespace assay::transport {

// A list of stream addresses; never empty.
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

enum class Purpose { kConnect, kListen };

// The addresses of a name or of an IP address in text; otherwise why there are none. "localhost"
// has its addresses even where no file names them (RFC 6761, 6.3): an empty container, for example.
std::variant<Addresses, std::string> resolve(const std::string& host, int port, Purpose purpose);

}  // namespace assay::transport
