#include "reference/transport/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace assay::transport {
namespace {

struct Block {
  std::uint32_t first;
  int bits;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
  return a << 24U | b << 16U | c << 8U;
}

// What is set aside, private or not.
constexpr std::array kSetAside = {
    Block{v4(0, 0), 8},           // this network
    Block{v4(10, 0), 8},          // private
    Block{v4(100, 64), 10},       // shared with a provider
    Block{v4(127, 0), 8},         // loopback
    Block{v4(169, 254), 16},      // link-local: metadata services of clouds, for example
    Block{v4(172, 16), 12},       // private
    Block{v4(192, 0, 0), 24},     // protocol assignments
    Block{v4(192, 0, 2), 24},     // documentation
    Block{v4(192, 88, 99), 24},   // 6to4 relays
    Block{v4(192, 168), 16},      // private
    Block{v4(198, 18), 15},       // benchmarks
    Block{v4(198, 51, 100), 24},  // documentation
    Block{v4(203, 0, 113), 24},   // documentation
    Block{v4(224, 0), 4},         // multicast
    Block{v4(240, 0), 4},         // reserved, broadcast
};

bool is_public_v4(std::uint32_t address) {
  return std::none_of(kSetAside.begin(), kSetAside.end(), [&](const Block& block) {
    return (address ^ block.first) >> static_cast<unsigned>(32 - block.bits) == 0;
  });
}

using Bytes = std::array<std::uint8_t, 16>;

bool begins_with(const Bytes& address, std::initializer_list<std::uint8_t> beginning) {
  return std::equal(beginning.begin(), beginning.end(), address.begin());
}

std::uint32_t v4_at(const Bytes& address, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = at; i < at + 4; ++i) out = out << 8U | address.at(i);
  return out;
}

bool is_public_v6(const Bytes& address) {
  constexpr std::size_t kAtEnd = 12;
  if (begins_with(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}) ||
      begins_with(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public_v4(v4_at(address, kAtEnd));
  }
  if (begins_with(address, {0x20, 0x02})) return is_public_v4(v4_at(address, 2));
  // Only 2000::/3 is given out. 2001::/23 is set aside for protocols, 2001:db8::/32 and 3fff::/20
  // for documentation.
  const bool is_given_out = (address[0] & 0xe0U) == 0x20;
  const bool is_protocol = begins_with(address, {0x20, 0x01}) && (address[2] & 0xfeU) == 0;
  const bool is_documentation = begins_with(address, {0x20, 0x01, 0x0d, 0xb8}) ||
                                (begins_with(address, {0x3f, 0xff}) && (address[2] & 0xf0U) == 0);
  return is_given_out && !is_protocol && !is_documentation;
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in read{};
    std::memcpy(&read, &address, sizeof read);
    return is_public_v4(ntohl(read.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 read{};
  std::memcpy(&read, &address, sizeof read);
  Bytes bytes;
  std::memcpy(bytes.data(), &read.sin6_addr, bytes.size());
  return is_public_v6(bytes);
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  const void* in = nullptr;
  if (address.sa_family == AF_INET) {
    std::memcpy(&v4, &address, sizeof v4);
    in = &v4.sin_addr;
  } else if (address.sa_family == AF_INET6) {
    std::memcpy(&v6, &address, sizeof v6);
    in = &v6.sin6_addr;
  }
  if (in == nullptr) return "";
  const char* written = ::inet_ntop(address.sa_family, in, text.data(), text.size());
  return written == nullptr ? "" : written;
}

}  // namespace assay::transport
