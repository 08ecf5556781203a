#include "reference/transport/event_stream.h"

#include <utility>

namespace assay::transport {

using std::chrono::milliseconds;

EventStream::EventStream(std::uint64_t number) : EventStream(number, Bounds{}) {}

EventStream::EventStream(std::uint64_t number, Bounds bounds) : number_(number), bounds_(bounds) {}

void EventStream::divert(std::shared_ptr<Sink> other) {
  const std::lock_guard lock(mutex_);
  other_ = std::move(other);
  is_diverted_ = true;
}

void EventStream::send(Outgoing message) {
  const bool is_answer =
      message.kind == Outgoing::Kind::kResponse || message.kind == Outgoing::Kind::kRefusal;
  std::shared_ptr<Sink> other;
  {
    const std::lock_guard lock(mutex_);
    if (!is_answer) other = other_;
    if (!other && !is_finished_) {
      bytes_ += message.bytes.size();
      events_.push_back({++last_sequence_, std::move(message)});
      trim();
    }
  }
  if (other) {
    other->send(std::move(message));
  } else {
    has_changed_.notify_all();
  }
}

void EventStream::finish() {
  // Let go of, after the lock: the other sink may hold this stream, and nothing more is sent.
  std::shared_ptr<Sink> other;
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    other.swap(other_);
  }
  has_changed_.notify_all();
}

bool EventStream::is_listened_to() const {
  const std::lock_guard lock(mutex_);
  return reader_ != 0 && !is_finished_;
}

void EventStream::disconnect(milliseconds retry) {
  {
    const std::lock_guard lock(mutex_);
    disconnection_ = retry;
  }
  has_changed_.notify_all();
}

EventStream::Shape EventStream::wait_for_shape() {
  std::unique_lock lock(mutex_);
  const auto needs_stream = [this] {
    if (events_.empty()) return disconnection_.has_value() && !is_diverted_;
    const Outgoing::Kind kind = events_.front().message.kind;
    return events_.size() > 1 || kind == Outgoing::Kind::kRequest ||
           kind == Outgoing::Kind::kNotification;
  };
  has_changed_.wait(lock, [&] { return is_finished_ || needs_stream(); });
  if (needs_stream()) return Shape::kStream;
  return events_.empty() ? Shape::kNothing : Shape::kAnswer;
}

Outgoing EventStream::take_answer() {
  const std::lock_guard lock(mutex_);
  Outgoing answer = std::move(events_.front().message);
  events_.clear();
  bytes_ = 0;
  return answer;
}

std::uint64_t EventStream::attach(std::uint64_t seen) {
  const std::lock_guard lock(mutex_);
  // A disconnection asked for before anyone listened is still to be carried out by the first
  // reader.
  if (last_token_ > 0) disconnection_.reset();
  reader_ = ++last_token_;
  seen_ = seen;
  has_changed_.notify_all();
  return reader_;
}

void EventStream::detach(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  if (reader_ == token) reader_ = 0;
}

EventStream::ReadResult EventStream::read(std::uint64_t token, milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto has_news = [&] {
    return reader_ != token || is_finished_ || disconnection_ || last_sequence_ > seen_;
  };
  has_changed_.wait_for(lock, patience, has_news);
  ReadResult result;
  if (reader_ != token) {
    result.end = ReadEnd::kTakenOver;
    return result;
  }
  for (const Event& event : events_) {
    if (event.sequence > seen_) result.events.push_back(event);
  }
  seen_ = last_sequence_;
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

void EventStream::trim() {
  while (events_.size() > 1 && (events_.size() > bounds_.events || bytes_ > bounds_.bytes)) {
    bytes_ -= events_.front().message.bytes.size();
    events_.pop_front();
  }
}

}  // namespace assay::transport
