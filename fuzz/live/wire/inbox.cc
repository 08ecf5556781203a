#include "fuzz/live/wire/inbox.h"

#include <utility>

#include "reference/wire/weight.h"

namespace assay::fuzz {

using transport::Observation;

std::size_t cost_of(const Observation& observation) {
  std::size_t cost = sizeof observation + observation.bytes.size();
  if (observation.event) cost += observation.event->data.size() + observation.event->raw.size();
  if (observation.http) {
    for (const auto& [name, value] : observation.http->headers) {
      cost += sizeof(transport::Header) + name.size() + value.size();
    }
  }
  const auto text = observation.message();
  return text ? cost + wire::tree_bytes(wire::count_tokens(*text), text->size()) : cost;
}

void Inbox::observe(const Observation& observation) {
  if (also_ != nullptr) also_->observe(observation);
  const bool is_end = observation.kind == Observation::Kind::kExit ||
                      observation.kind == Observation::Kind::kClosed ||
                      observation.kind == Observation::Kind::kCutOff;
  if (observation.speaker == transport::Party::kClient && !is_end &&
      observation.kind != Observation::Kind::kBroken) {
    return;
  }
  if (observation.kind == Observation::Kind::kStderr) return;
  const std::size_t cost = cost_of(observation);
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_flooded_ && observation.kind != Observation::Kind::kExit) return;
    was_empty = waiting_.empty();
    const std::size_t held = share_.bytes() + cost;
    if (is_end || (held <= kMaxBytes && share_.resize(held))) {
      waiting_.push_back(observation);
    } else {
      is_flooded_ = true;
      Observation& end = waiting_.emplace_back();
      end.kind = Observation::Kind::kCutOff;
      end.lane = observation.lane;
      end.bytes = "more came than there is memory for";
    }
  }
  if (was_empty) arrived_.notify_one();
}

std::vector<Observation> Inbox::take(std::chrono::steady_clock::time_point deadline,
                                     const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, stop, deadline, [&] { return !waiting_.empty(); });
  share_.resize(0);
  return std::exchange(waiting_, {});
}

bool Inbox::is_full() const {
  if (also_ != nullptr && also_->is_full()) return true;
  const std::lock_guard lock(mutex_);
  return is_flooded_;
}

}  // namespace assay::fuzz
