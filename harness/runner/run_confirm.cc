// What is tried again, alone, before anybody is accused of it: silence, muteness, a late start.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "harness/runner/run.h"
#include "harness/script/abandoned.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// A confirmation waits longer than the first try did.
constexpr int kConfirmationFactor = 2;
constexpr int kGraceFactor = 8;
// A server that began too late so often, alone and with twice the patience, is not waited for any
// more.
constexpr int kMostLateStarts = 2;

}  // namespace

Patience TargetRun::more_patience() const {
  Patience patience = context_.patience;
  patience.start *= kConfirmationFactor;
  patience.request *= kConfirmationFactor;
  patience.close *= kConfirmationFactor;
  patience.grace *= kGraceFactor;
  return patience;
}

void TargetRun::confirm_muteness() {
  Patience patience = context_.patience;
  patience.request *= kConfirmationFactor;
  const auto opened = connect(context_.access, context_.revision, patience, context_.stop);
  Connection& connection = *opened;
  const bool is_open = !connection.open() && connection.begin().is_answered();
  const bool is_answered = is_open && connection.request("ping").is_answered();
  connection.close();
  count_cost(connection);
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
  const auto opened = connect(context_.access, context_.revision, context_.patience, context_.stop);
  Connection& connection = *opened;
  const auto failure = connection.open();
  const Reply reply = failure ? Reply(Reply::Kind::kGone, {}, nullptr, 0) : connection.begin();
  connection.close();
  count_cost(connection);
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

void TargetRun::confirm_late() {
  int late_again = 0;
  for (Late& late : std::exchange(late_, {})) {
    const auto start = Clock::now();
    if (late_again < kMostLateStarts) {
      Play again = play(*late.scenario, nullptr, more_patience());
      if (again.is_cut) {
        is_incomplete_ = true;
        return;
      }
      if (again.is_late) ++late_again;
      late.judgements = std::move(again.judgements);
    }
    keep(std::move(late.judgements));
    progress_(*this, late.scenario->name,
              std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
  }
}

void TargetRun::confirm_silence(const Scenario& scenario) {
  Play again = play(scenario, nullptr, more_patience());
  if (again.is_cut) {
    is_incomplete_ = true;
    return;
  }
  for (Judgement& judgement : judgements_) {
    Finding& finding = judgement.finding;
    if (finding.judge != scenario.name || !finding.depends_on_time) continue;
    const bool is_confirmed =
        std::any_of(again.judgements.begin(), again.judgements.end(), [&](const Judgement& other) {
          return is_breach(other) && other.finding.requirement.text() == finding.requirement.text();
        });
    if (is_confirmed) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = "seen once, and not again when it was tried alone: " + finding.detail;
  }
  // What monitors saw this time counts as well: it may explain the silence.
  std::erase_if(again.judgements, [](const Judgement& each) { return !each.finding.is_passive; });
  keep(std::move(again.judgements));
}

void TargetRun::confirm_silence() {
  std::set<std::string_view> suspects;
  for (const Judgement& judgement : judgements_) {
    if (is_breach(judgement) && judgement.finding.depends_on_time) {
      suspects.insert(judgement.finding.judge);
    }
  }
  for (const Scenario* scenario : plan_) {
    if (!suspects.contains(scenario->name)) continue;
    if (was_stopped()) is_incomplete_ = true;
    if (is_incomplete_) return;
    confirm_silence(*scenario);
  }
}

void TargetRun::confirm_timing() {
  if (is_incomplete_) return;
  try {
    if (is_mute_) confirm_muteness();
    if (is_mute_) return;
    confirm_presence();
    confirm_late();
    confirm_silence();
  } catch (const Abandoned&) {
    is_incomplete_ = true;
  }
}

}  // namespace assay::harness
