#include "harness/runner/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>

#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/transport/signals.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using wire::MessageKind;

bool is_end(const Event& event) {
  const auto& observation = event.observation;
  if (event.is_from_client() || observation.lane.kind == transport::Lane::Kind::kStderr)
    return false;
  return observation.kind == Kind::kExit || observation.kind == Kind::kClosed ||
         observation.kind == Kind::kBroken || observation.kind == Kind::kCutOff;
}

// A message of ours that the target need not understand.
bool is_bad(const Event& event, model::Revision revision) {
  const wire::Message* message = event.message();
  if (message == nullptr) return event.carries_message();
  if (message->kind() == MessageKind::kMalformed) return true;
  if (message->kind() == MessageKind::kBatch) return !revision.has_batching();
  const auto deviations =
      model::validate_message(revision, model::Direction::kClientToServer, message->json());
  return std::any_of(deviations.begin(), deviations.end(), [](const model::Deviation& deviation) {
    return deviation.strength == model::Strength::kMust;
  });
}

// What the target owes while the events pass.
class Debts {
 public:
  explicit Debts(model::Revision revision) : revision_(revision) {}

  void take(const EventPtr& event) {
    if (event->is_from_client()) {
      const bool is_sound = !is_bad(*event, revision_);
      if (!is_sound) bad_ = event;
      note_requests(event, is_sound);
      note_cancellation(event);
    } else if (event->message() != nullptr) {
      refused_probe_ = nullptr;
      note_answers(*event->message(), event);
    }
  }
  // The latest message that could not be understood, if nothing sent after it was answered.
  const EventPtr& bad() const { return bad_; }
  // A server of an older revision may shut down after a probe for a newer one: what came after its
  // refusal, if that was its last word, it has not begun to read.
  bool began_after_refused_probe(const EventPtr& request) const {
    return refused_probe_ && request && request->n > refused_probe_->n;
  }
  // The oldest sound request that has no answer; null if all have.
  EventPtr oldest() const {
    EventPtr oldest;
    for (const auto& [id, request] : open_) {
      const bool is_older = !oldest || request.event->n < oldest->n;
      if (request.is_sound && is_older) oldest = request.event;
    }
    return oldest;
  }

 private:
  struct Request {
    EventPtr event;
    bool is_sound;
    EventPtr cancelled{};
    bool is_of_batch = false;
  };

  void note_requests(const EventPtr& event, bool is_sound) {
    const wire::Message* message = event->message();
    if (message == nullptr) return;
    if (message->kind() == MessageKind::kRequest) open_[*message->id()] = {event, is_sound};
    for (const wire::Message& member : message->members()) {
      if (member.kind() == MessageKind::kRequest) {
        open_[*member.id()] = {event, is_sound, nullptr, true};
      }
    }
  }
  void note_cancellation(const EventPtr& event) {
    const wire::Message* message = event->message();
    if (message == nullptr || message->method() != "notifications/cancelled") return;
    const Json& id = member(message->params(), "requestId");
    for (auto& [key, request] : open_) {
      if (wire::to_json(key) == id) request.cancelled = event;
    }
  }
  void note_answers(const wire::Message& message, const EventPtr& event) {
    for (const wire::Message& member : message.members()) note_answers(member, event);
    if (!message.id() || !message.method().empty()) return;
    const auto found = open_.find(*message.id());
    if (found == open_.end()) return;
    const wire::Message* request = found->second.event->message();
    const bool is_of_probe = request->method() == "server/discover";
    if (is_of_probe && message.kind() == MessageKind::kError) refused_probe_ = event;
    const std::uint64_t asked = found->second.event->n;
    if (bad_ && asked >= bad_->n) bad_ = nullptr;
    open_.erase(found);
    // What was cancelled need not be answered, and a batch may have been refused as a whole: a
    // server that went on after that owes it no more.
    std::erase_if(open_, [&](const auto& each) {
      const Request& other = each.second;
      const EventPtr& settled = other.is_of_batch ? other.event : other.cancelled;
      return settled && settled->n < asked;
    });
  }

  model::Revision revision_;
  std::map<wire::Id, Request> open_;
  EventPtr bad_;
  EventPtr refused_probe_;
};

const transport::ProcessExit* exit_of(std::span<const EventPtr> events) {
  for (const EventPtr& event : events) {
    if (event->observation.exit()) return event->observation.exit();
  }
  return nullptr;
}

// "ended with exit status 3", in the order of how much it tells.
std::string how_it_ended(const transport::ProcessExit* exit) {
  if (exit == nullptr || exit->was_killed_by_us) return "closed its output";
  if (exit->signal) return fmt::format("was ended by {}", transport::signal_words(*exit->signal));
  return fmt::format("ended with exit status {}", exit->code);
}

std::string described(const EventPtr& event) {
  const wire::Message* message = event->message();
  if (message == nullptr || message->method().empty()) return "a message";
  return std::string(message->method());
}

}  // namespace

bool has_ended(const Transcript& transcript) {
  return transcript.end() != nullptr;
}

std::optional<Finding> unexpected_end(std::span<const EventPtr> events, model::Revision revision,
                                      TransportKind transport, std::string_view judge) {
  if (!transport.has_process()) return std::nullopt;
  const auto we_closed = std::find_if(events.begin(), events.end(), [](const EventPtr& event) {
    return event->is_from_client() && event->observation.kind == Kind::kClosed;
  });
  const auto at =
      std::find_if(events.begin(), we_closed, [](const EventPtr& event) { return is_end(*event); });
  if (at == we_closed) return std::nullopt;
  const EventPtr end = *at;
  // What a target does of which nobody reads any more is our doing.
  if (end->observation.kind == Kind::kCutOff) return std::nullopt;
  const auto* exit = exit_of({at, events.end()});
  const auto* first_exit = exit_of({at, we_closed});
  if (first_exit != nullptr && first_exit->was_killed_by_us) return std::nullopt;
  // What is sent into the void is owed too, if the target ended because of what came before it.
  Debts debts(revision);
  for (auto event = events.begin(); event != we_closed; ++event) debts.take(*event);
  const EventPtr request = debts.oldest();
  const bool is_about_bad = debts.bad() && (!request || request->n >= debts.bad()->n);
  if (!request && !is_about_bad) return std::nullopt;
  if (!is_about_bad && debts.began_after_refused_probe(request)) return std::nullopt;
  const EventPtr& last = is_about_bad ? debts.bad() : request;
  Finding finding(is_about_bad ? catalogue::RequirementId("jsonrpc.bad-message-survived")
                               : catalogue::RequirementId("jsonrpc.request-answered-once"),
                  Finding::Kind::kBroke, std::string(judge),
                  is_about_bad ? fmt::format("the server {} over a message that is none of the "
                                             "revision's",
                                             how_it_ended(exit))
                               : fmt::format("the server {} and left {} unanswered",
                                             how_it_ended(exit), described(request)));
  // Who was killed from outside, for want of memory for one, has broken nothing.
  if (exit != nullptr && exit->signal == SIGKILL) finding.kind = Finding::Kind::kUnclear;
  finding.events = {last, end};
  if (is_about_bad && request) finding.events = {last, request, end};
  finding.proof = Proof::crash(how_it_ended(exit));
  return finding;
}

}  // namespace assay::harness
