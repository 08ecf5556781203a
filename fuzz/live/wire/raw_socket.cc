#include "fuzz/live/wire/raw_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <variant>

#include "reference/transport/tcp_connect.h"
#include "reference/transport/unique_fd.h"
#include "reference/wire/http.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRead = 64u << 10;
constexpr std::chrono::seconds kConnectTime{5};

// How long to wait on a socket: until a deadline, or until a stop is requested.
class Patience {
 public:
  explicit Patience(const std::stop_token& stop)
      : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), on_stop_(stop, Ring{bell_.get()}) {}

  int bell() const { return bell_.get(); }  // readable from the stop on
  void last(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }

  bool wait_for(int socket, short events) const {
    std::array<pollfd, 2> watched{{{bell_.get(), POLLIN, 0}, {socket, events, 0}}};
    int count = 0;
    do {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
      count = ::poll(watched.data(), watched.size(),
                     left.count() > 0 ? static_cast<int>(left.count()) : 0);
    } while (count < 0 && errno == EINTR);
    return count > 0 && watched[0].revents == 0;
  }

 private:
  struct Ring {
    int bell;
    void operator()() const noexcept { ::eventfd_write(bell, 1); }
  };

  const transport::UniqueFd bell_;
  const std::stop_callback<Ring> on_stop_;
  Clock::time_point deadline_;
};

void write_all(int socket, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR && (errno != EAGAIN || !patience.wait_for(socket, POLLOUT))) {
      return;  // the peer has heard enough
    }
  }
}

// False when there is nothing more to wait for.
bool take_answer(wire::HttpParser& parser, std::string_view bytes, int& status) {
  using Event = wire::HttpParser::Event;
  while (true) {
    switch (parser.next(bytes)) {
      case Event::kMore:
        return true;
      case Event::kInterim:
      case Event::kHead:
        status = parser.status();
        break;
      case Event::kBody:
        break;
      case Event::kEnd:
        if (bytes.empty()) return false;
        break;
      case Event::kBroken:
        return false;
    }
  }
}

int read_status(int socket, const Patience& patience) {
  wire::HttpParser parser(wire::HttpParser::Role::kResponses);
  int status = 0;
  std::size_t total = 0;
  std::array<char, 4096> buffer;
  while (total < kMostRead && patience.wait_for(socket, POLLIN)) {
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    total += static_cast<std::size_t>(count);
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    if (!take_answer(parser, bytes, status)) break;
  }
  return status;
}

}  // namespace

RawReply send_raw_bytes(const transport::HttpUrl& url, std::string_view bytes, Step::End end,
                        std::chrono::milliseconds patience, const std::stop_token& stop) {
  RawReply reply;
  Patience waits(stop);
  const auto connected = transport::connect_tcp(url, kConnectTime, waits.bell());
  const auto* socket = std::get_if<transport::UniqueFd>(&connected);
  if (socket == nullptr) return reply;
  reply.is_connected = true;
  waits.last(patience);
  write_all(socket->get(), bytes, waits);
  if (end == Step::End::kAbandon) return reply;
  if (end == Step::End::kHalfClose) ::shutdown(socket->get(), SHUT_WR);
  reply.status = read_status(socket->get(), waits);
  return reply;
}

}  // namespace assay::fuzz
