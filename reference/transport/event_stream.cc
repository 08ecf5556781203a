#include "reference/transport/event_stream.h"

#include <utility>

#include "reference/wire/message.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;

// What one read gives, so that a reader that is slow holds no copy of all that is kept.
constexpr std::size_t kPieceBytes = 256u << 10;

void wake(const std::shared_ptr<Waker>& waker) {
  if (waker) waker->wake();
}

}  // namespace

EventStream::EventStream(std::uint64_t number) : EventStream(number, Bounds{}) {}

EventStream::EventStream(std::uint64_t number, Bounds bounds) : number_(number), bounds_(bounds) {}

void EventStream::divert(std::shared_ptr<Sink> other) {
  const std::lock_guard lock(mutex_);
  other_ = std::move(other);
  is_diverted_ = true;
}

void EventStream::send(Outgoing message) {
  const bool is_answer =
      message.kind != Outgoing::Kind::kRequest && message.kind != Outgoing::Kind::kNotification;
  std::shared_ptr<Sink> other;
  std::shared_ptr<Waker> waker;
  {
    const std::lock_guard lock(mutex_);
    if (!is_answer) other = other_;
    if (!other && !is_finished_) {
      bytes_ += message.bytes.size();
      events_.push_back({++last_sequence_, std::move(message)});
      drop_oldest();
      waker = waker_;
    }
  }
  if (other) {
    other->send(std::move(message));
  } else {
    wake(waker);
  }
}

void EventStream::finish() {
  // Let go of, after the lock: the other sink may hold this stream, and nothing more is sent.
  std::shared_ptr<Sink> other;
  std::shared_ptr<Waker> waker;
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    other.swap(other_);
    waker = waker_;
  }
  wake(waker);
}

bool EventStream::is_listened_to() const {
  const std::lock_guard lock(mutex_);
  return reader_ != 0 && !is_finished_;
}

bool EventStream::can_ask() const {
  std::shared_ptr<Sink> other;
  {
    const std::lock_guard lock(mutex_);
    other = other_;
  }
  return !other || other->can_ask();
}

void EventStream::disconnect(milliseconds retry) {
  std::shared_ptr<Waker> waker;
  {
    const std::lock_guard lock(mutex_);
    disconnection_ = retry;
    waker = waker_;
  }
  wake(waker);
}

std::optional<EventStream::Shape> EventStream::shape() const {
  const std::lock_guard lock(mutex_);
  return shape_locked();
}

std::optional<EventStream::Shape> EventStream::settle(Outgoing& answer) {
  const std::lock_guard lock(mutex_);
  const std::optional<Shape> shape = shape_locked();
  if (shape != Shape::kAnswer) return shape;
  answer = std::move(events_.front().message);
  events_.clear();
  bytes_ = 0;
  return shape;
}

std::optional<EventStream::Shape> EventStream::shape_locked() const {
  const auto needs_stream = [this] {
    if (events_.empty()) return disconnection_.has_value() && !is_diverted_;
    const Outgoing::Kind kind = events_.front().message.kind;
    return events_.size() > 1 || kind == Outgoing::Kind::kRequest ||
           kind == Outgoing::Kind::kNotification;
  };
  if (needs_stream()) return Shape::kStream;
  if (!is_finished_) return std::nullopt;
  return events_.empty() ? Shape::kNothing : Shape::kAnswer;
}

void EventStream::watch(std::uint64_t token, std::shared_ptr<Waker> waker) {
  {
    const std::lock_guard lock(mutex_);
    if (reader_ == token) {
      waker_ = std::move(waker);
      return;
    }
  }
  wake(waker);  // it has been taken over already
}

std::uint64_t EventStream::attach(std::uint64_t seen) {
  std::shared_ptr<Waker> former;
  std::uint64_t token = 0;
  {
    const std::lock_guard lock(mutex_);
    // A disconnection asked for before anyone listened is still to be carried out by the first
    // reader.
    if (last_token_ > 0) disconnection_.reset();
    token = reader_ = ++last_token_;
    seen_ = seen;
    former.swap(waker_);
  }
  wake(former);
  return token;
}

void EventStream::detach(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  if (reader_ != token) return;
  reader_ = 0;
  waker_.reset();
}

EventStream::ReadResult EventStream::read(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  ReadResult result;
  if (reader_ != token) {
    result.end = ReadEnd::kTakenOver;
    return result;
  }
  std::size_t bytes = 0;
  for (const Event& event : events_) {
    if (event.sequence <= seen_) continue;
    if (bytes > kPieceBytes) return result;
    bytes += event.message.bytes.size();
    result.events.push_back(event);
    seen_ = event.sequence;
  }
  if (!bounds_.keeps_read) drop_read();
  if (is_finished_) {
    result.end = ReadEnd::kFinished;
  } else if (disconnection_) {
    result.end = ReadEnd::kDisconnected;
    result.retry = *disconnection_;
    disconnection_.reset();
    reader_ = 0;
  }
  return result;
}

bool EventStream::is_finished() const {
  const std::lock_guard lock(mutex_);
  return is_finished_;
}

std::vector<EventStream::Event> EventStream::kept() const {
  const std::lock_guard lock(mutex_);
  return {events_.begin(), events_.end()};
}

std::uint64_t EventStream::last_sequence() const {
  const std::lock_guard lock(mutex_);
  return last_sequence_;
}

void EventStream::drop_read() {
  while (!events_.empty() && events_.front().sequence <= seen_) {
    bytes_ -= events_.front().message.bytes.size();
    events_.pop_front();
  }
}

void EventStream::drop_oldest() {
  while (events_.size() > 1 && (events_.size() > bounds_.events || bytes_ > bounds_.bytes)) {
    bytes_ -= events_.front().message.bytes.size();
    events_.pop_front();
  }
}

}  // namespace assay::transport
