#include "harness/watch/gate.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <list>
#include <memory>
#include <vector>

#include "harness/watch/lines.h"
#include "reference/transport/signals.h"
#include "reference/wire/line_framer.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

constexpr int kWithoutEnd = -1;

// One tap that is connected.
class Visitor {
 public:
  Visitor(transport::UniqueFd socket, WatchBoard& board)
      : socket_(std::move(socket)),
        board_(board),
        session_(board.begin()),
        lines_(
            [this](const wire::LineFramer::Line& line) {
              if (!line.is_truncated) board_.take(session_, line.bytes);
            },
            kLongestWatchLine) {}
  ~Visitor() { board_.end(session_); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  int fd() const { return socket_.get(); }
  // False once it has gone.
  bool read() {
    std::array<char, 64u << 10> chunk;
    const ssize_t count = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count > 0) lines_.feed({chunk.data(), static_cast<std::size_t>(count)});
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

 private:
  transport::UniqueFd socket_;
  WatchBoard& board_;
  const int session_;
  wire::LineFramer lines_;
};

bool is_of_our_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

// A socket that nobody listens at any more is taken away.
std::optional<std::string> clear_away(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  const std::string shown = reports::printable_line(path);
  if (!S_ISSOCK(status.st_mode)) return fmt::format("'{}' is there, and no socket", shown);
  const transport::UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* named = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(probe.get(), named, sizeof address) == 0 || errno == EAGAIN) {
    return fmt::format("another watch listens at '{}'", shown);
  }
  ::unlink(path.c_str());
  return std::nullopt;
}

}  // namespace

WatchGate::WatchGate(std::string path, WatchBoard& board) : path_(std::move(path)), board_(board) {}

WatchGate::~WatchGate() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto ignored = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
    ::unlink(path_.c_str());
  }
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

std::optional<std::string> WatchGate::choose_path() {
  if (!path_.empty()) return std::nullopt;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code none;
  const bool has_runtime = runtime != nullptr && std::filesystem::is_directory(runtime, none);
  const std::filesystem::path parent =
      has_runtime ? std::filesystem::path(runtime) : std::filesystem::temp_directory_path(none);
  std::string name = (parent / "mcp-assay-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fmt::format("cannot make a folder in '{}': {}", reports::printable_line(parent.string()),
                       std::strerror(errno));
  }
  folder_ = name;
  path_ = folder_ + "/watch";
  return std::nullopt;
}

std::optional<std::string> WatchGate::start() {
  if (auto trouble = choose_path()) return trouble;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string shown = reports::printable_line(path_);
  if (path_.size() >= sizeof address.sun_path) {
    return fmt::format("'{}' is too long for a socket", shown);
  }
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (auto trouble = clear_away(path_, address)) return trouble;
  listening_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Nobody else may connect, also not before its mode could be changed.
  const mode_t before = ::umask(0177);
  const auto* named = reinterpret_cast<const sockaddr*>(&address);
  const bool is_bound = ::bind(listening_.get(), named, sizeof address) == 0;
  const int error = errno;
  ::umask(before);
  if (!is_bound || ::listen(listening_.get(), static_cast<int>(kMostTaps)) != 0) {
    return fmt::format("cannot listen at '{}': {}", shown, std::strerror(is_bound ? errno : error));
  }
  stop_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  thread_ = std::thread([this] { run(); });
  return std::nullopt;
}

void WatchGate::run() {
  transport::take_no_signals();
  std::list<Visitor> visitors;
  while (true) {
    const bool has_room = visitors.size() < kMostTaps;
    std::vector<pollfd> watched = {{stop_.get(), POLLIN, 0},
                                   {has_room ? listening_.get() : -1, POLLIN, 0}};
    for (const Visitor& each : visitors) watched.push_back({each.fd(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), kWithoutEnd) < 0) continue;
    if (watched[0].revents != 0) return;
    auto next = watched.begin() + 2;
    for (auto each = visitors.begin(); each != visitors.end(); ++next) {
      const bool goes_on = next->revents == 0 || each->read();
      each = goes_on ? std::next(each) : visitors.erase(each);
    }
    if (watched[1].revents == 0) continue;
    transport::UniqueFd socket(
        ::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.is_open() && is_of_our_user(socket.get())) {
      visitors.emplace_back(std::move(socket), board_);
    }
  }
}

}  // namespace assay::harness
