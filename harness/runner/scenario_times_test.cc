#include "harness/runner/scenario_times.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

reports::Verdict judged_by(const std::string& scenario) {
  reports::Verdict verdict;
  verdict.scenario = scenario;
  return verdict;
}

TEST(ScenarioTimes, AreSharedOutToTheVerdictsOfAScenario) {
  ScenarioTimes times;
  times.add({"2025-11-25", "stdio"}, "two", 60);
  times.add({"2025-11-25", "stdio"}, "one", 5);
  times.add({"2025-11-25", "stdio"}, "one", 2);
  times.add({"2025-11-25", "http"}, "one", 1000);
  reports::Run run;
  run.revision = "2025-11-25";
  run.transport = "stdio";
  run.verdicts = {judged_by("two"), judged_by("one"), judged_by("two"), judged_by("a_monitor")};
  times.share_out(run);
  EXPECT_EQ(run.verdicts[0].duration_ms, 30);
  EXPECT_EQ(run.verdicts[1].duration_ms, 7);
  EXPECT_EQ(run.verdicts[2].duration_ms, 30);
  EXPECT_EQ(run.verdicts[3].duration_ms, 0);
}

}  // namespace
}  // namespace assay::harness
