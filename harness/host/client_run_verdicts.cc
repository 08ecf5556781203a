// What a run comes to, once all is played.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/host/client_run.h"
#include "harness/runner/extensions.h"
#include "harness/runner/proofs.h"
#include "harness/runner/verdicts.h"
#include "harness/script/json_member.h"
#include "reports/findings.h"

namespace assay::harness {
namespace {

using reports::RunStatus;
using std::chrono::milliseconds;

// Of the scenarios in which the client did not end well these are named.
constexpr std::size_t kMostNamed = 3;

bool is_must_violated(const reports::Verdict& verdict) {
  return verdict.outcome == reports::Outcome::kViolated &&
         reports::strength(verdict.level) == reports::Strength::kMust;
}

}  // namespace

Judgements ClientRun::all_judgements() {
  Judgements all;
  for (const ClientScenario* scenario : plan()) {
    Judgements& some = judgements_[scenario->name];
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  judgements_.clear();
  std::erase_if(all, [&](const Judgement& judgement) {
    const auto* requirement = catalogue::find(judgement.finding.requirement.text());
    // What is no rule of this revision explains nothing in it either.
    return requirement == nullptr || !requirement->binds_client_in(revision_) ||
           !requirement->existed_in(options_.catalogue_version);
  });
  bound_proofs(all, nullptr);
  return all;
}

// Who falls silent or crashes in every scenario may do so for any reason.
void ClientRun::weigh_contrasts(Judgements& judgements) const {
  if (has_contrast_) return;
  for (Judgement& judgement : judgements) {
    Finding& finding = judgement.finding;
    if (!is_breach(finding) || !finding.proof.needs_contrast()) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = "the client went on and ended well in no scenario";
  }
}

// What is judged in none of the scenarios that were played waits for a way to play the others.
void ClientRun::excuse_unplayed(std::vector<reports::Candidate>& candidates) const {
  if (unplayed_.empty()) return;
  for (reports::Candidate& candidate : candidates) {
    reports::Verdict& verdict = candidate.verdict;
    if (verdict.outcome != reports::Outcome::kNotExercised || !verdict.scenario.empty()) continue;
    std::optional<Act> missing;
    bool was_played = false;
    for (const ClientScenario* each : plan()) {
      const bool is_of_rule =
          std::any_of(each->requirements.begin(), each->requirements.end(),
                      [&](const auto& id) { return id.text() == verdict.requirement; });
      if (!is_of_rule) continue;
      const auto unplayed = unplayed_.find(each->name);
      was_played = was_played || unplayed == unplayed_.end();
      if (unplayed != unplayed_.end()) missing = unplayed->second;
    }
    if (was_played || !missing) continue;
    verdict.detail = fmt::format("the profile says no way in which the client {}", words(*missing));
    verdict.hint = fmt::format("name {} under 'client:' in the --profile file", name(*missing));
  }
}

std::string ClientRun::first_end() const {
  for (const ClientScenario* scenario : plan()) {
    const auto found = ends_.find(scenario->name);
    if (found == ends_.end() || ended_well(*scenario, found->second)) continue;
    const GuestEnd& end = found->second;
    std::string out = end.text();
    if (!end.last_words.empty()) out += fmt::format("; its last words: {}", end.last_words);
    if (end.kind == GuestEnd::Kind::kLate) {
      out += "; if a person has to drive it, use --interactive";
    }
    return out;
  }
  return "it ended by itself";
}

// In which scenarios it did not end well, and how; empty if there are none.
std::string ClientRun::ends() const {
  std::string names;
  std::size_t count = 0;
  for (const ClientScenario* scenario : plan()) {
    const auto found = ends_.find(scenario->name);
    if (found == ends_.end() || ended_well(*scenario, found->second)) continue;
    if (++count > kMostNamed) continue;
    names += fmt::format("{}{} ({})", count == 1 ? "" : ", ", scenario->name, found->second.text());
  }
  if (count == 0) return "";
  return fmt::format("the client did not end well in {} of {} scenarios: {}{}", count, ends_.size(),
                     names, count > kMostNamed ? ", ..." : "");
}

// Of the scenarios in which it may not fail; one of them at least was played.
bool ClientRun::ended_badly_throughout() const {
  bool was_strict = false;
  for (const ClientScenario* scenario : plan()) {
    const auto found = ends_.find(scenario->name);
    if (found == ends_.end() || scenario->may_fail) continue;
    if (ended_well(*scenario, found->second)) return false;
    was_strict = true;
  }
  return was_strict;
}

// Of a client that went no further than to ask, if so far.
void ClientRun::conclude_idle(reports::Run& run, bool is_violated) const {
  const Participation& shown = participation_;
  const bool is_of_another = shown.names_other && !shown.names_it;
  run.status = is_violated && !is_of_another ? RunStatus::kViolations
               : is_of_another               ? RunStatus::kUnsupported
                                             : RunStatus::kFailed;
  std::string what;
  if (!was_reached_) {
    what = "the client never connected";
  } else if (!has_spoken_) {
    what = "the client connected and said nothing";
  } else if (is_of_another) {
    what = fmt::format("the client does not speak {}", revision_.text());
  } else if (!shown.refusal.empty()) {
    what = fmt::format("the client took part in nothing: a message of it was refused with {}",
                       shown.refusal);
  } else if (shown.was_asked_for_token && !shown.was_let_in) {
    what = "the client took part in nothing: it was asked for a token (HTTP 401), and showed none";
  } else {
    what = "the client took part in nothing: it did not go on after it had connected";
  }
  run.reason = fmt::format("{}: {}", what, first_end());
  if (shown.had_preflight) {
    run.reason +=
        ". A browser asked whether its page may use the server (a preflight), and was refused: use "
        "--cors with the origin of the page";
  }
}

// Why the run shows too little to be called conformant; empty if it shows enough.
std::string ClientRun::too_little(const reports::Run& run) const {
  const reports::Exercised shown = reports::exercised_in(run);
  if (options_.min_exercised > 0 && shown.percent() < options_.min_exercised) {
    return fmt::format("no violation, but {} were exercised, fewer than {} percent",
                       reports::exercised_text(shown), options_.min_exercised);
  }
  if (options_.min_exercised > 0 || participation_.used_server) return "";
  return fmt::format(
      "no violation, but the client listed nothing and called nothing: {} were exercised",
      reports::exercised_text(shown));
}

void ClientRun::conclude(reports::Run& run) const {
  const bool is_violated = std::any_of(run.verdicts.begin(), run.verdicts.end(), is_must_violated);
  if (was_stopped_ || options_.stop.stop_requested()) {
    run.status = RunStatus::kIncomplete;
    run.reason = "the run was stopped";
    return;
  }
  if (!trouble_.empty()) {
    run.status = RunStatus::kFailed;
    run.reason = trouble_;
    return;
  }
  if (is_violated) run.status = RunStatus::kViolations;
  if (!shortfall_.empty()) {
    run.status = is_violated ? RunStatus::kViolations : RunStatus::kIncomplete;
    run.reason = fmt::format("{}: what came after that is not judged", shortfall_);
  } else if (ends_.empty()) {
    run.status = RunStatus::kFailed;
    run.reason = "no scenario was played";
  } else if (!participation_.took_part) {
    conclude_idle(run, is_violated);
  } else if (ended_badly_throughout() && !is_violated) {
    run.status = RunStatus::kFailed;
    run.reason = fmt::format("the client ended badly in every scenario: {}", first_end());
  } else {
    const std::string lack = is_violated ? "" : too_little(run);
    if (!lack.empty()) run.status = RunStatus::kFailed;
    run.reason = lack.empty() ? ends() : lack;
  }
}

reports::Run ClientRun::finish(reports::Target& target) {
  name_target(member(client_, "clientInfo"), target);
  Judgements judgements = all_judgements();
  weigh_contrasts(judgements);
  reports::Run run;
  run.revision = revision_.text();
  run.transport = name(transport_);
  run.cost = cost_;
  if (began_) {
    run.duration_ms = std::chrono::duration_cast<milliseconds>(ended_ - *began_).count();
  }
  VerdictInput input{revision_, transport_, server_, judgements, "", ""};
  if (!participation_.took_part) input.cause = "the client did not take part";
  input.wants = options_.wants;
  input.catalogue_version = options_.catalogue_version;
  input.party = Party::kClient;
  input.client = client_.contains("capabilities") ? &client_ : nullptr;
  input.extensions = declared_ | asked_for_in(revision_, options_.extensions);
  input.binds_drafts = options_.binds_drafts;
  run.extensions = reported_extensions(input.extensions, declared_);
  std::vector<reports::Candidate> candidates = make_candidates(input);
  excuse_unplayed(candidates);
  run.verdicts = reports::settle(std::move(candidates));
  conclude(run);
  return run;
}

}  // namespace assay::harness
