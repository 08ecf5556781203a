#include "harness/host/client_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/runner/confirmation.h"
#include "harness/runner/extensions.h"
#include "harness/runner/proofs.h"
#include "harness/runner/verdicts.h"

namespace assay::harness {
namespace {

// What is provoked a second time, because something did not come, has this many times as long.
constexpr int kMorePatience = 3;
// Then what a client sent before it read the answer to initialize is not taken for a later request.
constexpr std::chrono::milliseconds kLateOpening{250};
// A client that ended badly so often alone as well is not tried again for that.
constexpr int kMostInVain = 3;

}  // namespace

bool ended_well(const ClientScenario& scenario, const GuestEnd& end) {
  const bool is_exit = end.kind == GuestEnd::Kind::kExited && !end.exit.signal;
  const bool has_waited = end.kind == GuestEnd::Kind::kLate && scenario.enough.count() > 0;
  return end.is_sound() || (is_exit && scenario.may_fail) || has_waited;
}

ClientRun::ClientRun(const CertifyClientOptions& options, model::Revision revision,
                     Company& company)
    : options_(options),
      revision_(revision),
      transport_(options.command.transport),
      company_(company),
      allowance_(options.patience.scenario) {}

std::vector<const ClientScenario*> ClientRun::plan() const {
  std::vector<const ClientScenario*> plan;
  for (const ClientScenario& scenario : client_scenarios()) {
    const bool is_in = scenario.applies_to(revision_, transport_);
    if (is_in && options_.wants(scenario.name)) plan.push_back(&scenario);
  }
  return plan;
}

std::vector<std::vector<const ClientScenario*>> ClientRun::rows() const {
  std::vector<std::vector<const ClientScenario*>> rows;
  std::map<std::string_view, std::size_t> of_topic;
  for (const ClientScenario* scenario : plan()) {
    const auto known = of_topic.find(scenario->topic);
    if (!scenario->topic.empty() && known != of_topic.end()) {
      rows[known->second].push_back(scenario);
      continue;
    }
    of_topic[scenario->topic] = rows.size();
    rows.push_back({scenario});
  }
  return rows;
}

reports::RunKey ClientRun::key() const {
  return {std::string(revision_.text()), std::string(name(transport_))};
}

std::optional<Performance> ClientRun::perform_once(const ClientScenario& scenario,
                                                   const ClientPatience& patience) {
  ClientPatience bounded = patience;
  if (scenario.enough.count() > 0) bounded.scenario = std::min(bounded.scenario, scenario.enough);
  Known known;
  {
    const std::lock_guard lock(mutex_);
    const Topic& topic = topics_[scenario.topic];
    known = {topic.is_mastered, topic.feats};
    if (!began_) began_ = Clock::now();
  }
  auto played =
      perform(scenario, revision_, options_.command, bounded, known, options_.vault, options_.stop);
  const std::lock_guard lock(mutex_);
  ended_ = Clock::now();
  if (auto* performance = std::get_if<Performance>(&played)) return std::move(*performance);
  trouble_ = std::get<std::string>(played);
  return std::nullopt;
}

std::optional<Performance> ClientRun::perform_alone(const ClientScenario& scenario,
                                                    bool is_for_patience) {
  if (options_.stop.stop_requested()) return std::nullopt;
  ClientPatience patience = options_.patience;
  if (is_for_patience) {
    patience.question *= kMorePatience;
    patience.scenario *= 2;
    patience.opening = kLateOpening;
  } else {
    // Of a client that never ends, no second look at how it ends is awaited to the full either.
    const std::lock_guard lock(mutex_);
    patience.scenario = allowance_.next();
  }
  return perform_once(scenario, patience);
}

// A client that keeps a file or a port may be in its own way.
bool ClientRun::is_worth_a_look_alone(const ClientScenario& scenario, const GuestEnd& end) const {
  return options_.jobs > 1 && !ended_well(scenario, end) &&
         end.kind != GuestEnd::Kind::kNotStarted && company_.no_better_alone < kMostInVain;
}

bool ClientRun::is_out_of_scope(const ClientScenario& scenario) const {
  const model::Extension* const extension = model::find_extension(scenario.extension);
  if (extension == nullptr) return false;
  if (!participation_.took_part && !extension->is_draft) return false;
  const auto wanted = declared_ | asked_for_in(revision_, options_.extensions);
  return !wanted.contains(model::index_of(*extension));
}

bool ClientRun::play(const ClientScenario& scenario) {
  ClientPatience patience = options_.patience;
  {
    const std::lock_guard lock(mutex_);
    if (is_mute()) return false;
    if (topics_[scenario.topic].is_idle || is_out_of_scope(scenario)) return true;
    patience.scenario = allowance_.next();
    if (const auto missing = missing_way(scenario, options_.command)) {
      unplayed_.emplace(scenario.name, *missing);
      return true;
    }
  }
  std::shared_lock beside_others(company_.stage);
  auto first = perform_once(scenario, patience);
  beside_others.unlock();
  if (!first || was_cut(*first)) return false;
  note_pace(scenario, *first);
  Judgements judgements = judge(scenario, *first);
  bool is_taken_up = first->was_taken_up;
  bool is_started = first->end.kind != GuestEnd::Kind::kNotStarted;
  learn_from(scenario, *first);
  const bool is_open = needs_second_look(judgements);
  std::unique_lock alone(company_.stage, std::defer_lock);
  if (is_open || is_worth_a_look_alone(scenario, first->end)) alone.lock();
  // Others may have looked in vain while this one waited for its turn.
  if (is_open || (alone.owns_lock() && is_worth_a_look_alone(scenario, first->end))) {
    auto second = perform_alone(scenario, is_open);
    if (!second || was_cut(*second)) {
      settle_without_second_look(judgements, "the run ended before it could be tried again");
      note_judgements(scenario, std::move(judgements), is_taken_up);
      return false;
    }
    const bool was_bad = !ended_well(scenario, first->end);
    if (was_bad && !ended_well(scenario, second->end)) ++company_.no_better_alone;
    is_taken_up = is_taken_up || second->was_taken_up;
    is_started = is_started && second->end.kind != GuestEnd::Kind::kNotStarted;
    learn_from(scenario, *second);
    judgements = confirmed(std::move(judgements), judge(scenario, *second));
  }
  if (alone.owns_lock()) alone.unlock();
  note_judgements(scenario, std::move(judgements), is_taken_up);
  return is_started;
}

void ClientRun::note_pace(const ClientScenario& scenario, const Performance& performance) {
  const std::lock_guard lock(mutex_);
  if (performance.end.kind != GuestEnd::Kind::kLate)
    return allowance_.note_end(performance.duration);
  ++late_count_;
  // There a client that waits on is ended early by design.
  if (scenario.enough.count() == 0) allowance_.note_late();
}

// What a stop cut short counts for nothing.
bool ClientRun::was_cut(const Performance& performance) {
  const std::lock_guard lock(mutex_);
  was_stopped_ = was_stopped_ || performance.end.kind == GuestEnd::Kind::kStopped;
  return was_stopped_;
}

void ClientRun::note_judgements(const ClientScenario& scenario, Judgements judgements,
                                bool is_taken_up) {
  bound_proofs(judgements, nullptr);
  const std::lock_guard lock(mutex_);
  judgements_[scenario.name] = std::move(judgements);
  if (scenario.topic.empty()) return;
  Topic& topic = topics_[scenario.topic];
  topic.is_idle = topic.is_idle || (!topic.was_played && !is_taken_up);
  topic.was_played = true;
}

void ClientRun::learn_from(const ClientScenario& scenario, const Performance& performance) {
  for (const RecordedSession& session : performance.sessions) hand_over(scenario, session);
  if (!performance.beside.events.empty()) hand_over(scenario, performance.beside);
  const std::lock_guard lock(mutex_);
  note_end(scenario, performance.end, performance.participation.took_part);
  was_reached_ = was_reached_ || performance.was_reached;
  has_spoken_ = has_spoken_ || performance.has_spoken;
  participation_.add(performance.participation);
  if (shortfall_.empty()) shortfall_ = performance.shortfall;
  if (!scenario.topic.empty()) {
    Topic& topic = topics_[scenario.topic];
    topic.is_mastered = topic.is_mastered || performance.has_succeeded;
    Feats feats = performance.feats;
    topic.feats.merge(feats);
  }
  for (const RecordedSession& session : performance.sessions) {
    cost_ += cost_of_session(session.events, Party::kClient);
    const Introductions said = introductions_in(session.events);
    if (said.server.is_object()) server_.merge_patch(said.server);
    if (said.client.is_object()) client_.merge_patch(said.client);
    declared_ = declared_ | declared_by_client(revision_, session.events);
  }
}

void ClientRun::hand_over(const ClientScenario& scenario, const RecordedSession& session) const {
  if (!options_.on_transcript) return;
  const reports::RunKey run = key();
  options_.on_transcript(fmt::format("{} {}", run.revision, run.transport), scenario.name,
                         session.events);
}

void ClientRun::note_end(const ClientScenario& scenario, const GuestEnd& end, bool took_part) {
  has_contrast_ = has_contrast_ || (end.is_sound() && took_part);
  ends_[scenario.name] = end;
}

// What its monitors and its review say of one performance.
Judgements ClientRun::judge(const ClientScenario& scenario, const Performance& performance) const {
  const std::string from = plan_part(Part::kOwn, scenario.name);
  Judgements all;
  const auto add = [&all](Judgements judgements) {
    std::move(judgements.begin(), judgements.end(), std::back_inserter(all));
  };
  for (const RecordedSession& session : performance.sessions) {
    add(judge_session(session, Party::kClient, revision_, from));
  }
  for (std::size_t i = 0; i < performance.findings.size(); ++i) {
    Finding finding = performance.findings[i];
    excuse(scenario, performance, finding);
    std::span<const EventPtr> around;
    const auto look_in = [&](const RecordedSession& session) {
      const bool is_here =
          !finding.events.empty() && std::find(session.events.begin(), session.events.end(),
                                               finding.events.back()) != session.events.end();
      if (is_here) around = session.events;
    };
    for (const RecordedSession& session : performance.sessions) look_in(session);
    look_in(performance.beside);
    Findings one;
    one.push_back(std::move(finding));
    Judgements judged = with_evidence(std::move(one), around, from);
    if (performance.left_open.contains(i)) {
      const Finding& open = judged.front().finding;
      judged.front().history.push_back({std::string(reports::kLeftOpen), open.judge, open.detail});
    }
    add(std::move(judged));
  }
  return all;
}

// A client is not accused where we kept less than came; nor, of something that did not come, where
// it was gone.
void ClientRun::excuse(const ClientScenario& scenario, const Performance& performance,
                       Finding& finding) {
  if (!is_breach(finding)) return;
  const bool is_gone = finding.proof.needs_second_look() && !finding.proof.needs_contrast() &&
                       !ended_well(scenario, performance.end);
  if (!performance.shortfall.empty()) {
    finding.detail = fmt::format("{}: {}", performance.shortfall, finding.detail);
  } else if (is_gone) {
    // That it is gone is said once.
    finding.detail = "the client did not answer, and " + performance.end.text();
  } else {
    return;
  }
  finding.kind = Finding::Kind::kUnclear;
}

}  // namespace assay::harness
