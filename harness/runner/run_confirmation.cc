#include "harness/runner/run_confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/runner/confirmation.h"
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

Patience Confirmation::more_patience() const {
  Patience patience = context_.patience;
  patience.start *= kConfirmationFactor;
  patience.request *= kConfirmationFactor;
  patience.close *= kConfirmationFactor;
  patience.grace *= kGraceFactor;
  return patience;
}

void Confirmation::confirm_muteness() {
  Patience patience = context_.patience;
  patience.request *= kConfirmationFactor;
  const auto opened = record_.new_connection(patience);
  Connection& connection = *opened;
  const bool is_open = !connection.open() && connection.begin().is_answered();
  const bool is_answered = is_open && connection.request("ping").is_answered();
  connection.close();
  record_.count_cost(connection, kOpening);
  if (!is_answered) return note_confirmed_opening();
  state_.is_mute = false;
  state_.cause.clear();
  state_.cause_verdict.clear();
  std::erase_if(record_.judgements(),
                [](const Judgement& judgement) { return judgement.finding.judge == kOpening; });
  if (!opening_.reopen()) {
    return opening_.end_early(RunStatus::kFailed, "the server could not be reached again");
  }
  opening_.take_survey();
  for (const Scenario* scenario : schedule_.scenarios()) {
    if (scenario->session_use != Scenario::SessionUse::kShared) schedule_.run_own(*scenario);
  }
  schedule_.run_shared();
}

void Confirmation::note_confirmed_opening() {
  for (Judgement& judgement : record_.judgements()) {
    if (judgement.finding.judge != kOpening || !needs_second_look(judgement)) continue;
    confirm(judgement, "no answer came again, alone and with more patience");
  }
}

void Confirmation::confirm_discovery() {
  const bool is_open = std::any_of(
      record_.judgements().begin(), record_.judgements().end(), [](const Judgement& judgement) {
        return judgement.finding.judge == kOpening && needs_second_look(judgement);
      });
  if (!is_open) return;
  const auto opened = record_.new_connection(more_patience());
  Connection& connection = *opened;
  const bool is_silent = !connection.open() && connection.begin().is_absent();
  connection.close();
  record_.count_cost(connection, kOpening);
  if (is_silent) note_confirmed_opening();
}

void Confirmation::confirm_presence() {
  if (context_.access.kind.has_process() || state_.status != RunStatus::kConformant) return;
  const bool is_missed = std::any_of(
      record_.judgements().begin(), record_.judgements().end(), [](const Judgement& judgement) {
        const Finding& finding = judgement.finding;
        return is_breach(finding) && finding.proof.lacks_answer() && !finding.events.empty() &&
               finding.events.back()->observation.kind == Kind::kBroken;
      });
  if (!is_missed) return;
  const auto opened = record_.new_connection();
  Connection& connection = *opened;
  const auto failure = connection.open();
  const Reply reply = failure ? Reply(Reply::Kind::kGone, {}, nullptr, 0) : connection.begin();
  connection.close();
  record_.count_cost(connection, kOpening);
  if (reply.kind() != Reply::Kind::kGone) return;
  state_.status = RunStatus::kFailed;
  state_.reason = "the server went away during the run, and cannot be reached any more";
  for (Judgement& judgement : record_.judgements()) {
    Finding& finding = judgement.finding;
    if (!is_breach(finding) || !finding.proof.rests_on_silence()) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", state_.reason, finding.detail);
  }
}

void Confirmation::confirm_late() {
  int late_again = 0;
  for (Schedule::Postponed& late : schedule_.take_late()) {
    const auto start = Clock::now();
    if (late_again < kMostLateStarts) {
      Schedule::Played again = schedule_.play(*late.scenario, nullptr, more_patience());
      if (again.is_cut) {
        record_.note_incomplete();
        return;
      }
      if (again.is_late) ++late_again;
      late.judgements = std::move(again.judgements);
    }
    record_.keep(std::move(late.judgements));
    schedule_.tell_progress(*late.scenario, start);
  }
}

void Confirmation::play_obstructed(Schedule::Postponed& postponed) {
  constexpr int kMostTries = 3;
  const auto& pace = context_.access.pace;
  for (int i = 0; i < kMostTries && (!pace || pace->is_patient()); ++i) {
    Schedule::Played again = schedule_.play(*postponed.scenario, nullptr, context_.patience);
    if (again.is_cut) {
      record_.note_incomplete();
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

void Confirmation::play_obstructed() {
  for (Schedule::Postponed& postponed : schedule_.take_obstructed()) {
    const auto start = Clock::now();
    play_obstructed(postponed);
    if (record_.is_incomplete()) return;
    record_.keep(std::move(postponed.judgements));
    schedule_.tell_progress(*postponed.scenario, start);
  }
}

void Confirmation::look_again(const Scenario& scenario) {
  Schedule::Played again = schedule_.play(scenario, nullptr, more_patience());
  if (again.is_cut) {
    record_.note_incomplete();
    return;
  }
  const auto is_its = [&](const Judgement& judgement) {
    return needs_second_look(judgement) && (judgement.finding.judge == scenario.name ||
                                            scenario_of(judgement.from) == scenario.name);
  };
  const auto open = std::stable_partition(record_.judgements().begin(), record_.judgements().end(),
                                          [&](const Judgement& each) { return !is_its(each); });
  Judgements first(std::make_move_iterator(open),
                   std::make_move_iterator(record_.judgements().end()));
  record_.judgements().erase(open, record_.judgements().end());
  record_.keep(confirmed(std::move(first), std::move(again.judgements)));
}

void Confirmation::look_again() {
  // Names of their own: each look moves the judgements.
  std::set<std::string, std::less<>> suspects;
  for (const Judgement& judgement : record_.judgements()) {
    if (!needs_second_look(judgement)) continue;
    suspects.emplace(judgement.finding.judge);
    suspects.emplace(scenario_of(judgement.from));
  }
  for (const Scenario* scenario : schedule_.scenarios()) {
    if (!suspects.contains(scenario->name)) continue;
    if (record_.was_stopped()) record_.note_incomplete();
    if (record_.is_incomplete()) return;
    look_again(*scenario);
  }
  // What passed in no scenario of its own, as in the opening, cannot be asked for once more.
  settle_without_second_look(record_.judgements(), "seen once, and not tried again");
}

void Confirmation::run() {
  if (record_.is_incomplete()) return;
  try {
    if (state_.is_mute) confirm_muteness();
    if (state_.is_mute) return;
    confirm_presence();
    confirm_discovery();
    confirm_late();
    play_obstructed();
    look_again();
  } catch (const Abandoned&) {
    record_.note_incomplete();
  }
}

}  // namespace assay::harness
