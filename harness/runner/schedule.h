// The scenarios of one run, and how each is played: one after another on the shared session, or
// with sessions of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/opening.h"
#include "harness/runner/run_record.h"
#include "harness/runner/scenario.h"
#include "harness/runner/turns.h"

namespace assay::harness {

// The scenarios of a run that belong to its shard.
struct Plan {
  std::vector<const Scenario*> scenarios;
  bool has_shared_session = true;
};
Plan plan_of(const RunRecord& record);

// Scenarios that take turns on one session, in this order.
struct Round {
  std::vector<const Scenario*> scenarios;
  bool is_lengthy = false;  // one of them is
  bool is_heavy = false;
};

class Schedule {
 public:
  // Tells that a scenario of this run is over.
  using Progress = std::function<void(const reports::RunKey& run, std::string_view scenario,
                                      std::int64_t duration_ms)>;

  // What came of one scenario, played once.
  struct Played {
    Judgements judgements;
    bool is_late = false;  // a session of its own did not begin in time
    bool is_cut = false;   // by a stop: nothing of it counts
    // Why not all of it could be asked, though no rule was broken: see obstacle.h.
    std::optional<std::string> obstacle;

    // It left something open that it may tell when it is played again.
    bool is_obstructed() const;
  };

  // A scenario that is played at the end, alone, and what is said if that does not help.
  struct Postponed {
    const Scenario* scenario;
    Judgements judgements;
    bool was_played;
  };

  Schedule(RunRecord& record, Opening& opening, const Plan& plan, Progress progress)
      : record_(record),
        context_(record.context()),
        opening_(opening),
        plan_(plan),
        progress_(std::move(progress)) {}

  const std::vector<const Scenario*>& scenarios() const { return plan_.scenarios; }

  // Runs the polite scenarios one after another on the shared session, and closes it.
  void run_shared();
  // True for a scenario that has sessions of its own, and so run_own() plays it: also for those
  // that take turns, over transports where a session costs no process.
  bool plays_alone(const Scenario& scenario) const;
  // Those that take turns; none where each has sessions of its own.
  std::vector<Round> rounds() const;
  // Runs them one after another.
  void run_round(const Round& round);
  // Runs one scenario with sessions of its own. Any number of threads at once; where the target
  // limits how often it may be asked, it is put off.
  void run_own(const Scenario& scenario, Turns* turns = nullptr);
  // What can be judged of a target that lets nobody in without credentials.
  void run_before_login();

  // On the session of `turns`, on the shared one, or, where both are null, on its own.
  Played play(const Scenario& scenario, Connection* shared, Patience patience,
              Turns* turns = nullptr);
  // What could not begin in time, and what met a limit or lost its session: for when nothing else
  // asks.
  std::vector<Postponed> take_late();
  std::vector<Postponed> take_obstructed();
  // The scenario is over, which began then.
  void tell_progress(const Scenario& scenario, Clock::time_point start) const;

 private:
  void run(const Scenario& scenario, Connection* shared, Turns* turns = nullptr);
  // False for a scenario about an extension that this run does not judge.
  bool is_judged(const Scenario& scenario) const;
  // Leaves it for the end.
  void put_off(const Scenario& scenario);
  // Keeps what counts of it. True if that is all there is to it.
  bool take(const Scenario& scenario, Played played);
  // The scenario's findings, with why it said nothing of the rest.
  Findings findings_of(const Scenario& scenario, Script& script, const Abandoned* abandoned,
                       Connection* shared);
  // What stood in the way of the script on its connections, from index `from` on of the one that it
  // shares.
  std::optional<std::string> find_obstacle(Script& script, Connection* shared, std::size_t from);

  RunRecord& record_;
  RunContext& context_;
  Opening& opening_;
  const Plan& plan_;
  const Progress progress_;
  bool is_shared_lost_ = false;  // the server ended the shared session
  std::mutex mutex_;             // guards all below
  std::vector<Postponed> late_;
  std::vector<Postponed> obstructed_;
};

}  // namespace assay::harness
