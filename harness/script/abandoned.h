// How a scenario ends early.
#pragma once

#include <string>
#include <utility>

namespace assay::harness {

// Ends a scenario early. Thrown by Script and Connection, caught by the runner; what the scenario
// has not judged by then is inconclusive.
class Abandoned {
 public:
  enum class Cause {
    kNoMeans,     // its means are gone: no session, no process
    kLateStart,   // `initialize` was not answered in time
    kTurnedAway,  // the connection was closed before that: there may be one too many
    kStopped,     // the whole run was told to stop: nothing of the scenario counts
  };
  explicit Abandoned(std::string why, Cause cause = Cause::kNoMeans)
      : why_(std::move(why)), cause_(cause) {}
  const std::string& why() const { return why_; }
  Cause cause() const { return cause_; }

 private:
  std::string why_;
  Cause cause_;
};

}  // namespace assay::harness
