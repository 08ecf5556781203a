#include "harness/runner/turns.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/runner/left_open.h"
#include "harness/script/abandoned.h"

namespace assay::harness {
namespace {

// A server that is busy for longer with what the last scenario left is let be: another one starts
// in that time.
constexpr std::chrono::milliseconds kLongestFence{1000};

bool is_left_as_found(Connection& session, std::size_t from) {
  session.restore_handlers();
  if (session.cut_off()) return false;
  try {
    const Pending fence = session.start_fence();
    if (!session.await(fence, std::min(kLongestFence, session.patience().request)).is_answered()) {
      return false;
    }
  } catch (const Abandoned&) {
    return false;  // a stop
  }
  LeftOpen open;
  for (const EventPtr& event : session.transcript().events(from)) open.see(*event);
  return open.is_empty() && session.transcript().end() == nullptr && !session.limit_since(from);
}

}  // namespace

void Turns::take_from(Script& script) {
  if (session_) return;
  session_ = script.take_session();
}

void Turns::end_turn(std::string_view scenario, std::size_t from, bool is_well) {
  if (!session_) return;
  turns_.emplace_back(from, scenario);
  record_.count_wait(
      scenario, session_->waited_in_vain() - std::exchange(waited_, session_->waited_in_vain()));
  if (!is_well || !is_left_as_found(*session_, from)) close();
}

void Turns::close() {
  if (!session_) return;
  session_->close();
  record_.hand_over(*session_, "scenarios in turn", waited_);
  const auto whose = [this](const Finding& finding) {
    std::string_view scenario = turns_.front().second;
    for (const auto& [from, name] : turns_) {
      if (finding.events.empty() || !finding.events.back()) break;
      if (static_cast<std::size_t>(finding.events.back()->n) > from) scenario = name;
    }
    return plan_part(Part::kOwn, scenario);
  };
  if (!record_.was_stopped()) record_.keep(record_.watch_session(*session_, whose));
  session_.reset();
  waited_ = {};
  turns_.clear();
}

}  // namespace assay::harness
