#include "reference/transport/relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

#include "reference/transport/passage.h"
#include "reference/transport/pump.h"

namespace assay::transport {
namespace {

constexpr std::size_t kStreams = 3;
// Signals that somebody sends to a server, and that are not for the relay itself.
constexpr std::array kRelayed = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
// How a relay ends when who listens is gone: as if the server had been killed.
constexpr ProcessExit kAbandoned{0, SIGKILL, false};

// How the process is to end.
struct EndMessage {
  std::int32_t code;
  std::int32_t signal;  // 0: none
};

bool send_streams(int socket) {
  const std::array<int, kStreams> streams = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  char greeting = 'r';
  iovec bytes{&greeting, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof streams)> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof streams);
  std::memcpy(CMSG_DATA(header), streams.data(), sizeof streams);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

// Our copies of the streams are closed: they end when the other side ends them.
void let_go_of_streams() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

// Whole, or not at all.
bool receive_end(int socket, EndMessage& end) {
  return ::recv(socket, &end, sizeof end, MSG_WAITALL) == static_cast<ssize_t>(sizeof end);
}

UniqueFd connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return UniqueFd();
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (!socket.is_open() || ::connect(socket.get(), where, sizeof address) != 0) return UniqueFd();
  return socket;
}

}  // namespace

std::string run_relay(const std::string& socket_path) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kRelayed) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const UniqueFd socket = connect_to(socket_path);
  if (!socket.is_open() || !send_streams(socket.get())) {
    return fmt::format("no process listens at {}", socket_path);
  }
  let_go_of_streams();
  const UniqueFd signals(::signalfd(-1, &set, SFD_CLOEXEC));
  while (true) {
    std::array<pollfd, 2> watched{{{socket.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) end_like(kAbandoned);
    if (watched[0].revents != 0) {
      EndMessage end{};
      if (!receive_end(socket.get(), end)) end_like(kAbandoned);
      ProcessExit exit{end.code, std::nullopt, false};
      if (end.signal != 0) exit.signal = end.signal;
      end_like(exit);
    }
    signalfd_siginfo info{};
    if (watched[1].revents != 0 && ::read(signals.get(), &info, sizeof info) == sizeof info) {
      const auto number = static_cast<std::uint8_t>(info.ssi_signo);
      if (::send(socket.get(), &number, 1, MSG_NOSIGNAL) != 1) end_like(kAbandoned);
    }
  }
}

std::string run_copying_relay(const std::string& socket_path) {
  std::signal(SIGPIPE, SIG_IGN);
  const UniqueFd socket = connect_to(socket_path);
  std::array<int, 2> never{};  // nothing is written into it
  if (!socket.is_open() || ::pipe2(never.data(), O_CLOEXEC) != 0) {
    return fmt::format("no process listens at {}", socket_path);
  }
  class : public PassageWatcher {
    void passed(Party /*speaker*/, std::string_view /*bytes*/) override {}
    void ended(Party /*speaker*/, bool /*is_unread*/) override {}
  } watcher;
  std::jthread forth([&] {
    Pump(STDIN_FILENO, socket.get(), Party::kClient, never[0], watcher).run();
    ::shutdown(socket.get(), SHUT_WR);
  });
  Pump(socket.get(), STDOUT_FILENO, Party::kServer, never[0], watcher).run();
  // Also while our input is still open: a server may end first.
  end_like({0, std::nullopt, false});
}

std::optional<RelayedProcess> RelayedProcess::accept(UniqueFd connection) {
  char greeting = 0;
  iovec bytes{&greeting, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kStreams * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(connection.get(), &message, MSG_CMSG_CLOEXEC) != 1) return std::nullopt;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  const bool has_streams = header != nullptr && header->cmsg_level == SOL_SOCKET &&
                           header->cmsg_type == SCM_RIGHTS &&
                           header->cmsg_len == CMSG_LEN(kStreams * sizeof(int));
  if (!has_streams) return std::nullopt;
  std::array<int, kStreams> streams{};
  std::memcpy(streams.data(), CMSG_DATA(header), sizeof streams);
  RelayedProcess process;
  process.control_ = std::move(connection);
  process.input_.reset(streams[0]);
  process.output_.reset(streams[1]);
  process.errors_.reset(streams[2]);
  return process;
}

int RelayedProcess::next_signal() const {
  std::uint8_t number = 0;
  return ::recv(control_.get(), &number, 1, 0) == 1 ? number : 0;
}

void RelayedProcess::end(const ProcessExit& exit) {
  input_.reset();
  output_.reset();
  errors_.reset();
  const EndMessage end{exit.code, exit.signal.value_or(0)};
  [[maybe_unused]] const auto ignored = ::send(control_.get(), &end, sizeof end, MSG_NOSIGNAL);
}

}  // namespace assay::transport
