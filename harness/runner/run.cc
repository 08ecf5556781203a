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
#include "harness/runner/reproduce.h"

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

void add_reproduction(const TargetAccess& access, const Connection& connection, Finding& finding) {
  if (finding.events.empty() || !finding.events.back()) return;
  const auto events = connection.shared_transcript()->events();
  const std::size_t index = static_cast<std::size_t>(finding.events.back()->n) - 1;
  if (index < events.size() && events[index] == finding.events.back()) {
    finding.reproduce = reproduce(access, events, finding.events);
  }
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
  for (const Scenario& scenario : scenarios()) {
    if (scenario.applies_to(revision, access.kind) && options.wants(scenario.name)) {
      plan_.push_back(&scenario);
    }
  }
}

reports::RunKey TargetRun::key() const {
  return {std::string(context_.revision.text()), std::string(name(context_.access.kind))};
}

void TargetRun::close_first() {
  if (!first_) return;
  first_->close();
  collect(*first_, "shared session");
  first_.reset();
}

void TargetRun::run_shared() {
  for (const Scenario* scenario : plan_) {
    if (scenario->session_use != Scenario::SessionUse::kShared) continue;
    if (context_.stop.stop_requested()) break;
    // A session that an earlier scenario lost does not take the later ones with it.
    if (first_ && has_ended(*first_->shared_transcript())) close_first();
    run_scenario(*scenario, first_.get());
  }
  close_first();
}

void TargetRun::run_own(const Scenario& scenario) {
  if (!context_.stop.stop_requested()) run_scenario(scenario, nullptr);
}

void TargetRun::run_scenario(const Scenario& scenario, Connection* shared) {
  const auto start = Clock::now();
  Findings findings = play(scenario, shared, context_.patience);
  {
    const std::lock_guard lock(mutex_);
    std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
  }
  progress_(*this, scenario.name, milliseconds_since(start));
}

Findings TargetRun::play(const Scenario& scenario, Connection* shared, Patience patience) {
  RunContext context = context_;
  context.patience = patience;
  Script script(context, std::string(scenario.name), shared);
  std::string abandoned;
  try {
    scenario.body(script);
  } catch (const Abandoned& reason) {
    abandoned = reason.why();
  }
  for (const auto& connection : script.connections()) {
    connection->close();
    collect(*connection, scenario.name);
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
  for (Finding& finding : findings) {
    if (finding.kind != Finding::Kind::kBroke) continue;
    if (shared != nullptr) add_reproduction(context_.access, *shared, finding);
    for (const auto& own : script.connections()) add_reproduction(context_.access, *own, finding);
  }
  if (!abandoned.empty()) add_unjudged(scenario, abandoned, caused_by, findings);
  return findings;
}

void TargetRun::collect(const Connection& connection, std::string_view scenario) {
  const auto events = connection.shared_transcript()->events();
  Findings findings = watch(events, context_.revision, context_.access.kind);
  for (Finding& finding : findings) {
    if (finding.kind == Finding::Kind::kBroke) {
      finding.reproduce = reproduce(context_.access, events, finding.events);
    }
  }
  if (options_.on_transcript) {
    const reports::RunKey run = key();
    options_.on_transcript(run.revision + " " + run.transport, scenario, events);
  }
  const std::lock_guard lock(mutex_);
  std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
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
  std::erase_if(findings_, [](const Finding& finding) { return finding.judge == "opening"; });
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
      std::any_of(findings_.begin(), findings_.end(), [](const Finding& finding) {
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
  for (Finding& finding : findings_) {
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
  for (const Finding& finding : findings_) {
    if (finding.kind == Finding::Kind::kBroke && finding.depends_on_time) {
      suspects.insert(finding.judge);
    }
  }
  for (const Scenario* scenario : plan_) {
    if (!suspects.contains(scenario->name) || context_.stop.stop_requested()) continue;
    Patience patience = context_.patience;
    patience.request *= kConfirmationFactor;
    patience.close *= kConfirmationFactor;
    patience.grace *= kGraceFactor;
    const Findings again = play(*scenario, nullptr, patience);
    for (Finding& finding : findings_) {
      if (finding.judge != scenario->name || !finding.depends_on_time) continue;
      const bool is_confirmed = std::any_of(again.begin(), again.end(), [&](const Finding& other) {
        return other.kind == Finding::Kind::kBroke &&
               other.requirement.text() == finding.requirement.text();
      });
      if (is_confirmed) continue;
      finding.kind = Finding::Kind::kUnclear;
      finding.detail = "seen once, and not again when it was tried alone: " + finding.detail;
    }
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
  std::erase_if(findings_, [&](const Finding& finding) {
    const auto* requirement = catalogue::find(finding.requirement.text());
    return requirement == nullptr || !requirement->existed_in(options_.catalogue_version);
  });
  name_causes(findings_);
  // It could be judged a little before it ended: what was broken by then stands.
  const bool ended_early = status_ != RunStatus::kConformant;
  if (ended_early && std::none_of(findings_.begin(), findings_.end(), is_breach)) return run;
  run.verdicts = make_verdicts({context_.revision, context_.access.kind, server_, findings_,
                                cause_.empty() ? reason_ : cause_, cause_verdict_, options_.wants,
                                options_.catalogue_version});
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (is_violated) run.status = RunStatus::kViolations;
  return run;
}

}  // namespace assay::harness
