#include "harness/watch/feed.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/watch/lines.h"
#include "reference/transport/signals.h"

namespace assay::harness {
namespace {

// Whoever passes bytes on wakes nobody.
constexpr std::chrono::milliseconds kLookEvery{20};

transport::UniqueFd connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return {};
  std::memcpy(address.sun_path, path.data(), path.size());
  transport::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* named = reinterpret_cast<const sockaddr*>(&address);
  if (!socket.is_open() || ::connect(socket.get(), named, sizeof address) != 0) return {};
  return socket;
}

}  // namespace

WatchFeed::WatchFeed(const std::string& socket, const Session& session,
                     std::shared_ptr<const reports::Vault> vault)
    : vault_(std::move(vault)),
      socket_(connect_to(socket)),
      is_connected_(socket_.is_open()),
      judge_(session.transport) {
  if (!is_connected_) return;
  std::string target = session.target;
  vault_->redact(target);
  put(session_line(session.name, target, harness::name(session.transport)));
  thread_ = std::thread([this] { run(); });
}

WatchFeed::~WatchFeed() {
  finish();
}

void WatchFeed::show(const EventPtr& event) {
  if (!is_connected_) return;
  const std::size_t bytes = event->observation.bytes().size();
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting || waiting_bytes_ + bytes > kMostWaitingBytes) {
    ++left_out_;
    return;
  }
  waiting_bytes_ += bytes;
  waiting_.push_back(event);
}

void WatchFeed::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_come_.notify_one();
  thread_.join();
}

void WatchFeed::run() {
  transport::take_no_signals();
  std::unique_lock lock(mutex_);
  for (bool is_last = false; !is_last;) {
    has_come_.wait_for(lock, kLookEvery, [this] { return is_over_; });
    is_last = is_over_;
    std::deque<EventPtr> events = std::exchange(waiting_, {});
    const std::size_t left_out = std::exchange(left_out_, 0);
    waiting_bytes_ = 0;
    lock.unlock();
    for (const EventPtr& event : events) tell(event);
    if (left_out > 0) {
      judge_.give_up();
      put(left_out_watch_line(left_out));
    }
    if (is_last) put(end_line());
    send();
    lock.lock();
  }
}

void WatchFeed::tell(const EventPtr& event) {
  if (const auto line = message_line(*event, *vault_)) put(*line);
  for (const LiveSessions::Breach& each : judge_.show(event)) {
    if (const auto line = violation_line(each.finding, each.revision, *vault_)) put(*line);
  }
}

void WatchFeed::put(const std::string& line) {
  if (line.size() >= kLongestWatchLine || unsent_.size() + line.size() >= kMostUnsent) send();
  const std::string lost = dropped_ > 0 ? left_out_watch_line(dropped_) + "\n" : "";
  if (line.size() >= kLongestWatchLine ||
      unsent_.size() + lost.size() + line.size() >= kMostUnsent) {
    ++dropped_;
    return;
  }
  dropped_ = 0;
  unsent_ += lost + line + "\n";
}

// As much as the watch takes now.
void WatchFeed::send() {
  std::size_t sent = 0;
  while (sent < unsent_.size() && socket_.is_open()) {
    const ssize_t count = ::send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      // Nobody watches any more.
      if (errno != EAGAIN) socket_.reset();
      break;
    }
  }
  unsent_.erase(0, sent);
}

}  // namespace assay::harness
