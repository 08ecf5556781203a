#include "fuzz/live/inbox.h"

#include <utility>

namespace assay::fuzz {

using transport::Observation;

void Inbox::observe(const Observation& observation) {
  if (also_ != nullptr) also_->observe(observation);
  const bool is_end = observation.kind == Observation::Kind::kExit ||
                      observation.kind == Observation::Kind::kClosed;
  if (observation.direction == transport::Direction::kSent && !is_end &&
      observation.kind != Observation::Kind::kBroken) {
    return;
  }
  if (observation.kind == Observation::Kind::kStderr) return;
  const std::size_t size =
      observation.bytes.size() + (observation.event ? observation.event->data.size() : 0);
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > kMaxBytes && !is_end) {
      is_flooded_ = true;
      return;
    }
    bytes_ += size;
    was_empty = waiting_.empty();
    waiting_.push_back(observation);
  }
  if (was_empty) arrived_.notify_one();
}

std::vector<Observation> Inbox::take(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, deadline, [&] { return !waiting_.empty(); });
  bytes_ = 0;
  return std::exchange(waiting_, {});
}

bool Inbox::is_flooded() const {
  const std::lock_guard lock(mutex_);
  return is_flooded_;
}

}  // namespace assay::fuzz
