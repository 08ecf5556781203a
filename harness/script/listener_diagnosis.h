// Asks the kernel who listens (NETLINK_SOCK_DIAG, sock_diag(7)): it looks among listeners alone,
// while /proc/net/tcp tells each connection too, of which a busy machine has many thousands.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/script/local_listeners.h"

namespace assay::harness {

enum class Diagnosis {
  kMore,     // the answer goes on
  kEnd,      // that was all
  kRefusal,  // an error, or nothing that can be read
};

// Adds the listeners that one datagram of the kernel's answer tells of. It may be of any size and
// content.
Diagnosis read_diagnosis(std::string_view datagram, std::uint16_t port,
                         std::vector<Listener>& listeners);

// The sockets of a family (AF_INET or AF_INET6) that listen on a TCP port; nothing where the kernel
// does not answer (it may lack the module, and a sandbox may forbid the question).
std::optional<std::vector<Listener>> diagnosed_listeners(int family, std::uint16_t port);

}  // namespace assay::harness
