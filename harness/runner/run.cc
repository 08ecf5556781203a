#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/causes.h"
#include "harness/runner/ending.h"
#include "harness/runner/evidence.h"
#include "harness/runner/reproduce.h"
#include "harness/runner/verdicts.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// A confirmation waits longer than the first try did.
constexpr int kConfirmationFactor = 2;
constexpr int kGraceFactor = 8;

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

bool is_breach(const Finding& finding) {
  return finding.kind == Finding::Kind::kBroke;
}

bool is_breach(const Judgement& judgement) {
  return is_breach(judgement.finding);
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
  if (finding.reproduce.empty() && !scenario.empty()) {
    finding.reproduce = reproduce_with_suite(access, revision, scenario);
  }
  judgement.evidence = make_evidence(events, finding.events, finding.pointer);
}

// The shard that the item of a run's plan belongs to, from 0. Runs begin with different shards,
// since the first item, the shared session, is the longest.
int shard_of(const reports::RunKey& run, std::size_t item, int shards) {
  std::size_t start = 0;
  for (const unsigned char c : run.revision + run.transport) start = (start * 31 + c) % 1'000'003;
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
      context_{access, revision, options.patience, options.tools, options.stop, {}},
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
    if (context_.stop.stop_requested()) break;
    // A session that an earlier scenario lost does not take the later ones with it.
    if (first_ && has_ended(*first_->shared_transcript())) close_first(true);
    run_scenario(*scenario, first_.get());
  }
  close_first(owns_shared_session_);
}

void TargetRun::run_own(const Scenario& scenario) {
  if (!context_.stop.stop_requested()) run_scenario(scenario, nullptr);
}

void TargetRun::run_scenario(const Scenario& scenario, Connection* shared) {
  const auto start = Clock::now();
  keep(play(scenario, shared, context_.patience));
  progress_(*this, scenario.name, milliseconds_since(start));
}

Judgements TargetRun::play(const Scenario& scenario, Connection* shared, Patience patience) {
  RunContext context = context_;
  context.patience = patience;
  Script script(context, std::string(scenario.name), shared);
  std::string abandoned;
  try {
    scenario.body(script);
  } catch (const Abandoned& reason) {
    abandoned = reason.why();
  }
  const std::string from = plan_part(shared != nullptr ? Part::kShared : Part::kOwn, scenario.name);
  Judgements judgements;
  std::vector<std::vector<EventPtr>> sessions;
  for (const auto& connection : script.connections()) {
    connection->close();
    hand_over(*connection, scenario.name);
    Judgements watched = watch_session(*connection, from);
    std::move(watched.begin(), watched.end(), std::back_inserter(judgements));
    sessions.push_back(connection->shared_transcript()->events());
  }
  Findings findings = script.take_findings();
  std::string caused_by;
  const auto note_end = [&](const Connection& connection) {
    if (context_.stop.stop_requested()) return;
    auto end = unexpected_end(connection.shared_transcript()->events(), context_.revision,
                              context_.access.kind, scenario.name);
    if (!end) return;
    caused_by = end->requirement.text();
    if (abandoned.empty()) abandoned = end->detail;
    // What the scenario says of the same rule for want of an answer is the same breach.
    std::erase_if(findings, [&](const Finding& finding) {
      return is_breach(finding) && finding.requirement == end->requirement &&
             (finding.lacks_answer || finding.depends_on_time);
    });
    for (Finding& finding : findings) {
      if (finding.kind == Finding::Kind::kUnclear) finding.caused_by = caused_by;
    }
    findings.push_back(*std::move(end));
  };
  for (const auto& connection : script.connections()) note_end(*connection);
  if (shared != nullptr && has_ended(*shared->shared_transcript())) note_end(*shared);
  if (!abandoned.empty()) add_unjudged(scenario, abandoned, caused_by, findings);
  for (Finding& finding : findings) {
    Judgement& judgement = judgements.emplace_back(Judgement{std::move(finding), from, {}});
    for (const auto& events : sessions) tell(context_.access, context_.revision, events, judgement);
  }
  return judgements;
}

void TargetRun::hand_over(const Connection& connection, std::string_view scenario) const {
  if (!options_.on_transcript) return;
  const reports::RunKey run = key();
  options_.on_transcript(run.revision + " " + run.transport, scenario,
                         connection.shared_transcript()->events());
}

Judgements TargetRun::watch_session(const Connection& connection, const std::string& from) const {
  const auto events = connection.shared_transcript()->events();
  Judgements judgements;
  for (Finding& finding : watch(events, context_.revision, context_.access.kind)) {
    tell(context_.access, context_.revision, events,
         judgements.emplace_back(Judgement{std::move(finding), from, {}}));
  }
  return judgements;
}

void TargetRun::confirm_muteness() {
  Patience patience = context_.patience;
  patience.request *= kConfirmationFactor;
  Connection connection(context_.access, context_.revision, patience, context_.stop);
  const bool is_open = !connection.open() && connection.initialize().is_answered();
  const bool is_answered = is_open && connection.request("ping").is_answered();
  connection.close();
  if (!is_answered) return;
  is_mute_ = false;
  cause_.clear();
  cause_verdict_.clear();
  std::erase_if(judgements_,
                [](const Judgement& judgement) { return judgement.finding.judge == "opening"; });
  if (!open_first()) return;
  take_survey();
  for (const Scenario* scenario : plan_) {
    if (scenario->session_use == Scenario::SessionUse::kOwn) run_own(*scenario);
  }
  run_shared();
}

void TargetRun::confirm_presence() {
  if (context_.access.kind == TransportKind::kStdio || status_ != RunStatus::kConformant) return;
  const bool is_missed =
      std::any_of(judgements_.begin(), judgements_.end(), [](const Judgement& judgement) {
        const Finding& finding = judgement.finding;
        return is_breach(finding) && finding.lacks_answer && !finding.events.empty() &&
               finding.events.back()->observation.kind == Kind::kBroken;
      });
  if (!is_missed) return;
  Connection connection(context_.access, context_.revision, context_.patience, context_.stop);
  const auto failure = connection.open();
  const Reply reply =
      failure ? Reply(Reply::Kind::kGone, {}, std::nullopt, 0) : connection.initialize();
  connection.close();
  if (reply.kind() != Reply::Kind::kGone) return;
  status_ = RunStatus::kFailed;
  reason_ = "the server went away during the run, and cannot be reached any more";
  for (Judgement& judgement : judgements_) {
    Finding& finding = judgement.finding;
    if (!is_breach(finding) || !(finding.lacks_answer || finding.depends_on_time)) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", reason_, finding.detail);
  }
}

void TargetRun::confirm_timing() {
  if (context_.stop.stop_requested()) return;
  if (is_mute_) {
    confirm_muteness();
    if (is_mute_) return;
  }
  confirm_presence();
  std::set<std::string_view> suspects;
  for (const Judgement& judgement : judgements_) {
    if (is_breach(judgement) && judgement.finding.depends_on_time) {
      suspects.insert(judgement.finding.judge);
    }
  }
  for (const Scenario* scenario : plan_) {
    if (!suspects.contains(scenario->name) || context_.stop.stop_requested()) continue;
    Patience patience = context_.patience;
    patience.start *= kConfirmationFactor;
    patience.request *= kConfirmationFactor;
    patience.close *= kConfirmationFactor;
    patience.grace *= kGraceFactor;
    Judgements again = play(*scenario, nullptr, patience);
    for (Judgement& judgement : judgements_) {
      Finding& finding = judgement.finding;
      if (finding.judge != scenario->name || !finding.depends_on_time) continue;
      const bool is_confirmed =
          std::any_of(again.begin(), again.end(), [&](const Judgement& other) {
            return is_breach(other) &&
                   other.finding.requirement.text() == finding.requirement.text();
          });
      if (is_confirmed) continue;
      finding.kind = Finding::Kind::kUnclear;
      finding.detail = "seen once, and not again when it was tried alone: " + finding.detail;
    }
    // What monitors saw this time counts as well: it may explain the silence.
    std::erase_if(again, [](const Judgement& each) { return !each.finding.is_passive; });
    keep(std::move(again));
  }
}

reports::Run TargetRun::finish(reports::Target& target) {
  reports::Run run;
  run.revision = key().revision;
  run.transport = key().transport;
  run.status = status_;
  run.reason = reason_;
  run.duration_ms = milliseconds_since(started_);
  if (server_.is_object() && target.name.empty()) {
    const Json info = server_.value("serverInfo", Json::object());
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
  // Which thread was quicker must not decide which evidence is shown.
  std::stable_sort(judgements_.begin(), judgements_.end(),
                   [](const Judgement& a, const Judgement& b) { return a.from < b.from; });
  name_causes(judgements_);
  run.shard = options_.shard;
  // It could be judged a little before it ended: what was broken by then stands.
  const bool ended_early = status_ != RunStatus::kConformant;
  const auto breaks = [](const Judgement& judgement) { return is_breach(judgement); };
  if (ended_early && std::none_of(judgements_.begin(), judgements_.end(), breaks)) return run;
  auto candidates = make_candidates({context_.revision, context_.access.kind, server_, judgements_,
                                     cause_.empty() ? reason_ : cause_, cause_verdict_,
                                     options_.wants, options_.catalogue_version});
  if (run.shard.is_part()) run.candidates = reports::worth_keeping(candidates);
  run.verdicts = reports::settle(std::move(candidates));
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (is_violated) run.status = RunStatus::kViolations;
  return run;
}

}  // namespace assay::harness
