#include "harness/runner/turns.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "harness/script/abandoned.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::MessageKind;

// A server that is busy for longer with what the last scenario left is let be: another one starts
// in that time.
constexpr std::chrono::milliseconds kLongestFence{1000};

// The requests that have no answer, by who sent them. What was cancelled may still be answered.
class OpenRequests {
 public:
  void see(const Event& event) {
    if (event.message() != nullptr) see(event.is_from_client(), *event.message());
  }
  bool is_empty() const { return open_.empty(); }

 private:
  void see(bool is_ours, const wire::Message& message) {
    const auto id = message.id();
    switch (message.kind()) {
      case MessageKind::kRequest:
        if (id) open_.emplace(is_ours, *id);
        break;
      case MessageKind::kResult:
      case MessageKind::kError:
        if (id) open_.erase({!is_ours, *id});
        break;
      case MessageKind::kBatch:
        // What we ask in one may be refused as a whole.
        for (const wire::Message& each : message.members()) {
          if (!is_ours || each.kind() != MessageKind::kRequest) see(is_ours, each);
        }
        break;
      case MessageKind::kNotification:
      case MessageKind::kMalformed:
        break;
    }
  }

  std::set<std::pair<bool, wire::Id>> open_;
};

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
  OpenRequests open;
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
