// What is tried again, alone, before anybody is accused of it: silence, muteness, a late start.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "harness/runner/confirmation.h"
#include "harness/runner/run.h"
#include "harness/script/abandoned.h"
#include "harness/script/pace.h"

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
// Who judges what comes before the first scenario.
constexpr std::string_view kOpening = "opening";

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
  if (!is_answered) return note_confirmed_opening();
  is_mute_ = false;
  cause_.clear();
  cause_verdict_.clear();
  std::erase_if(judgements_,
                [](const Judgement& judgement) { return judgement.finding.judge == kOpening; });
  if (!open_first()) return;
  take_survey();
  for (const Scenario* scenario : plan_) {
    if (scenario->session_use == Scenario::SessionUse::kOwn) run_own(*scenario);
  }
  run_shared();
}

void TargetRun::note_confirmed_opening() {
  for (Judgement& judgement : judgements_) {
    if (judgement.finding.judge != kOpening || !needs_second_look(judgement)) continue;
    confirm(judgement, "no answer came again, alone and with more patience");
  }
}

void TargetRun::confirm_discovery() {
  const bool is_open =
      std::any_of(judgements_.begin(), judgements_.end(), [](const Judgement& judgement) {
        return judgement.finding.judge == kOpening && needs_second_look(judgement);
      });
  if (!is_open) return;
  const auto opened = connect(context_.access, context_.revision, more_patience(), context_.stop);
  Connection& connection = *opened;
  const bool is_silent = !connection.open() && connection.begin().is_absent();
  connection.close();
  count_cost(connection);
  if (is_silent) note_confirmed_opening();
}

void TargetRun::confirm_presence() {
  if (context_.access.kind.has_process() || status_ != RunStatus::kConformant) return;
  const bool is_missed =
      std::any_of(judgements_.begin(), judgements_.end(), [](const Judgement& judgement) {
        const Finding& finding = judgement.finding;
        return is_breach(finding) && finding.proof.lacks_answer() && !finding.events.empty() &&
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
    if (!is_breach(finding) || !finding.proof.rests_on_silence()) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", reason_, finding.detail);
  }
}

void TargetRun::confirm_late() {
  int late_again = 0;
  for (Postponed& late : std::exchange(late_, {})) {
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

void TargetRun::play_obstructed(Postponed& postponed) {
  constexpr int kMostTries = 3;
  const auto& pace = context_.access.pace;
  for (int i = 0; i < kMostTries && (!pace || pace->is_patient()); ++i) {
    Play again = play(*postponed.scenario, nullptr, context_.patience);
    if (again.is_cut) {
      is_incomplete_ = true;
      return;
    }
    const bool is_obstructed = again.is_obstructed();
    if (is_obstructed && postponed.was_played) continue;
    // What monitors saw the first time was there.
    std::erase_if(postponed.judgements, [&](const Judgement& each) {
      return !postponed.was_played || !each.finding.is_passive;
    });
    std::move(again.judgements.begin(), again.judgements.end(),
              std::back_inserter(postponed.judgements));
    if (!is_obstructed) return;
    postponed.was_played = true;
  }
}

void TargetRun::play_obstructed() {
  for (Postponed& postponed : std::exchange(obstructed_, {})) {
    const auto start = Clock::now();
    play_obstructed(postponed);
    if (is_incomplete_) return;
    keep(std::move(postponed.judgements));
    progress_(*this, postponed.scenario->name,
              std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
  }
}

void TargetRun::look_again(const Scenario& scenario) {
  Play again = play(scenario, nullptr, more_patience());
  if (again.is_cut) {
    is_incomplete_ = true;
    return;
  }
  const auto is_its = [&](const Judgement& judgement) {
    return needs_second_look(judgement) && (judgement.finding.judge == scenario.name ||
                                            scenario_of(judgement.from) == scenario.name);
  };
  const auto open = std::stable_partition(judgements_.begin(), judgements_.end(),
                                          [&](const Judgement& each) { return !is_its(each); });
  Judgements first(std::make_move_iterator(open), std::make_move_iterator(judgements_.end()));
  judgements_.erase(open, judgements_.end());
  keep(confirmed(std::move(first), std::move(again.judgements)));
}

void TargetRun::look_again() {
  std::set<std::string_view> suspects;
  for (const Judgement& judgement : judgements_) {
    if (!needs_second_look(judgement)) continue;
    suspects.insert(judgement.finding.judge);
    suspects.insert(scenario_of(judgement.from));
  }
  for (const Scenario* scenario : plan_) {
    if (!suspects.contains(scenario->name)) continue;
    if (was_stopped()) is_incomplete_ = true;
    if (is_incomplete_) return;
    look_again(*scenario);
  }
  // What passed in no scenario of its own, as in the opening, cannot be asked for once more.
  settle_without_second_look(judgements_, "seen once, and not tried again");
}

void TargetRun::confirm_timing() {
  if (is_incomplete_) return;
  try {
    if (is_mute_) confirm_muteness();
    if (is_mute_) return;
    confirm_presence();
    confirm_discovery();
    confirm_late();
    play_obstructed();
    look_again();
  } catch (const Abandoned&) {
    is_incomplete_ = true;
  }
}

}  // namespace assay::harness
