// How a scenario ends early.
#pragma once

#include <string>
#include <utility>

namespace assay::harness {

// Ends a scenario early because its means are gone: no session, no process. Thrown by Script and
// Connection, caught by the runner; what the scenario has not judged by then is inconclusive.
class Abandoned {
 public:
  explicit Abandoned(std::string why) : why_(std::move(why)) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

}  // namespace assay::harness
