#include "fuzz/live/wire/http_inbox.h"

#include <utility>

#include "fuzz/live/wire/inbox.h"

namespace assay::fuzz {

using transport::Observation;

namespace {

// A head may have a megabyte of fields, and only one of them is read here.
transport::HttpHead without_most_fields(const transport::HttpHead& head) {
  transport::HttpHead kept{head.method, "", head.status, {}};
  if (const std::string type = transport::media_type(head.headers); !type.empty()) {
    kept.headers.emplace_back("Content-Type", type);
  }
  return kept;
}

}  // namespace

HttpInbox::HttpInbox(transport::Observer* also, wire::BudgetPtr budget)
    : also_(also), taps_{{{*this, 0}, {*this, 1}}}, share_(std::move(budget)) {}

void HttpInbox::Tap::observe(const Observation& observation) {
  if (inbox_.also_ != nullptr) inbox_.also_->observe(observation);
  const bool is_end = observation.kind == Observation::Kind::kClosed ||
                      observation.kind == Observation::Kind::kBroken ||
                      observation.kind == Observation::Kind::kCutOff;
  if (observation.kind == Observation::Kind::kHttpRequest) return;
  Observation kept;
  kept.kind = observation.kind;
  kept.speaker = observation.speaker;
  kept.lane = observation.lane;
  kept.bytes = observation.bytes;
  kept.is_truncated = observation.is_truncated;
  kept.event = observation.event;
  if (observation.http) kept.http = without_most_fields(*observation.http);
  const std::size_t size = cost_of(kept) + sizeof(HttpEvent);
  inbox_.add({observation.lane.number, session_, std::move(kept), std::nullopt}, size, is_end);
}

bool HttpInbox::Tap::is_full() const {
  return (inbox_.also_ != nullptr && inbox_.also_->is_full()) || inbox_.is_flooded();
}

void HttpInbox::add_raw(std::uint64_t number, RawReply reply) {
  add({number, 0, {}, std::move(reply)}, sizeof(HttpEvent), true);
}

void HttpInbox::add(HttpEvent event, std::size_t size, bool is_end) {
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t held = share_.bytes() + size;
    const bool is_kept = is_end || (!is_flooded_ && held <= kMaxBytes && share_.resize(held));
    if (!is_kept) is_flooded_ = true;
    if (!is_kept) return;
    was_empty = waiting_.empty();
    waiting_.push_back(std::move(event));
  }
  if (was_empty) arrived_.notify_one();
}

std::vector<HttpEvent> HttpInbox::take(std::chrono::steady_clock::time_point deadline,
                                       const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, stop, deadline, [&] { return !waiting_.empty(); });
  share_.resize(0);
  return std::exchange(waiting_, {});
}

bool HttpInbox::is_flooded() const {
  const std::lock_guard lock(mutex_);
  return is_flooded_;
}

}  // namespace assay::fuzz
