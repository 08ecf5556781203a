// One run: one revision over one transport, from the first `initialize` to its verdicts.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/runner/judgement.h"
#include "harness/runner/profile_choice.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "harness/script/script.h"
#include "reports/result.h"

namespace assay::harness {

class TargetRun {
 public:
  // Tells that a scenario of this run is over.
  using Progress = std::function<void(const TargetRun& run, std::string_view scenario,
                                      std::int64_t duration_ms)>;

  TargetRun(const CertifyOptions& options, const TargetAccess& access, model::Revision revision,
            Progress progress);

  // The scenarios of this run that belong to this shard of it.
  const std::vector<const Scenario*>& plan() const { return plan_; }
  reports::RunKey key() const;
  // After begin(): which profiles the target fits, and what they name that it does not list.
  const ProfileChoice& profiles() const { return profiles_; }

  // Opens the first session and takes the survey. False if there is nothing more to be done: the
  // target does not speak the revision, cannot be tested, or answers nothing.
  bool begin();
  // Runs the polite scenarios one after another on the first session, and closes it.
  void run_shared();
  // Runs one scenario with sessions of its own. Any number of threads at once.
  void run_own(const Scenario& scenario);
  // Runs again, alone, whatever was found broken because something did not come in time. Call it
  // when nothing else runs.
  void confirm_timing();
  // The outcome. `target` receives the name by which the server introduced itself.
  reports::Run finish(reports::Target& target);

 private:
  void run_scenario(const Scenario& scenario, Connection* shared);
  Judgements play(const Scenario& scenario, Connection* shared, Patience patience);
  // A version that the server offers is one that it supports, and so it has to answer with it when
  // it is asked for it.
  void check_offer(const std::string& offered, const Reply& offer);
  // Reads the target's lists, on new connections where it ends them, and chooses its profiles.
  void take_survey();
  void read_lists();
  // The target took part in the handshake and then fell silent: nothing more can be judged.
  void note_muteness(const Reply& ping);
  // Alone: does a target that seemed mute speak after all? Then everything is run, late.
  void confirm_muteness();
  // A server that is reached by URL may have gone away meanwhile: nobody is blamed for that.
  void confirm_presence();
  bool open_first();
  // `is_judged`: whether what monitors saw in it counts.
  void close_first(bool is_judged);
  void hand_over(const Connection& connection, std::string_view scenario) const;
  Judgements watch_session(const Connection& connection, const std::string& from) const;
  void keep(Judgements judgements);
  void keep_opening(Finding finding);
  void end_early(reports::RunStatus status, std::string reason);

  const CertifyOptions& options_;
  RunContext context_;
  ProfileChoice profiles_;
  Progress progress_;
  std::vector<const Scenario*> plan_;
  bool owns_shared_session_ = true;
  std::unique_ptr<Connection> first_;
  Clock::time_point started_;
  reports::RunStatus status_ = reports::RunStatus::kConformant;
  std::string reason_;
  std::string cause_;          // why nothing more could be judged
  std::string cause_verdict_;  // the requirement whose violation that is
  bool is_mute_ = false;
  Json server_;

  std::mutex mutex_;  // guards judgements_
  Judgements judgements_;
};

}  // namespace assay::harness
