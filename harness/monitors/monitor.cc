#include "harness/monitors/monitor.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/era_watch.h"
#include "harness/monitors/http_lanes.h"
#include "harness/monitors/inputs.h"
#include "harness/monitors/live_watch.h"
#include "harness/monitors/session_view.h"
#include "harness/script/limit.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

// Filled before main() by the registrations, and only read afterwards.
std::vector<MonitorFactory>& registered() {
  static std::vector<MonitorFactory> all;
  return all;
}

bool is_answer(const Message& message) {
  return message.id() && message.method().empty() && message.kind() != MessageKind::kBatch;
}

// Feeds every monitor, each with a judge of its own, for every party under test.
class Driver {
 public:
  Driver(const Trace& trace, model::Revision revision)
      : is_revision_open_(!trace.revision),
        gap_(trace.gap),
        is_altered_(trace.is_altered),
        session_(revision),
        view_(revision, trace.transport),
        eras_(revision) {
    for (const Party party : {Party::kServer, Party::kClient}) {
      if (!trace.is_under_test(party)) continue;
      for (const MonitorFactory factory : monitors()) {
        auto monitor = factory();
        if (!monitor->holds_in(revision) || monitor->requirements(party).empty()) continue;
        Judge judge(std::string(monitor->name()), party);
        watchers_.emplace_back(std::move(monitor), std::move(judge));
      }
    }
  }

  void show(const EventPtr& event) {
    eras_.note(*event);
    for (auto& [monitor, judge] : watchers_) monitor->on_event(event, view_, judge);
    if (event->message() == nullptr || repeated_.note(*event)) return;
    show_message(event, *event->message(), false);
  }

  // The breaches that were found since this was asked last.
  Findings take_breaches() {
    Findings all;
    for (auto& [monitor, judge] : watchers_) {
      Findings some = judge.take();
      if (some.empty()) continue;
      judge = Judge(std::string(monitor->name()), judge.judged());
      if (!gap_.empty()) excuse(*monitor, some);
      for (const Finding& each : some) {
        if (each.kind == Finding::Kind::kHeld) held_[each.party].insert(each.requirement.text());
      }
      // What has to be seen twice is told at the end, if at all.
      std::erase_if(some, [](const Finding& each) {
        return each.kind != Finding::Kind::kBroke || each.proof.needs_second_look();
      });
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

  // What was held until take_breaches() was asked last.
  const std::set<std::string_view>& held(Party party) { return held_[party]; }

  // `is_whole`: the events went on to the end of the connection.
  Findings finish(bool is_whole) {
    Findings all;
    for (auto& [monitor, judge] : watchers_) {
      if (is_whole) monitor->on_end(view_, judge);
      Findings some = judge.take();
      if (!is_revision_open_) std::erase_if(some, [&](const Finding& f) { return is_moot(f); });
      for (Finding& finding : some) excuse_limited(finding);
      if (!gap_.empty()) excuse(*monitor, some);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

 private:
  // What a server says about a limit is no answer to what it was asked.
  static void excuse_limited(Finding& finding) {
    if (finding.kind != Finding::Kind::kBroke || finding.party != Party::kServer) return;
    const auto limit = limit_in(finding.events);
    if (!limit) return;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", limit->words(), finding.detail);
  }

  // What passed unseen may explain what looks like a breach.
  void excuse(const Monitor& monitor, Findings& findings) const {
    for (Finding& finding : findings) {
      if (finding.kind != Finding::Kind::kBroke) continue;
      if (!is_altered_ && !monitor.rests_on_history(finding.requirement)) continue;
      finding.kind = Finding::Kind::kUnclear;
      finding.detail =
          fmt::format("{}, and what is missing may explain this: {}", gap_, finding.detail);
    }
  }

  // A monitor may know rules that other revisions have, or that bind the other party by now. What
  // breaks a rule of another revision is no verdict, but silence may come of it: that is kept.
  bool is_moot(const Finding& finding) const {
    if (finding.kind == Finding::Kind::kBroke && session_.has_sessions()) return false;
    const auto* requirement = catalogue::find(finding.requirement.text());
    return !(finding.party == Party::kServer ? requirement->binds_server_in(session_)
                                             : requirement->binds_client_in(session_));
  }

  void show_message(const EventPtr& event, const Message& message, bool is_member) {
    Sighting sighting{event, message, false, is_member, nullptr};
    if (is_answer(message)) sighting.exchange = view_.answered_by(message, event->speaker());
    if (is_revision_open_) view_.set_revision(revision_at(sighting));
    const bool is_stateless = view_.revision().is_stateless();
    if (is_stateless) view_.set_request(request_at(sighting));
    // Which of two requests with one id an answer belongs to, nobody knows.
    const bool is_ambiguous = sighting.exchange != nullptr && sighting.exchange->is_ambiguous;
    if (!eras_.is_of_another(sighting) && !is_ambiguous) {
      for (auto& [monitor, judge] : watchers_) {
        sighting.is_from_judged = event->is_from(judge.judged());
        monitor->on_message(sighting, view_, judge);
      }
      if (is_stateless) show_inputs(sighting);
    }
    view_.note(sighting);
    eras_.note(sighting);
    for (const Message& member : message.members()) show_message(event, member, true);
  }

  // The requests and answers that stand inside of a message.
  void show_inputs(const Sighting& outer) {
    for (const Input& input : inputs_.take(outer)) {
      Sighting sighting{outer.event, input.message, false, false, nullptr};
      if (input.answers) sighting.exchange = &*input.answers;
      sighting.is_of_task = input.is_of_task;
      for (auto& [monitor, judge] : watchers_) {
        sighting.is_from_judged = outer.event->is_from(judge.judged());
        judge.set_place(input.pointer);
        monitor->on_input(sighting, view_, judge);
        judge.set_place("");
      }
    }
  }

  // The request that a message is, or answers; null for what the server says by itself.
  static const Message* request_at(const Sighting& sighting) {
    if (sighting.exchange != nullptr) return &sighting.exchange->request;
    return sighting.event->is_from_client() ? &sighting.message : nullptr;
  }

  // Every message of a stateless revision names its own, and its answer is in the same.
  model::Revision revision_at(const Sighting& sighting) const {
    const Message& telling =
        sighting.exchange != nullptr ? sighting.exchange->request : sighting.message;
    return revision_of(telling).value_or(session_);
  }

  const bool is_revision_open_;
  const std::string gap_;
  const bool is_altered_;
  const model::Revision session_;
  SessionView view_;
  EraWatch eras_;
  Inputs inputs_;
  RepeatedMessages repeated_;
  std::map<Party, std::set<std::string_view>> held_;
  std::vector<std::pair<std::unique_ptr<Monitor>, Judge>> watchers_;
};

}  // namespace

Finding& Judge::add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail,
                    std::vector<EventPtr> events, std::string pointer) {
  // One breach proves a rule broken; a few more help a reader, a thousand do not.
  constexpr std::size_t kMostOfAKind = 3;
  constexpr std::size_t kMostMoreEvents = 1'000;
  std::vector<std::size_t>& told = told_[{requirement.text(), kind}];
  if (told.size() >= kMostOfAKind) {
    auto& more = findings_[told.back()].more_events;
    if (more.size() < kMostMoreEvents) more.insert(more.end(), events.begin(), events.end());
    return findings_[told.back()];
  }
  told.push_back(findings_.size());
  Finding& finding = findings_.emplace_back(requirement, kind, name_, std::move(detail));
  finding.is_passive = true;
  finding.party = judged_;
  finding.pointer = place_ + pointer;
  finding.events = std::move(events);
  return finding;
}

void Judge::held(catalogue::RequirementId requirement, const EventPtr& event) {
  add(Finding::Kind::kHeld, requirement, "", {event}, "");
}

void Judge::broke(catalogue::RequirementId requirement, std::string detail,
                  std::vector<EventPtr> events, std::string pointer) {
  add(Finding::Kind::kBroke, requirement, std::move(detail), std::move(events), std::move(pointer));
}

void Judge::crossed(catalogue::RequirementId requirement, std::string detail,
                    std::vector<EventPtr> events, bool is_kept_by_transport) {
  add(Finding::Kind::kBroke, requirement, std::move(detail), std::move(events), "").proof =
      Proof::order(is_kept_by_transport);
}

void Judge::unclear(catalogue::RequirementId requirement, std::string detail,
                    std::vector<EventPtr> events) {
  add(Finding::Kind::kUnclear, requirement, std::move(detail), std::move(events), "");
}

void Judge::check(catalogue::RequirementId requirement, bool did_hold, std::string_view detail,
                  const EventPtr& event, std::string pointer) {
  if (did_hold) {
    held(requirement, event);
  } else {
    broke(requirement, std::string(detail), {event}, std::move(pointer));
  }
}

void register_monitor(MonitorFactory factory) {
  registered().push_back(factory);
}

std::span<const MonitorFactory> monitors() {
  return registered();
}

class LiveWatch::Impl : public Driver {
  using Driver::Driver;
};

LiveWatch::LiveWatch(TransportKind transport, bool has_gap)
    : transport_(transport), has_gap_(has_gap) {}
LiveWatch::~LiveWatch() = default;

void LiveWatch::begin() {
  // What was asked for may not be what is agreed on: the answer tells.
  revision_ = has_server_spoken_ ? revision_of(early_) : std::nullopt;
  if (!revision_) return;
  Trace trace;
  trace.transport = transport_;
  if (has_gap_) trace.gap = "what came before is not known";
  impl_ = std::make_unique<Impl>(trace, *revision_);
  for (const EventPtr& event : early_) impl_->show(event);
  early_.clear();
}

void LiveWatch::give_up() {
  is_over_ = true;
  impl_ = nullptr;
  early_.clear();
}

Findings LiveWatch::show(const EventPtr& event) {
  bytes_ += event->message() == nullptr ? event->observation.bytes().size()
                                        : event->message()->held_bytes();
  is_over_ = is_over_ || ++events_ > Transcript::kMaxEvents || bytes_ > Transcript::kMaxBytes ||
             event->observation.kind == transport::Observation::Kind::kCutOff;
  if (is_over_) {
    give_up();
    return {};
  }
  has_server_spoken_ = has_server_spoken_ || (event->is_from_server() && event->carries_message());
  if (impl_) {
    impl_->show(event);
  } else {
    early_.push_back(event);
    begin();
  }
  return impl_ ? impl_->take_breaches() : Findings();
}

std::set<std::string_view> LiveWatch::held(Party party) const {
  return impl_ ? impl_->held(party) : std::set<std::string_view>();
}

Findings watch(const Trace& trace) {
  const auto revision = trace.revision ? trace.revision : revision_of(trace.events);
  if (!revision) return {};
  Driver driver(trace, *revision);
  for (const EventPtr& event : trace.events) {
    // What was not read any more proves nothing, and what was not done by then neither.
    if (event->observation.kind == transport::Observation::Kind::kCutOff) {
      return driver.finish(false);
    }
    driver.show(event);
  }
  return driver.finish(trace.is_whole);
}

}  // namespace assay::harness
