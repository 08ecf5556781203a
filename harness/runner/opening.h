// How a run begins: the handshake or the discovery, the survey, and what is said of a target with
// which neither comes about. It owns the shared session.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/runner/profile_choice.h"
#include "harness/runner/run_record.h"

namespace assay::harness {

class Opening {
 public:
  // `is_judged`: whether what monitors see beside the shared session counts in this run.
  Opening(RunRecord& record, bool is_judged)
      : record_(record),
        context_(record.context()),
        state_(record.state()),
        is_judged_(is_judged) {}

  // Opens the first session and asks for `initialize` (or `server/discover`).
  void start();
  Clock::time_point started() const { return started_; }
  // How long the answer took; nothing if there was none.
  std::optional<std::chrono::milliseconds> start_time() const { return start_time_; }
  // Goes on from the answer, and takes the survey; starts where nobody did. False if there is
  // nothing more to be done: the target does not speak the revision, cannot be tested, or answers
  // nothing.
  bool begin();
  // After begin(): the target lets nobody in without credentials.
  bool is_refused() const { return is_refused_; }
  // The opening was not answered in time.
  bool is_late() const { return is_late_; }
  // Forgets all that, and doubles the patience.
  void reset();

  // After begin(): which profiles the target fits, and what they name that it does not list.
  const ProfileChoice& profiles() const { return profiles_; }

  // The shared session; null where none is open.
  Connection* session() const { return first_.get(); }
  // A new one in its place. False if it does not begin.
  bool reopen();
  // Without `is_judged` what was said so far is held against no rule.
  void end_early(reports::RunStatus status, std::string reason, bool is_judged = true);
  // `is_judged`: whether what monitors saw in it counts.
  void close(bool is_judged);
  // Reads the target's lists, on new connections where it ends them, and chooses its profiles.
  void take_survey();

 private:
  bool begin_session();
  // The same without a handshake.
  bool begin_stateless(const Reply& reply);
  // The extensions that the server declares, or that were asked for. The survey adds those that its
  // tools show.
  void choose_extensions();
  bool answers_without_discovery(const Reply& reply);
  bool begin_without_discovery(const Reply& reply);
  bool begins_again();
  void read_lists();
  // Finds out, in a session of its own, what the tools do of which no profile knows.
  void explore_tools();
  // A version that the server offers is one that it supports, and so it has to answer with it when
  // it is asked for it.
  void check_offer(const std::string& offered, const Reply& offer);
  // What is said of a target that answered `initialize`, but not with a result.
  void note_refusal(const Reply& reply);
  // The target took part in the handshake and then fell silent: nothing more can be judged.
  void note_muteness(const Reply& ping);

  RunRecord& record_;
  RunContext& context_;
  RunRecord::State& state_;
  const bool is_judged_;
  ProfileChoice profiles_;
  std::unique_ptr<Connection> first_;
  std::optional<transport::Failure> failure_;
  std::optional<Reply> reply_;  // after start(), where the wire could be opened
  std::optional<std::chrono::milliseconds> start_time_;
  Clock::time_point started_ = Clock::now();
  bool is_late_ = false;
  bool is_refused_ = false;
};

}  // namespace assay::harness
