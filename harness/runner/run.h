// One run: one revision over one transport, from the first `initialize` to its verdicts.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
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

  // Opens the first session and asks for `initialize`; begin() does it where nobody did.
  void start();
  // After start(): how long the answer to `initialize` took; nothing if there was none.
  std::optional<std::chrono::milliseconds> start_time() const { return start_time_; }
  // Goes on from the answer to `initialize`, and takes the survey. False if there is nothing more
  // to be done: the target does not speak the revision, cannot be tested, or answers nothing.
  bool begin();
  // After begin(): what the target lists; null where the list could not be read whole.
  const Listing* listed_tools() const;
  // `initialize` was not answered in time.
  bool is_late() const { return is_late_; }
  // Forgets that, so that the run can be done once more, with twice the patience: start() it while
  // nothing else runs.
  void reset();
  // Runs the polite scenarios one after another on the first session, and closes it.
  void run_shared();
  // Runs one scenario with sessions of its own. Any number of threads at once; where the target
  // limits how often it may be asked, confirm_timing() does it.
  void run_own(const Scenario& scenario);
  // Runs again, alone, whatever was found broken because something did not come in time, and what
  // could not begin in time. Call it when nothing else runs.
  void confirm_timing();
  // The outcome. `target` receives the name by which the server introduced itself.
  reports::Run finish(reports::Target& target);

 private:
  // What came of one scenario, played once.
  struct Play {
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

  // What can be judged of a target that lets nobody in without credentials.
  void run_before_login();
  void keep_what_is_told_from_outside();
  void run_scenario(const Scenario& scenario, Connection* shared);
  // Leaves it for the end, when nothing else asks.
  void put_off(const Scenario& scenario);
  // Keeps what counts of it. True if that is all there is to it.
  bool take(const Scenario& scenario, Play play);
  Play play(const Scenario& scenario, Connection* shared, Patience patience);
  // The scenario's findings, with why it said nothing of the rest.
  Findings findings_of(const Scenario& scenario, Script& script, const Abandoned* abandoned,
                       Connection* shared);
  // What a stop cut short is neither held nor broken.
  void withdraw_unconfirmed();
  // That the target limits how often it may be asked, and what that cost; empty if it does not.
  std::string remark_on_limits() const;
  bool was_stopped() const { return context_.stop.stop_requested(); }
  // The extensions that the server declares, or that were asked for.
  void choose_extensions();
  // False for a scenario about an extension that this run does not judge.
  bool is_judged(const Scenario& scenario) const;
  // A version that the server offers is one that it supports, and so it has to answer with it when
  // it is asked for it.
  void check_offer(const std::string& offered, const Reply& offer);
  // Reads the target's lists, on new connections where it ends them, and chooses its profiles.
  void take_survey();
  void read_lists();
  // Finds out, in a session of its own, what the tools do of which no profile knows.
  void explore_tools();
  // The target took part in the handshake and then fell silent: nothing more can be judged.
  void note_muteness(const Reply& ping);
  bool begin_once();
  bool begin_session();
  bool begins_again();
  // The same without a handshake.
  bool begin_stateless(const Reply& reply);
  bool answers_without_discovery(const Reply& reply);
  bool begin_without_discovery(const Reply& reply);
  // What is said of a target that answered `initialize`, but not with a result.
  void note_refusal(const Reply& reply);
  // Alone: does a target that seemed mute speak after all? Then everything is run, late.
  void confirm_muteness();
  // Alone: is `server/discover` left without an answer again?
  void confirm_discovery();
  void note_confirmed_opening();
  // Alone, and with more patience: what could not begin in time.
  void confirm_late();
  // Alone, and no faster than the target allows: what met a limit, or lost its session.
  void play_obstructed();
  void play_obstructed(Postponed& postponed);
  // What stood in the way of the script on its connections, from index `from` on of the shared one.
  std::optional<std::string> find_obstacle(Script& script, Connection* shared, std::size_t from);
  // Alone: is what needs a second look broken again? See confirmation.h.
  void look_again();
  void look_again(const Scenario& scenario);
  Patience more_patience() const;
  // A server that is reached by URL may have gone away meanwhile: nobody is blamed for that.
  void confirm_presence();
  bool open_first();
  // `is_judged`: whether what monitors saw in it counts.
  void close_first(bool is_judged);
  // What is over is counted, and given to whoever keeps transcripts.
  void hand_over(const Connection& connection, std::string_view scenario);
  void count_cost(const Connection& connection);
  Judgements watch_session(const Connection& connection, const std::string& from) const;
  void keep(Judgements judgements);
  void keep_opening(Finding finding);
  // Without `is_judged` what was said so far is held against no rule.
  void end_early(reports::RunStatus status, std::string reason, bool is_judged = true);

  const CertifyOptions& options_;
  RunContext context_;
  ProfileChoice profiles_;
  Progress progress_;
  std::vector<const Scenario*> plan_;
  bool owns_shared_session_ = true;
  bool is_first_lost_ = false;  // the server ended the session of first_
  std::unique_ptr<Connection> first_;
  std::optional<transport::Failure> opening_failure_;
  std::optional<Reply> initialize_reply_;  // after start(), where the wire could be opened
  std::optional<std::chrono::milliseconds> start_time_;
  std::optional<bool> has_begun_;  // what begin() came to
  bool is_late_ = false;
  Clock::time_point started_;
  reports::RunStatus status_ = reports::RunStatus::kConformant;
  std::string reason_;
  std::string cause_;          // why nothing more could be judged
  std::string cause_verdict_;  // the requirement whose violation that is
  bool is_mute_ = false;
  Json server_;

  std::atomic<bool> is_incomplete_{false};  // a stop left out a part of the plan
  std::mutex mutex_;                        // guards all below
  Judgements judgements_;
  reports::Cost cost_;
  std::vector<Postponed> late_;
  std::vector<Postponed> obstructed_;
};

}  // namespace assay::harness
