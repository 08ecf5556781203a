#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/causes.h"
#include "harness/runner/confirmation.h"
#include "harness/runner/ending.h"
#include "harness/runner/evidence.h"
#include "harness/runner/extensions.h"
#include "harness/runner/obstacle.h"
#include "harness/runner/proofs.h"
#include "harness/runner/reproduce.h"
#include "harness/runner/verdicts.h"
#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"
#include "harness/script/pace.h"
#include "reference/wire/message.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// Fills in what only the session knows in which the breach was proved: what was asked, what stands
// around it, and how to see it again.
void tell(const TargetAccess& access, model::Revision revision, std::span<const EventPtr> events,
          Judgement& judgement) {
  Finding& finding = judgement.finding;
  if (!is_breach(finding) || finding.events.empty() || !finding.events.back()) return;
  const std::size_t index = static_cast<std::size_t>(finding.events.back()->n) - 1;
  if (index >= events.size() || events[index] != finding.events.back()) return;
  finding.events = with_requests(events, finding.events);
  finding.reproduce = reproduce(access, events, finding.events);
  const std::string_view scenario = scenario_of(judgement.from);
  if (finding.is_passive && !scenario.empty()) {
    judgement.history.insert(judgement.history.begin(),
                             {"played", std::string(scenario), "a monitor saw it in this session"});
  }
  if (finding.reproduce.empty() && !scenario.empty()) {
    finding.reproduce = reproduce_with_suite(access, revision, scenario);
  }
  judgement.evidence = make_evidence(events, finding.events, finding.pointer);
}

std::int64_t requests_in(const wire::Message& message) {
  std::int64_t out = message.kind() == wire::MessageKind::kRequest ? 1 : 0;
  for (const wire::Message& member : message.members()) out += requests_in(member);
  return out;
}

// The shard that the item of a run's plan belongs to, from 0. Runs begin with different shards,
// since the first item, the shared session, is the longest.
int shard_of(const reports::RunKey& run, std::size_t item, int shards) {
  std::size_t start = 0;
  for (const char c : run.revision + run.transport) {
    start = (start * 31 + static_cast<unsigned char>(c)) % 1'000'003;
  }
  return static_cast<int>((start + item) % static_cast<std::size_t>(shards));
}

// What an abandoned scenario has not judged is inconclusive, and says why.
void add_unjudged(const Scenario& scenario, const std::string& why, const std::string& caused_by,
                  Findings& findings) {
  for (const auto& requirement : scenario.requirements) {
    const bool is_judged = std::any_of(
        findings.begin(), findings.end(),
        [&](const Finding& finding) { return finding.requirement.text() == requirement.text(); });
    if (is_judged) continue;
    findings.emplace_back(requirement, Finding::Kind::kUnclear, std::string(scenario.name), why)
        .caused_by = caused_by;
  }
}

}  // namespace

TargetRun::TargetRun(const CertifyOptions& options, const TargetAccess& access,
                     model::Revision revision, Progress progress)
    : options_(options),
      context_{access, revision, options.patience, options.tools, options.stop, {}, false, {}},
      progress_(std::move(progress)),
      started_(Clock::now()) {
  const reports::Shard shard = options.shard;
  const auto is_ours = [&](std::size_t item) {
    return shard_of(key(), item, shard.total) == shard.index - 1;
  };
  owns_shared_session_ = is_ours(0);
  std::size_t item = 0;
  for (const Scenario& scenario : scenarios()) {
    if (!scenario.applies_to(revision, access.kind)) continue;
    const bool is_shared = scenario.session_use == Scenario::SessionUse::kShared;
    const bool belongs = is_shared ? owns_shared_session_ : is_ours(++item);
    if (belongs && options.wants(scenario.name)) plan_.push_back(&scenario);
  }
}

reports::RunKey TargetRun::key() const {
  return {std::string(context_.revision.text()), std::string(name(context_.access.kind))};
}

void TargetRun::keep(Judgements judgements) {
  // Nothing of a rule that held is shown but that it did: its events may go with their session.
  for (Judgement& judgement : judgements) {
    if (judgement.finding.kind != Finding::Kind::kHeld) continue;
    judgement.finding.events.clear();
    judgement.finding.more_events.clear();
  }
  const std::lock_guard lock(mutex_);
  std::move(judgements.begin(), judgements.end(), std::back_inserter(judgements_));
  bound_proofs(judgements_, context_.access.budget);
}

void TargetRun::close_first(bool is_judged) {
  if (!first_) return;
  first_->close();
  hand_over(*first_, "shared session");
  const auto events = first_->shared_transcript()->events();
  {
    // What scenarios found in it can be shown with what followed only now.
    const std::lock_guard lock(mutex_);
    for (Judgement& judgement : judgements_) {
      if (judgement.evidence.empty()) tell(context_.access, context_.revision, events, judgement);
    }
  }
  if (is_judged) keep(watch_session(*first_, plan_part(Part::kSharedSession)));
  first_.reset();
}

void TargetRun::run_shared() {
  for (const Scenario* scenario : plan_) {
    if (scenario->session_use != Scenario::SessionUse::kShared) continue;
    // A session that an earlier scenario lost does not take the later ones with it.
    const bool is_lost = first_ && (is_first_lost_ || has_ended(*first_->shared_transcript()));
    if (is_lost) close_first(!was_stopped());
    run_scenario(*scenario, first_.get());
  }
  const bool is_whole = !was_stopped();
  close_first(owns_shared_session_ && is_whole);
  if (!is_whole) is_incomplete_ = true;
}

void TargetRun::run_before_login() {
  context_.is_locked_out = true;
  for (const Scenario* scenario : plan_) {
    if (scenario->is_before_login) run_scenario(*scenario, nullptr);
  }
}

// That a server broke no other rule while it refused us says nothing for it.
void TargetRun::keep_what_is_told_from_outside() {
  std::erase_if(judgements_, [](const Judgement& judgement) {
    return judgement.finding.kind == Finding::Kind::kHeld &&
           !judgement.finding.requirement.text().starts_with("authorization.");
  });
}

void TargetRun::run_own(const Scenario& scenario) {
  if (!is_judged(scenario)) return progress_(*this, scenario.name, 0);
  // Where a target limits us, what others ask at the same time comes out of the same limit.
  const auto& pace = context_.access.pace;
  if (pace && pace->is_limited()) return put_off(scenario);
  run_scenario(scenario, nullptr);
}

void TargetRun::put_off(const Scenario& scenario) {
  constexpr std::string_view kWhy =
      "the server limits how often it may be asked, and the time to wait for it was used up";
  Findings findings;
  add_unjudged(scenario, std::string(kWhy), "", findings);
  Postponed postponed{&scenario, {}, false};
  for (Finding& finding : findings) {
    postponed.judgements.push_back({std::move(finding), plan_part(Part::kOwn, scenario.name), {}});
  }
  const std::lock_guard lock(mutex_);
  obstructed_.push_back(std::move(postponed));
}

void TargetRun::run_scenario(const Scenario& scenario, Connection* shared) {
  if (was_stopped()) {
    is_incomplete_ = true;
    return;
  }
  if (!is_judged(scenario)) return progress_(*this, scenario.name, 0);
  const auto start = Clock::now();
  if (take(scenario, play(scenario, shared, context_.patience))) {
    progress_(*this, scenario.name, milliseconds_since(start));
  }
}

bool TargetRun::take(const Scenario& scenario, Play play) {
  if (play.is_cut) {
    is_incomplete_ = true;
    return false;
  }
  if (play.is_late) {
    const std::lock_guard lock(mutex_);
    late_.push_back({&scenario, std::move(play.judgements), true});
    return false;
  }
  if (play.is_obstructed()) {
    const std::lock_guard lock(mutex_);
    obstructed_.push_back({&scenario, std::move(play.judgements), true});
    return false;
  }
  keep(std::move(play.judgements));
  return true;
}

bool TargetRun::Play::is_obstructed() const {
  return obstacle && std::any_of(judgements.begin(), judgements.end(), [](const Judgement& each) {
           return each.finding.kind == Finding::Kind::kUnclear;
         });
}

TargetRun::Play TargetRun::play(const Scenario& scenario, Connection* shared, Patience patience) {
  RunContext context = context_;
  context.patience = patience;
  Script script(context, std::string(scenario.name), shared);
  const std::size_t from_shared = shared == nullptr ? 0 : shared->mark();
  std::optional<Abandoned> abandoned;
  try {
    scenario.body(script);
  } catch (const Abandoned& reason) {
    abandoned = reason;
  }
  if (const auto why = script.cut_off(); why && !abandoned) abandoned = Abandoned(*why);
  const std::string from = plan_part(shared != nullptr ? Part::kShared : Part::kOwn, scenario.name);
  Play play;
  if (!was_stopped()) play.obstacle = find_obstacle(script, shared, from_shared);
  if (abandoned && abandoned->cause() == Abandoned::Cause::kTurnedAway) {
    play.obstacle = abandoned->why();
    if (const auto& pace = context_.access.pace) pace->pause({});
  }
  std::vector<std::vector<EventPtr>> sessions;
  for (const auto& connection : script.connections()) {
    connection->close();
    hand_over(*connection, scenario.name);
    Judgements watched = watch_session(*connection, from);
    std::move(watched.begin(), watched.end(), std::back_inserter(play.judgements));
    sessions.push_back(connection->shared_transcript()->events());
  }
  for (Finding& finding :
       findings_of(scenario, script, abandoned ? &*abandoned : nullptr, shared)) {
    if (play.obstacle && is_breach(finding)) {
      finding.kind = Finding::Kind::kUnclear;
      finding.detail = fmt::format("{}: {}", *play.obstacle, finding.detail);
    }
    Judgement& judgement = play.judgements.emplace_back(Judgement{std::move(finding), from, {}});
    for (const auto& events : sessions) tell(context_.access, context_.revision, events, judgement);
  }
  play.is_late = abandoned && abandoned->cause() == Abandoned::Cause::kLateStart;
  // Only now: a stop that came earlier may have changed what was found.
  play.is_cut = was_stopped();
  return play;
}

std::optional<std::string> TargetRun::find_obstacle(Script& script, Connection* shared,
                                                    std::size_t from) {
  std::optional<std::string> obstacle;
  // Not every limit is met by a request that keeps the pace.
  const auto& pace = context_.access.pace;
  const auto tell_pace = [&pace](const Connection& connection, std::size_t since) {
    if (!pace || pace->is_limited()) return;
    if (const auto limit = connection.limit_since(since)) pace->note(*limit);
  };
  try {
    if (shared != nullptr) tell_pace(*shared, from);
    for (const auto& connection : script.connections()) tell_pace(*connection, 0);
    if (shared != nullptr) obstacle = obstacle_on(*shared, from);
    if (obstacle) is_first_lost_ = has_lost_session(*shared, from);
    for (const auto& connection : script.connections()) {
      if (!obstacle) obstacle = obstacle_on(*connection, 0);
    }
  } catch (const Abandoned&) {
    // A stop: nothing of the scenario counts.
  }
  return obstacle;
}

Findings TargetRun::findings_of(const Scenario& scenario, Script& script,
                                const Abandoned* abandoned, Connection* shared) {
  Findings findings = script.take_findings();
  std::string why = abandoned == nullptr ? std::string() : abandoned->why();
  std::string caused_by;
  const auto note_end = [&](const Connection& connection) {
    auto end = unexpected_end(connection.shared_transcript()->events(), context_.revision,
                              context_.access.kind, scenario.name);
    if (!end) return;
    caused_by = end->requirement.text();
    if (why.empty()) why = end->detail;
    // What the scenario says of the same rule for want of an answer is the same breach.
    std::erase_if(findings, [&](const Finding& finding) {
      return is_breach(finding) && finding.requirement == end->requirement &&
             finding.proof.rests_on_silence();
    });
    for (Finding& finding : findings) {
      if (finding.kind == Finding::Kind::kUnclear) finding.caused_by = caused_by;
    }
    findings.push_back(*std::move(end));
  };
  for (const auto& connection : script.connections()) note_end(*connection);
  if (shared != nullptr && has_ended(*shared->shared_transcript())) note_end(*shared);
  if (!why.empty()) add_unjudged(scenario, why, caused_by, findings);
  return findings;
}

void TargetRun::count_cost(const Connection& connection) {
  reports::Cost cost{.sessions = 1};
  for (const EventPtr& event : connection.shared_transcript()->events()) {
    const wire::Message* message = event->message();
    const std::size_t size = event->observation.bytes().size();
    if (!event->is_from_client()) {
      cost.bytes_received += size;
      continue;
    }
    cost.bytes_sent += size;
    if (message != nullptr) cost.requests += requests_in(*message);
  }
  const std::lock_guard lock(mutex_);
  cost_ += cost;
}

void TargetRun::hand_over(const Connection& connection, std::string_view scenario) {
  count_cost(connection);
  if (!options_.on_transcript) return;
  const reports::RunKey run = key();
  options_.on_transcript(run.revision + " " + run.transport, scenario,
                         connection.shared_transcript()->events());
}

Judgements TargetRun::watch_session(const Connection& connection, const std::string& from) const {
  const auto events = connection.shared_transcript()->events();
  Judgements judgements;
  const Trace trace{events, context_.access.kind, Party::kServer, context_.revision};
  for (Finding& finding : watch(trace)) {
    tell(context_.access, context_.revision, events,
         judgements.emplace_back(Judgement{std::move(finding), from, {}}));
  }
  return judgements;
}

void TargetRun::withdraw_unconfirmed() {
  constexpr std::string_view kWhy = "the run was interrupted before this was tried again";
  settle_without_second_look(judgements_, kWhy);
  for (Judgement& judgement : judgements_) {
    Finding& finding = judgement.finding;
    // Whoever stopped the run may have stopped the server, too.
    const bool is_proven =
        !finding.proof.lacks_answer() && finding.proof.kind() != Proof::Kind::kCrash;
    if (!is_breach(finding) || is_proven) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", kWhy, finding.detail);
  }
  // What nobody spoke of was not asked: that is no property of the server.
  cause_ = "the run was interrupted";
  cause_verdict_.clear();
}

std::string TargetRun::remark_on_limits() const {
  const auto& pace = context_.access.pace;
  if (!pace || !pace->is_limited()) return "";
  return fmt::format(
      "the server limits how often it may be asked: waited {:.1f} s because of it, of {} s at most",
      std::chrono::duration<double>(pace->waited()).count(), Pace::kBudget.count() / 1000);
}

reports::Run TargetRun::finish(reports::Target& target) {
  if (is_incomplete_) {
    status_ = RunStatus::kIncomplete;
    reason_ = server_.is_object() ? "the run was interrupted before it had come to its end"
                                  : "the run was interrupted before it had begun";
    withdraw_unconfirmed();
  }
  reports::Run run;
  run.revision = key().revision;
  run.transport = key().transport;
  run.status = status_;
  run.reason = reason_;
  if (run.reason.empty()) run.reason = remark_on_limits();
  run.duration_ms = milliseconds_since(started_);
  run.cost = cost_;
  run.extensions =
      reported_extensions(context_.extensions, declared_by_server(context_.revision, server_));
  if (server_.is_object() && target.name.empty()) {
    const Json& info = context_.revision.has_handshake()
                           ? member(server_, "serverInfo")
                           : member(member(server_, "_meta"), "io.modelcontextprotocol/serverInfo");
    if (info.is_object() && info.value("name", Json()).is_string()) target.name = info["name"];
    if (info.is_object() && info.value("version", Json()).is_string()) {
      target.version = info["version"];
    }
  }
  // What a later version of the catalogue brought is no cause either.
  std::erase_if(judgements_, [&](const Judgement& judgement) {
    const auto* requirement = catalogue::find(judgement.finding.requirement.text());
    return requirement == nullptr || !requirement->existed_in(options_.catalogue_version);
  });
  if (context_.is_locked_out) keep_what_is_told_from_outside();
  // Which thread was quicker must not decide which evidence is shown.
  std::stable_sort(judgements_.begin(), judgements_.end(),
                   [](const Judgement& a, const Judgement& b) { return a.from < b.from; });
  name_causes(judgements_);
  run.shard = options_.shard;
  // It could be judged a little before it ended: what was broken by then stands.
  const bool ended_early = status_ != RunStatus::kConformant;
  const auto breaks = [](const Judgement& judgement) { return is_breach(judgement); };
  const bool has_verdicts = !ended_early || context_.is_locked_out ||
                            (is_incomplete_ && server_.is_object()) ||
                            std::any_of(judgements_.begin(), judgements_.end(), breaks);
  if (!has_verdicts) return run;
  VerdictInput input{context_.revision,
                     context_.access.kind,
                     server_,
                     judgements_,
                     cause_.empty() ? reason_ : cause_,
                     cause_verdict_,
                     options_.wants,
                     options_.catalogue_version};
  input.extensions = context_.extensions;
  auto candidates = make_candidates(input);
  if (run.shard.is_part()) run.candidates = reports::worth_keeping(candidates);
  run.verdicts = reports::settle(std::move(candidates));
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (is_violated && !is_incomplete_) run.status = RunStatus::kViolations;
  return run;
}

}  // namespace assay::harness
