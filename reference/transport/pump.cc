#include "reference/transport/pump.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace assay::transport {
namespace {

constexpr int kAnyTime = -1;  // of poll()

}  // namespace

void Pump::run() {
  bool is_unread = true;
  while (wait_for_input()) {
    const ssize_t count =
        ::read(from_, chunk_.data(), std::min(chunk_.size(), left_.value_or(chunk_.size())));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    is_unread = count > 0;
    if (count <= 0) break;
    const std::string_view bytes(chunk_.data(), static_cast<std::size_t>(count));
    if (left_) *left_ -= bytes.size();
    watcher_.passed(speaker_, bytes);
    if (!write_all(bytes)) break;
  }
  watcher_.ended(speaker_, is_unread && left_ != 0u);
}

// False if nothing more can be passed on. A reader that is gone is noticed before the next write,
// as its writer would have.
bool Pump::wait_for_input() {
  while (true) {
    std::array<pollfd, 3> watched{{{from_, POLLIN, 0}, {to_, 0, 0}, {stop_, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), kAnyTime) < 0) {
      if (errno == EINTR && !has_given_up_) continue;
      return false;
    }
    if ((watched[1].revents & (POLLERR | POLLNVAL)) != 0) return false;
    if (watched[2].revents != 0) return has_more_at_stop();
    if (watched[0].revents != 0) return true;
    if (watched[1].revents != 0) return false;
  }
}

// Whoever goes on writing could keep us for ever: only what waits by now is still passed on.
bool Pump::has_more_at_stop() {
  if (speaker_ == Party::kClient) return false;
  if (!left_) {
    int waiting = 0;
    if (::ioctl(from_, FIONREAD, &waiting) != 0) waiting = 0;
    left_ = static_cast<std::size_t>(waiting);
  }
  return *left_ > 0;
}

bool Pump::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      passed_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (!wait_for_room()) return false;
    } else if (errno != EINTR) {
      return false;
    }
    if (has_given_up_ && !bytes.empty()) return false;
  }
  return true;
}

// What a server has written before it exited still belongs to its client.
bool Pump::wait_for_room() {
  const int stop = speaker_ == Party::kClient ? stop_ : -1;
  std::array<pollfd, 2> watched{{{to_, POLLOUT, 0}, {stop, POLLIN, 0}}};
  if (::poll(watched.data(), watched.size(), kAnyTime) < 0) return errno == EINTR;
  return watched[1].revents == 0;
}

}  // namespace assay::transport
