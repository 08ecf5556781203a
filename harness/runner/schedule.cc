#include "harness/runner/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

#include "harness/runner/ending.h"
#include "harness/runner/obstacle.h"
#include "harness/script/abandoned.h"
#include "harness/script/pace.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

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

// Something is to be looked at again: it may be that the server does nothing any more.
bool has_doubts(const Judgements& judgements) {
  return std::any_of(judgements.begin(), judgements.end(), [](const Judgement& each) {
    return is_breach(each) && each.finding.proof.needs_second_look();
  });
}

}  // namespace

Plan plan_of(const RunRecord& record) {
  const CertifyOptions& options = record.options();
  const RunContext& context = record.context();
  const auto is_ours = [&](std::size_t item) {
    return shard_of(record.key(), item, options.shard.total) == options.shard.index - 1;
  };
  Plan plan;
  plan.has_shared_session = is_ours(0);
  std::size_t item = 0;
  for (const Scenario& scenario : scenarios()) {
    if (!scenario.applies_to(context.revision, context.access.kind)) continue;
    const bool is_shared = scenario.session_use == Scenario::SessionUse::kShared;
    const bool belongs = is_shared ? plan.has_shared_session : is_ours(++item);
    if (belongs && options.wants(scenario.name)) plan.scenarios.push_back(&scenario);
  }
  return plan;
}

void Schedule::run_shared() {
  for (const Scenario* scenario : plan_.scenarios) {
    if (scenario->session_use != Scenario::SessionUse::kShared) continue;
    // A session that an earlier scenario lost does not take the later ones with it.
    const Connection* session = opening_.session();
    const bool is_lost =
        session != nullptr && (is_shared_lost_ || has_ended(*session->shared_transcript()));
    if (is_lost) opening_.close(!record_.was_stopped());
    run(*scenario, opening_.session());
  }
  const bool is_whole = !record_.was_stopped();
  opening_.close(plan_.has_shared_session && is_whole);
  if (!is_whole) record_.note_incomplete();
}

void Schedule::run_before_login() {
  context_.is_locked_out = true;
  for (const Scenario* scenario : plan_.scenarios) {
    if (scenario->is_before_login && is_judged(*scenario)) run(*scenario, nullptr);
  }
}

bool Schedule::is_judged(const Scenario& scenario) const {
  const model::Extension* const extension = model::find_extension(scenario.extension);
  return extension == nullptr || context_.extensions.contains(model::index_of(*extension));
}

bool Schedule::plays_alone(const Scenario& scenario) const {
  const bool takes_turn = scenario.session_use == Scenario::SessionUse::kTurn;
  return scenario.session_use == Scenario::SessionUse::kOwn ||
         (takes_turn && !context_.access.kind.has_process());
}

std::vector<Round> Schedule::rounds() const {
  std::map<std::string_view, Round> by_name;
  for (const Scenario* scenario : plan_.scenarios) {
    const bool takes_turn = scenario->session_use == Scenario::SessionUse::kTurn;
    if (!takes_turn || plays_alone(*scenario)) continue;
    Round& round = by_name[scenario->round];
    round.scenarios.push_back(scenario);
    round.is_lengthy = round.is_lengthy || scenario->is_lengthy;
    round.is_heavy = round.is_heavy || scenario->is_heavy;
  }
  std::vector<Round> all;
  for (auto& [name, round] : by_name) {
    std::stable_sort(round.scenarios.begin(), round.scenarios.end(),
                     [](const auto* a, const auto* b) { return a->place < b->place; });
    all.push_back(std::move(round));
  }
  return all;
}

void Schedule::run_round(const Round& round) {
  Turns turns(record_);
  for (const Scenario* scenario : round.scenarios) run_own(*scenario, &turns);
}

void Schedule::run_own(const Scenario& scenario, Turns* turns) {
  if (!is_judged(scenario)) return progress_(record_.key(), scenario.name, 0);
  // Where a target limits us, what others ask at the same time comes out of the same limit.
  const auto& pace = context_.access.pace;
  if (pace && pace->is_limited()) return put_off(scenario);
  run(scenario, nullptr, turns);
}

void Schedule::put_off(const Scenario& scenario) {
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

void Schedule::run(const Scenario& scenario, Connection* shared, Turns* turns) {
  if (record_.was_stopped()) return record_.note_incomplete();
  if (!is_judged(scenario)) return progress_(record_.key(), scenario.name, 0);
  const auto start = Clock::now();
  if (take(scenario, play(scenario, shared, context_.patience, turns))) {
    tell_progress(scenario, start);
  }
}

void Schedule::tell_progress(const Scenario& scenario, Clock::time_point start) const {
  progress_(record_.key(), scenario.name,
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
}

std::vector<Schedule::Postponed> Schedule::take_late() {
  const std::lock_guard lock(mutex_);
  return std::exchange(late_, {});
}

std::vector<Schedule::Postponed> Schedule::take_obstructed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(obstructed_, {});
}

bool Schedule::take(const Scenario& scenario, Played played) {
  if (played.is_cut) {
    record_.note_incomplete();
    return false;
  }
  if (played.is_late) {
    const std::lock_guard lock(mutex_);
    late_.push_back({&scenario, std::move(played.judgements), true});
    return false;
  }
  if (played.is_obstructed()) {
    const std::lock_guard lock(mutex_);
    obstructed_.push_back({&scenario, std::move(played.judgements), true});
    return false;
  }
  record_.keep(std::move(played.judgements));
  return true;
}

bool Schedule::Played::is_obstructed() const {
  return obstacle && std::any_of(judgements.begin(), judgements.end(), [](const Judgement& each) {
           return each.finding.kind == Finding::Kind::kUnclear;
         });
}

Schedule::Played Schedule::play(const Scenario& scenario, Connection* shared, Patience patience,
                                Turns* turns) {
  if (turns != nullptr) shared = turns->session();
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
  if (turns != nullptr) {
    turns->take_from(script);
    shared = turns->session();
  }
  const bool is_own = shared == nullptr || turns != nullptr;
  const std::string from = plan_part(is_own ? Part::kOwn : Part::kShared, scenario.name);
  Played played;
  if (!record_.was_stopped()) played.obstacle = find_obstacle(script, shared, from_shared);
  if (abandoned && abandoned->cause() == Abandoned::Cause::kTurnedAway) {
    played.obstacle = abandoned->why();
    if (const auto& pace = context_.access.pace) pace->pause({});
  }
  std::vector<std::vector<EventPtr>> sessions;
  for (const auto& connection : script.connections()) {
    connection->close();
    record_.hand_over(*connection, scenario.name);
    Judgements watched = record_.watch_session(*connection, from);
    std::move(watched.begin(), watched.end(), std::back_inserter(played.judgements));
    sessions.push_back(connection->shared_transcript()->events());
  }
  if (is_own && shared != nullptr) sessions.push_back(shared->shared_transcript()->events());
  for (Finding& finding :
       findings_of(scenario, script, abandoned ? &*abandoned : nullptr, shared)) {
    const bool is_withdrawn = played.obstacle && is_breach(finding);
    if (is_withdrawn) {
      finding.kind = Finding::Kind::kUnclear;
      finding.detail = fmt::format("{}: {}", *played.obstacle, finding.detail);
    }
    Judgement& judgement = played.judgements.emplace_back(Judgement{std::move(finding), from, {}});
    // Nothing that was kept elsewhere makes the rule a kept one.
    if (is_withdrawn) {
      judgement.history.push_back(
          {std::string(reports::kLeftOpen), judgement.finding.judge, *played.obstacle});
    }
    for (const auto& events : sessions) record_.tell(events, judgement);
  }
  played.is_late = abandoned && abandoned->cause() == Abandoned::Cause::kLateStart;
  if (turns != nullptr) {
    turns->end_turn(scenario.name, from_shared,
                    scenario.place != Scenario::Place::kLast && !abandoned && !played.obstacle &&
                        !has_doubts(played.judgements));
  }
  // Only now: a stop that came earlier may have changed what was found.
  played.is_cut = record_.was_stopped();
  return played;
}

std::optional<std::string> Schedule::find_obstacle(Script& script, Connection* shared,
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
    if (obstacle && has_lost_session(*shared, from)) is_shared_lost_ = true;
    for (const auto& connection : script.connections()) {
      if (!obstacle) obstacle = obstacle_on(*connection, 0);
    }
  } catch (const Abandoned&) {
    // A stop: nothing of the scenario counts.
  }
  return obstacle;
}

Findings Schedule::findings_of(const Scenario& scenario, Script& script, const Abandoned* abandoned,
                               Connection* shared) {
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

}  // namespace assay::harness
