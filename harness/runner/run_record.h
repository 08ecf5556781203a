// What the parts of one run share: how the target is reached, what has been found, and how the run
// stands.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "harness/runner/judgement.h"
#include "harness/runner/offers.h"
#include "harness/runner/runner.h"
#include "harness/script/script.h"
#include "reports/result.h"

namespace assay::harness {

class RunRecord {
 public:
  RunRecord(const CertifyOptions& options, const TargetAccess& access, model::Revision revision);

  // How the run stands. The opening says so, and what is tried again may change it.
  struct State {
    reports::RunStatus status = reports::RunStatus::kConformant;
    std::string reason;
    std::string cause;          // why nothing more could be judged
    std::string cause_verdict;  // the requirement whose violation that is
    bool is_mute = false;       // the target answered the opening, and nothing that came after it
    Json server;                // what it says of itself
    Offers offers;              // what it offers, once the survey is taken
  };

  const CertifyOptions& options() const { return options_; }
  RunContext& context() { return context_; }
  const RunContext& context() const { return context_; }
  State& state() { return state_; }
  reports::RunKey key() const;

  bool was_stopped() const { return context_.stop.stop_requested(); }
  // A stop left out a part of the plan.
  void note_incomplete() { is_incomplete_ = true; }
  bool is_incomplete() const { return is_incomplete_; }

  // A new connection to the target, which is not open yet.
  std::unique_ptr<Connection> new_connection() const { return new_connection(context_.patience); }
  std::unique_ptr<Connection> new_connection(Patience patience) const;

  void keep(Judgements judgements);
  // The same of what comes before the first scenario.
  void keep_opening(Finding finding);
  // Fills in what only the session knows in which the breach was proved: what was asked, what
  // stands around it, and how to see it again.
  void tell(std::span<const EventPtr> events, Judgement& judgement) const;
  // The same for all that scenarios found in it: what followed can be shown only now.
  void tell_all(std::span<const EventPtr> events);
  // What monitors see in the session, and which part of the plan each finding comes from.
  using PartOf = std::function<std::string(const Finding&)>;
  Judgements watch_session(const Connection& connection, const PartOf& part_of) const;
  Judgements watch_session(const Connection& connection, const std::string& from) const {
    return watch_session(connection, [&](const Finding&) { return from; });
  }
  // Counts a session that is over, and gives it to the keeper of transcripts. `counted`: how much of its
  // waiting count_wait() has been told of.
  void hand_over(const Connection& connection, std::string_view scenario,
                 Clock::duration counted = {});
  void count_cost(const Connection& connection, std::string_view scenario,
                  Clock::duration counted = {});
  // That the scenario waited in vain for so long.
  void count_wait(std::string_view scenario, Clock::duration waited);

  // What was found so far, and what it cost. Only when nothing else runs.
  Judgements& judgements() { return judgements_; }
  const reports::Cost& cost() const { return cost_; }

 private:
  const CertifyOptions& options_;
  RunContext context_;
  State state_;
  std::atomic<bool> is_incomplete_{false};
  std::mutex mutex_;  // guards all below
  Judgements judgements_;
  reports::Cost cost_;
};

}  // namespace assay::harness
