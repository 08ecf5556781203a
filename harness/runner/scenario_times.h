// How long each scenario of a certification took, shared out to the verdicts that it came to: the
// times of a run's verdicts add up to what its scenarios took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "reports/events.h"
#include "reports/result.h"

namespace assay::harness {

class ScenarioTimes {
 public:
  // Times of a scenario that ran again are added. Not thread-safe.
  void add(const reports::RunKey& run, const std::string& scenario, std::int64_t milliseconds);
  // Sets the time of each verdict and candidate; those of monitors took none of their own.
  void share_out(reports::Run& run) const;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> times_;
};

}  // namespace assay::harness
