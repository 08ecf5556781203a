#include "reference/transport/http_loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace assay::transport {
namespace {

using std::chrono::milliseconds;
using Standing = ServedConnection::Standing;

constexpr std::size_t kInputBytes = 64u << 10;
constexpr int kMostEvents = 256;
constexpr int kMostAccepted = 64;  // before others have their turn
// How often those that wait for memory, or for a descriptor, are looked after.
constexpr milliseconds kPatienceWhenWanting{20};
constexpr milliseconds kLongestPatience{500};
// A client that has just begun does not have to make room for the next one.
constexpr milliseconds kReadingInPeace{1000};

// A quarter of the shortest time-out, within reason.
milliseconds patience_for(const HttpListener::Options& options) {
  const milliseconds shortest =
      std::min({options.idle_timeout, options.read_timeout, options.write_timeout});
  return std::clamp(shortest / 4, milliseconds(5), kLongestPatience);
}

bool watch_descriptor(int epoll, int descriptor, std::uint32_t events, void* mark) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = mark;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

HttpMailbox::HttpMailbox() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

template <typename Change>
void HttpMailbox::post(const Change& change) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  change(mail_);
  if (std::exchange(has_mail_, true)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(bell_.get(), &one, sizeof one);
}

void HttpMailbox::give(UniqueFd socket) {
  post([&](Mail& mail) { mail.sockets.push_back(std::move(socket)); });
}

void HttpMailbox::wake(std::shared_ptr<ConnectionWaker> waker) {
  post([&](Mail& mail) { mail.woken.push_back(std::move(waker)); });
}

void HttpMailbox::ask_for_room() {
  post([](Mail& mail) { mail.makes_room = true; });
}

void HttpMailbox::stop() {
  post([](Mail& mail) { mail.is_stopping = true; });
}

void HttpMailbox::close() {
  Mail left;
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  std::swap(left, mail_);
}

void HttpMailbox::take(Mail& mail) {
  mail.sockets.clear();
  mail.woken.clear();
  mail.makes_room = false;
  std::uint64_t ignored = 0;
  [[maybe_unused]] const ssize_t count = ::read(bell_.get(), &ignored, sizeof ignored);
  const std::lock_guard lock(mutex_);
  has_mail_ = false;
  std::swap(mail.sockets, mail_.sockets);
  std::swap(mail.woken, mail_.woken);
  std::swap(mail.makes_room, mail_.makes_room);
  mail.is_stopping = mail_.is_stopping;
}

HttpLoop::HttpLoop(const HttpListener::Options& options, const HttpListener::Handler& handler,
                   ListenerMemory& memory, std::size_t most_connections)
    : most_connections_(most_connections),
      patience_(patience_for(options)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      mailbox_(std::make_shared<HttpMailbox>()),
      context_{.options = options,
               .handler = handler,
               .memory = memory,
               .epoll = epoll_.get(),
               .mailbox = mailbox_,
               .input = std::string(kInputBytes, '\0'),
               .chunk = {},
               .spare_output = {},
               .now = std::chrono::steady_clock::now()} {
  if (is_open()) watch_descriptor(epoll_.get(), mailbox_->descriptor(), EPOLLIN, &mailbox_);
}

HttpLoop::~HttpLoop() {
  close_all();
  mailbox_->close();
}

bool HttpLoop::accept_from(int listening_socket, std::vector<HttpLoop*> loops) {
  listening_ = listening_socket;
  loops_ = std::move(loops);
  return watch_descriptor(epoll_.get(), listening_, EPOLLIN, &listening_);
}

void HttpLoop::run() {
  while (wait_once()) {
  }
  close_all();
}

void HttpLoop::run_for(UniqueFd socket) {
  adopt(std::move(socket));
  while (count_ > 0 && wait_once()) {
  }
  close_all();
}

// False when it is to stop.
bool HttpLoop::wait_once() {
  std::array<epoll_event, kMostEvents> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMostEvents, patience());
  context_.now = std::chrono::steady_clock::now();
  bool has_mail = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr == &mailbox_) {
      has_mail = true;
    } else if (event.data.ptr == &listening_) {
      accept_all();
    } else {
      auto& connection = *static_cast<ServedConnection*>(event.data.ptr);
      connection.take_events(event.events);
      connection.advance();
      settle(connection);
    }
  }
  const bool goes_on = !has_mail || read_mail();
  admit_waiting();
  check_times();
  closed_.clear();
  return goes_on;
}

int HttpLoop::patience() const {
  milliseconds longest{-1};
  if (!idle_.empty()) longest = context_.options.idle_timeout / 4;
  if (!reading_.empty() || !serving_.empty()) longest = patience_;
  if (!waiting_.empty() || !is_accepting_) longest = kPatienceWhenWanting;
  return static_cast<int>(longest.count());
}

// False when it is to stop.
bool HttpLoop::read_mail() {
  mailbox_->take(mail_);
  for (UniqueFd& socket : mail_.sockets) adopt(std::move(socket));
  for (const auto& waker : mail_.woken) {
    ServedConnection* const connection = waker->take();
    if (connection == nullptr) continue;
    connection->advance();
    settle(*connection);
  }
  if (mail_.makes_room) make_room();
  mail_.woken.clear();
  return !mail_.is_stopping;
}

void HttpLoop::accept_all() {
  for (int accepted = 0; accepted < kMostAccepted; ++accepted) {
    UniqueFd socket(::accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.is_open()) {
      if (context_.options.on_connection) context_.options.on_connection();
      HttpLoop* const loop = loops_[turn_++ % loops_.size()];
      if (loop == this) {
        adopt(std::move(socket));
      } else {
        loop->give(std::move(socket));
      }
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN) return;
    // There are no descriptors left. Who comes waits until one that was idle has made room.
    for (HttpLoop* loop : loops_) loop->mailbox_->ask_for_room();
    pause_accepting(true);
    return;
  }
}

void HttpLoop::pause_accepting(bool is_paused) {
  is_accepting_ = !is_paused;
  paused_ = context_.now;
  epoll_event event{};
  event.events = is_paused ? 0u : static_cast<std::uint32_t>(EPOLLIN);
  event.data.ptr = &listening_;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listening_, &event);
}

void HttpLoop::adopt(UniqueFd socket) {
  if (count_ >= most_connections_ && !make_room()) return;
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  const int descriptor = socket.get();
  idle_.push_back(std::make_unique<ServedConnection>(std::move(socket), context_));
  ServedConnection& connection = *idle_.back();
  connection.place = std::prev(idle_.end());
  ++count_;
  const bool is_watched = watch_descriptor(
      epoll_.get(), descriptor,
      EPOLLIN | EPOLLOUT | EPOLLRDHUP | static_cast<std::uint32_t>(EPOLLET), &connection);
  if (!is_watched) connection.close();
  settle(connection);
}

// Closes the connection that can be missed most; false if there is none.
bool HttpLoop::make_room() {
  ServedConnection* least = nullptr;
  if (!idle_.empty()) {
    least = idle_.front().get();
  } else if (!reading_.empty() && context_.now - reading_.front()->since() > kReadingInPeace) {
    least = reading_.front().get();
  }
  if (least == nullptr) return false;
  least->close();
  settle(*least);
  return true;
}

// Puts it where it belongs now.
void HttpLoop::settle(ServedConnection& connection) {
  const Standing standing = connection.standing();
  const auto list_of = [this](Standing which) -> Connections& {
    switch (which) {
      case Standing::kIdle:
        return idle_;
      case Standing::kReading:
        return reading_;
      case Standing::kServing:
        return serving_;
      case Standing::kClosed:
        return closed_;
    }
    return closed_;
  };
  if (connection.is_queued != connection.waits_for_memory()) {
    connection.is_queued = !connection.is_queued;
    if (connection.is_queued) {
      waiting_.push_back(&connection);
    } else {
      std::erase(waiting_, &connection);
    }
  }
  if (standing == connection.listed && standing != Standing::kIdle) return;
  if (standing == Standing::kClosed) --count_;
  Connections& to = list_of(standing);
  to.splice(to.end(), list_of(connection.listed), connection.place);
  connection.listed = standing;
}

void HttpLoop::admit_waiting() {
  while (!waiting_.empty() && waiting_.front()->take_wanted_memory()) {
    ServedConnection& connection = *waiting_.front();
    waiting_.pop_front();
    connection.is_queued = false;
    connection.advance();
    settle(connection);
  }
}

void HttpLoop::check_times() {
  if (!is_accepting_ && context_.now - paused_ >= kPatienceWhenWanting) pause_accepting(false);
  if (context_.now - checked_ < patience_) return;
  checked_ = context_.now;
  while (!idle_.empty() && idle_.front()->is_slow()) {
    ServedConnection& connection = *idle_.front();
    connection.close();
    settle(connection);
  }
  bool needs_memory = context_.memory.is_short();
  for (Connections* connections : {&reading_, &serving_}) {
    for (auto each = connections->begin(); each != connections->end();) {
      ServedConnection& connection = **each++;
      // One at a time: what it gives back may be enough.
      const bool gives_way = needs_memory && connection.is_in_the_way();
      if (!gives_way && !connection.is_slow()) continue;
      if (gives_way) needs_memory = false;
      connection.end_slow();
      settle(connection);
    }
  }
}

void HttpLoop::close_all() {
  for (Connections* connections : {&idle_, &reading_, &serving_}) {
    while (!connections->empty()) {
      ServedConnection& connection = *connections->front();
      connection.close();
      settle(connection);
    }
  }
  closed_.clear();
}

}  // namespace assay::transport
