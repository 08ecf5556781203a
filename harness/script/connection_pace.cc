// What a connection does about a target that limits how often it may be asked.
#include <algorithm>
#include <span>
#include <utility>

#include "harness/script/connection.h"
#include "harness/script/pace.h"

namespace assay::harness {

Reply Connection::ask_patiently(const Pending& pending, std::string_view method,
                                const Json& params) {
  constexpr int kMostTries = 4;
  Reply reply = await(pending);
  for (int i = 1; i < kMostTries && pace_ && limit_of(reply); ++i) {
    if (!pace_->is_patient()) break;
    const std::size_t next = mark();
    Reply again = await(start(method, params));
    if (!limit_of(again)) {
      for (std::size_t at = pending.from; at < next; ++at) made_good_.insert(at + 1);
    }
    reply = std::move(again);
  }
  return reply;
}

std::optional<Limit> Connection::limit_since(std::size_t from) const {
  for (const EventPtr& event : shared_transcript()->events(from)) {
    if (made_good_.contains(event->n)) continue;
    if (auto limit = limit_in(std::span(&event, 1))) return limit;
  }
  return std::nullopt;
}

void Connection::forgive_limits() {
  for (std::size_t n = 1; n <= mark(); ++n) made_good_.insert(n);
}

void Connection::await_turn() {
  if (!pace_) return;
  const std::chrono::milliseconds wait = pace_->take_turn();
  if (wait.count() == 0) return;
  wait_for(
      mark(), [](const Event&) { return false; }, wait);
}

void Connection::note_pace(const Pending& pending, const Reply& reply) {
  if (!pace_) return;
  if (const auto limit = limit_of(reply)) {
    pending.is_paced ? pace_->note(*limit) : pace_->pause(*limit);
  } else if (reply.is_answered()) {
    pace_->note_answer();
  }
}

}  // namespace assay::harness
