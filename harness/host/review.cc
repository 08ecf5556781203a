#include "harness/host/review.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "harness/script/limit.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

void collect(const EventPtr& event, const Message& message, std::size_t session,
             std::vector<Said>& out) {
  if (message.kind() != MessageKind::kBatch) {
    out.push_back({event, message, session});
    return;
  }
  for (const Message& member : message.members()) collect(event, member, session, out);
}

bool is_answer(const Message& message) {
  return message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError;
}

}  // namespace

Review::Review(std::string scenario, model::Revision revision,
               std::span<const RecordedSession> sessions, std::span<const EventPtr> beside,
               std::vector<std::string> hits)
    : scenario_(std::move(scenario)),
      revision_(revision),
      sessions_(sessions),
      beside_(beside),
      hits_(std::move(hits)) {
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (const EventPtr& event : sessions[i].events) {
      if (event->message() == nullptr) continue;
      collect(event, *event->message(), i, event->is_from_client() ? client_ : server_);
    }
  }
}

TransportKind Review::transport() const {
  return sessions_.empty() ? TransportKind::kHttp : sessions_.front().transport;
}

std::vector<Said> Review::requests(std::string_view method) const {
  std::vector<Said> out;
  for (const Said& said : client_) {
    if (said.message.kind() == MessageKind::kRequest && said.message.method() == method) {
      out.push_back(said);
    }
  }
  return out;
}

std::optional<Said> Review::answer_to(std::string_view id) const {
  const wire::Id wanted = wire::Id::of_string(id);
  for (const Said& said : client_) {
    if (is_answer(said.message) && said.message.id() == wanted) return said;
  }
  return std::nullopt;
}

std::optional<Said> Review::question(std::string_view id) const {
  const wire::Id wanted = wire::Id::of_string(id);
  for (const Said& said : server_) {
    if (said.message.kind() == MessageKind::kRequest && said.message.id() == wanted) return said;
  }
  return std::nullopt;
}

EventPtr Review::said_before(const Said& said) const {
  EventPtr last = said.event;
  for (const EventPtr& event : sessions_[said.session].events) {
    if (event->n >= said.event->n) break;
    const bool is_there =
        event->is_from_server() && event->observation.lane == said.event->observation.lane;
    if (is_there && event->carries_message()) last = event;
  }
  return last;
}

std::optional<Said> Review::reply_to(const Said& request) const {
  for (const Said& said : server_) {
    const bool is_later = said.session == request.session && said.event->n > request.event->n;
    if (is_later && is_answer(said.message) && said.message.id() == request.message.id()) {
      return said;
    }
  }
  return std::nullopt;
}

bool Review::went_on_after(const Said& said) const {
  return std::any_of(client_.begin(), client_.end(), [&](const Said& each) {
    return each.session == said.session && each.event->n > said.event->n &&
           each.message.kind() == MessageKind::kRequest;
  });
}

bool Review::asked_beside(std::string_view method, const Said& question) const {
  for (const Said& asked : requests(method)) {
    if (asked.session == question.session) return went_on_after(asked);
  }
  return false;
}

std::optional<Said> Review::asked_instead(const Said& request) const {
  std::optional<Said> waiting;  // the latest request of the session
  for (const Said& said : client_) {
    const bool is_request =
        said.message.kind() == MessageKind::kRequest && said.message.method() != "ping";
    if (said.session != request.session || !is_request) continue;
    if (waiting) {
      const auto reply = reply_to(*waiting);
      const bool had_answer = reply && reply->event->n < said.event->n;
      if (waiting->event == request.event) {
        return had_answer ? std::nullopt : std::optional<Said>(said);
      }
      if (!had_answer) return std::nullopt;
    }
    waiting = said;
  }
  return std::nullopt;
}

std::chrono::nanoseconds Review::longest_pause(const Said& request) const {
  std::chrono::nanoseconds longest{0};
  std::optional<std::chrono::nanoseconds> answered;
  for (const Said& said : client_) {
    if (said.session != request.session || said.message.kind() != MessageKind::kRequest) continue;
    if (answered && said.event->at > *answered) {
      longest = std::max(longest, said.event->at - *answered);
    }
    if (said.event->n >= request.event->n) break;
    const auto reply = reply_to(said);
    answered = reply ? std::optional(reply->event->at) : std::nullopt;
  }
  return longest;
}

Json Review::capabilities(const Said& said) const {
  const Json& meta = member(said.message.params(), "_meta");
  const Json& declared = member(meta, "io.modelcontextprotocol/clientCapabilities");
  if (declared.is_object()) return declared;
  for (const Said& each : requests("initialize")) {
    if (each.session == said.session) return member(each.message.params(), "capabilities");
  }
  return nullptr;
}

Finding& Review::add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail) {
  Finding& finding = findings_.emplace_back(requirement, kind, scenario_, std::move(detail));
  finding.party = Party::kClient;
  return finding;
}

void Review::held(catalogue::RequirementId requirement, const EventPtr& event) {
  add(Finding::Kind::kHeld, requirement, "").events = {event};
}

void Review::add_breach(catalogue::RequirementId requirement, std::string detail,
                        std::vector<EventPtr> events, std::string pointer, const Proof& proof) {
  // A client that is asked too often may refuse whatever it is asked.
  if (const auto limit = limit_in(events, Party::kClient)) {
    return unclear(requirement, limit->words(), std::move(events));
  }
  Finding& finding = add(Finding::Kind::kBroke, requirement, std::move(detail));
  finding.events = std::move(events);
  finding.pointer = std::move(pointer);
  finding.proof = proof;
}

Proof Review::absence_after(const std::vector<EventPtr>& events, std::string what) const {
  Absence absence;
  absence.awaited = std::move(what);
  if (events.empty() || !events.back()) return Proof::absence(std::move(absence));
  const EventPtr& last = events.back();
  for (const RecordedSession& session : sessions_) {
    const auto at = std::find(session.events.begin(), session.events.end(), last);
    if (at == session.events.end()) continue;
    for (auto later = at + 1; later != session.events.end(); ++later) {
      if ((*later)->is_from_client() && (*later)->carries_message()) absence.alive = *later;
    }
    absence.waited =
        std::chrono::duration_cast<std::chrono::milliseconds>(session.events.back()->at - last->at);
  }
  return Proof::absence(std::move(absence));
}

void Review::broke(catalogue::RequirementId requirement, std::string detail,
                   std::vector<EventPtr> events, std::string pointer) {
  const Proof proof = Proof::of(events, Party::kClient);
  add_breach(requirement, std::move(detail), std::move(events), std::move(pointer), proof);
}

void Review::missed(catalogue::RequirementId requirement, std::string detail,
                    std::vector<EventPtr> events, Awaited awaited, std::string pointer) {
  const Proof proof = absence_after(events, std::move(awaited.what));
  add_breach(requirement, std::move(detail), std::move(events), std::move(pointer), proof);
}

void Review::crossed(catalogue::RequirementId requirement, std::string detail,
                     std::vector<EventPtr> events) {
  add_breach(requirement, std::move(detail), std::move(events), "", Proof::order(false));
}

void Review::fell_silent(catalogue::RequirementId requirement, std::string detail,
                         std::vector<EventPtr> events) {
  const Proof proof = absence_after(events, "the next message").with_contrast();
  add_breach(requirement, std::move(detail), std::move(events), "", proof);
}

void Review::crashed(catalogue::RequirementId requirement, std::string detail,
                     std::vector<EventPtr> events) {
  add_breach(requirement, std::move(detail), std::move(events), "",
             Proof::crash(crash_).with_contrast());
}

void Review::check(catalogue::RequirementId requirement, bool did_hold, std::string detail,
                   std::vector<EventPtr> events, std::string pointer) {
  if (did_hold) {
    held(requirement, events.back());
  } else {
    broke(requirement, std::move(detail), std::move(events), std::move(pointer));
  }
}

void Review::unclear(catalogue::RequirementId requirement, std::string why,
                     std::vector<EventPtr> events) {
  add(Finding::Kind::kUnclear, requirement, std::move(why)).events = std::move(events);
}

void Review::left_open(catalogue::RequirementId requirement, std::string why,
                       std::vector<EventPtr> events) {
  add(Finding::Kind::kUnclear, requirement, std::move(why)).events = std::move(events);
  left_open_.insert(findings_.size() - 1);
}

void Review::expect_answer(std::string_view id, bool may_ask_person) {
  constexpr catalogue::RequirementId kRule = "jsonrpc.request-answered-once";
  const auto asked = question(id);
  if (!asked) return;
  const std::string method(asked->message.method());
  if (const auto answer = answer_to(id)) {
    held(kRule, answer->event);
  } else if (may_ask_person) {
    left_open(kRule, method + " was not answered in time; a person may have been asked",
              {asked->event});
  } else {
    missed(kRule, method + " was not answered", {asked->event}, {"the answer to " + method});
  }
}

void Review::not_exercised(catalogue::RequirementId requirement, std::string why) {
  add(Finding::Kind::kNotExercised, requirement, std::move(why));
}

void Review::not_applicable(catalogue::RequirementId requirement, std::string why) {
  add(Finding::Kind::kNotApplicable, requirement, std::move(why));
}

}  // namespace assay::harness
