// Which addresses belong to the public internet: not this machine, its networks, or anything set
// aside.
//
// IANA special-purpose address registries (RFC 6890); IPv4 inside IPv6: RFC 4291, 6052 and 3056.
#pragma once

#include <sys/socket.h>

#include <string>

namespace assay::transport {

// Where a connection may lead.
enum class Reach {
  kAnywhere,
  kPublic,  // to public addresses only, whatever name stands for them
};

// An IPv6 address that carries an IPv4 address is as public as that one. Addresses of other
// families are not public.
bool is_public(const sockaddr& address);
// "10.0.0.1", "fe80::1"; empty for other families.
std::string text_of(const sockaddr& address);

}  // namespace assay::transport
