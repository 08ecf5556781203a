// Which addresses of this machine somebody listens on, at a port: whether a local server can be
// reached from elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::harness {

struct Listener {
  std::string address;  // "127.0.0.1", "::", without brackets
  bool is_loopback = false;
};

// The sockets that listen on a TCP port; none where the system does not tell (it is not Linux, or
// the server runs in a network of its own).
std::vector<Listener> local_listeners(std::uint16_t port);

// The same from the text of /proc/net/tcp or /proc/net/tcp6.
std::vector<Listener> parse_listeners(std::string_view table, std::uint16_t port);

// The one at an address of a family (AF_INET or AF_INET6), as sockets hold it: 4 or 16 bytes.
// Nothing for another family.
std::optional<Listener> listener_at(int family, const void* bytes);

}  // namespace assay::harness
