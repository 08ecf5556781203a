// One run: one revision over one transport, from the first `initialize` to its verdicts.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/opening.h"
#include "harness/runner/run_confirmation.h"
#include "harness/runner/run_record.h"
#include "harness/runner/schedule.h"
#include "reports/result.h"

namespace assay::harness {

class TargetRun {
 public:
  TargetRun(const CertifyOptions& options, const TargetAccess& access, model::Revision revision,
            Schedule::Progress progress);

  // The scenarios of this run that belong to this shard of it.
  const std::vector<const Scenario*>& plan() const { return plan_.scenarios; }
  reports::RunKey key() const { return record_.key(); }
  // After begin(): which profiles the target fits, and what they name that it does not list.
  const ProfileChoice& profiles() const { return opening_.profiles(); }

  // Opens the first session and asks for `initialize`; begin() does it where nobody did.
  void start() { opening_.start(); }
  // After start(): how long the answer to `initialize` took; nothing if there was none.
  std::optional<std::chrono::milliseconds> start_time() const { return opening_.start_time(); }
  // Goes on from the answer to `initialize`, and takes the survey. False if there is nothing more
  // to be done: the target does not speak the revision, cannot be tested, or answers nothing.
  bool begin();
  // After begin(): what the target lists; null where the list could not be read whole.
  const Listing* listed_tools() const;
  // `initialize` was not answered in time.
  bool is_late() const { return opening_.is_late(); }
  // Forgets that, so that the run can be done once more, with twice the patience: start() it while
  // nothing else runs.
  void reset();
  // Runs the polite scenarios one after another on the first session, and closes it.
  void run_shared() { schedule_.run_shared(); }
  // Whether run_own() is for this scenario of the plan: it is none that shares a session, or takes
  // turns.
  bool plays_alone(const Scenario& scenario) const { return schedule_.plays_alone(scenario); }
  // The scenarios that take turns; none where sessions cost little. Each round runs by itself.
  std::vector<Round> rounds() const { return schedule_.rounds(); }
  void run_round(const Round& round) { schedule_.run_round(round); }
  // Runs one scenario with sessions of its own. Any number of threads at once; where the target
  // limits how often it may be asked, confirm_timing() does it.
  void run_own(const Scenario& scenario) { schedule_.run_own(scenario); }
  // Runs again, alone, whatever was found broken because something did not come in time, and what
  // could not begin in time. Call it when nothing else runs.
  void confirm_timing() { confirmation_.run(); }
  // The outcome. `target` receives the name by which the server introduced itself.
  reports::Run finish(reports::Target& target);

 private:
  bool begin_once();
  void keep_what_is_told_from_outside();
  // What a stop cut short is neither held nor broken.
  void withdraw_unconfirmed();
  // That the target limits how often it may be asked, and what that cost; empty if it does not.
  std::string remark_on_limits() const;
  // What there is to say of the run beside its verdicts; mostly nothing.
  std::string remark() const;
  // The name and the version by which the server introduced itself.
  void name_target(reports::Target& target);
  // Those of the catalogue at hand, in the order of the plan.
  void put_judgements_in_order();

  RunRecord record_;
  RunContext& context_ = record_.context();
  RunRecord::State& state_ = record_.state();
  const Plan plan_;
  Opening opening_;
  Schedule schedule_;
  Confirmation confirmation_;
  std::optional<bool> has_begun_;  // what begin() came to
};

}  // namespace assay::harness
