#include "fuzz/live/raw_socket.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "reference/transport/unique_fd.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRead = 64u << 10;

int left(Clock::time_point deadline) {
  const auto rest =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return rest > 0 ? static_cast<int>(rest) : 0;
}

bool wait_for(int descriptor, short events, Clock::time_point deadline) {
  pollfd ready{descriptor, events, 0};
  return ::poll(&ready, 1, left(deadline)) > 0;
}

transport::UniqueFd connect_to(const transport::HttpUrl& url, Clock::time_point deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  transport::UniqueFd socket;
  if (::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found) != 0) {
    return socket;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    socket.reset(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.is_open()) continue;
    int outcome = ::connect(socket.get(), each->ai_addr, each->ai_addrlen);
    if (outcome != 0 && errno == EINPROGRESS && wait_for(socket.get(), POLLOUT, deadline)) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      outcome = error;
    }
    if (outcome == 0) return socket;
    socket.reset();
  }
  return socket;
}

void write_all(int socket, std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR && (errno != EAGAIN || !wait_for(socket, POLLOUT, deadline))) {
      return;  // the peer has heard enough
    }
  }
}

std::string read_answer(int socket, Clock::time_point deadline) {
  std::string text;
  char buffer[4096];
  while (text.size() < kMostRead && wait_for(socket, POLLIN, deadline)) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

int status_in(std::string_view text) {
  static constexpr std::string_view kBegin = "HTTP/1.";
  const std::size_t at = text.rfind(kBegin);
  if (at == std::string_view::npos || text.size() < at + 12) return 0;
  return std::atoi(std::string(text.substr(at + 9, 3)).c_str());
}

}  // namespace

RawReply send_raw_bytes(const transport::HttpUrl& url, std::string_view bytes, Step::End end,
                        std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  RawReply reply;
  const transport::UniqueFd socket = connect_to(url, Clock::now() + std::chrono::seconds(5));
  if (!socket.is_open()) return reply;
  reply.is_connected = true;
  write_all(socket.get(), bytes, deadline);
  if (end == Step::End::kAbandon) return reply;
  if (end == Step::End::kHalfClose) ::shutdown(socket.get(), SHUT_WR);
  reply.text = read_answer(socket.get(), deadline);
  reply.status = status_in(reply.text);
  return reply;
}

}  // namespace assay::fuzz
