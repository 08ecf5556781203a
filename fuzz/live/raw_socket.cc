#include "fuzz/live/raw_socket.h"

#include <netdb.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "reference/transport/unique_fd.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRead = 64u << 10;
constexpr std::chrono::seconds kConnectTime{5};
constexpr int kStopEvery = 100;  // milliseconds between two looks whether to stop

int left(Clock::time_point deadline) {
  const auto rest =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return rest > 0 ? static_cast<int>(rest) : 0;
}

struct Patience {
  Clock::time_point deadline;
  const std::stop_token& stop;
};

bool wait_for(int descriptor, short events, const Patience& patience) {
  pollfd ready{descriptor, events, 0};
  while (!patience.stop.stop_requested()) {
    const int most = left(patience.deadline);
    if (::poll(&ready, 1, std::min(most, kStopEvery)) > 0) return true;
    if (most <= kStopEvery) return false;
  }
  return false;
}

transport::UniqueFd connect_to(const transport::HttpUrl& url, const Patience& patience) {
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
    if (outcome != 0 && errno == EINPROGRESS && wait_for(socket.get(), POLLOUT, patience)) {
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

void write_all(int socket, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR && (errno != EAGAIN || !wait_for(socket, POLLOUT, patience))) {
      return;  // the peer has heard enough
    }
  }
}

std::string read_answer(int socket, const Patience& patience) {
  std::string text;
  char buffer[4096];
  while (text.size() < kMostRead && !holds_whole_answer(text) &&
         wait_for(socket, POLLIN, patience)) {
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

// The value of a header field of the head; empty if it has none.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (::strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const std::size_t begin = line.find_first_not_of(' ', name.size() + 1);
    return begin == std::string_view::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace

bool holds_whole_answer(std::string_view text) {
  while (text.starts_with("HTTP/1.")) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    const std::string_view head = text.substr(0, end + 2);
    const std::string_view body = text.substr(end + 4);
    if (head.substr(9, 1) == "1") {  // interim
      text = body;
      continue;
    }
    const int status = status_in(head);
    if (status == 204 || status == 304) return true;
    const std::string_view length = field(head, "Content-Length");
    if (length.empty()) return body.ends_with("0\r\n\r\n");
    std::size_t size = 0;
    const auto read = std::from_chars(length.data(), length.data() + length.size(), size);
    return read.ec == std::errc() && body.size() >= size;
  }
  return false;
}

RawReply send_raw_bytes(const transport::HttpUrl& url, std::string_view bytes, Step::End end,
                        std::chrono::milliseconds patience, const std::stop_token& stop) {
  RawReply reply;
  const transport::UniqueFd socket = connect_to(url, {Clock::now() + kConnectTime, stop});
  if (!socket.is_open()) return reply;
  reply.is_connected = true;
  const Patience left{Clock::now() + patience, stop};
  write_all(socket.get(), bytes, left);
  if (end == Step::End::kAbandon) return reply;
  if (end == Step::End::kHalfClose) ::shutdown(socket.get(), SHUT_WR);
  reply.text = read_answer(socket.get(), left);
  reply.status = status_in(reply.text);
  return reply;
}

}  // namespace assay::fuzz
