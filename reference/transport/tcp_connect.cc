#include "reference/transport/tcp_connect.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/transport/resolve.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

Failure not_reached(const HttpUrl& url, std::string_view why) {
  return {Failure::Kind::kUnreachable, fmt::format("{}: {}", url.origin(), why)};
}

// What became of a connection that was begun, as an errno; nothing if it was interrupted.
std::optional<int> outcome_of(int socket, milliseconds timeout, int interrupted) {
  const auto deadline = Clock::now() + timeout;
  std::array<pollfd, 2> watched{{{interrupted, POLLIN, 0}, {socket, POLLOUT, 0}}};
  int count = 0;
  do {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    count = ::poll(watched.data(), watched.size(),
                   left.count() > 0 ? static_cast<int>(left.count()) : 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 || watched[0].revents != 0) return std::nullopt;
  if (count == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

std::variant<UniqueFd, Failure> connect_tcp(const HttpUrl& url, milliseconds timeout,
                                            int interrupted, Reach reach) {
  const auto resolved = resolve(url.host, url.port, Purpose::kConnect);
  if (const auto* why = std::get_if<std::string>(&resolved)) return not_reached(url, *why);
  int trouble = EADDRNOTAVAIL;
  bool has_tried = false;
  std::string beyond;  // an address that is not within reach
  for (const addrinfo* each = std::get<Addresses>(resolved).get(); each != nullptr;
       each = each->ai_next) {
    if (reach == Reach::kPublic && !is_public(*each->ai_addr)) {
      beyond = text_of(*each->ai_addr);
      continue;
    }
    has_tried = true;
    UniqueFd socket(
        ::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, each->ai_protocol));
    if (!socket.is_open()) {
      trouble = errno;
      continue;
    }
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    trouble = ::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
    if (trouble == EINPROGRESS) {
      const std::optional<int> outcome = outcome_of(socket.get(), timeout, interrupted);
      if (!outcome) return not_reached(url, "given up");
      trouble = *outcome;
    }
    if (trouble == 0) return socket;
  }
  if (!has_tried) return not_reached(url, beyond + " is not a public address");
  return not_reached(url, std::strerror(trouble));
}

}  // namespace assay::transport
