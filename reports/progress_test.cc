#include "reports/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

ProgressOptions every_event(int width = 80) {
  return {true, width, std::chrono::milliseconds(0)};
}

TEST(Progress, WritesNothingOfAShortRunWithoutATerminal) {
  std::ostringstream out;
  {
    Progress progress(out, {});
    progress.run_started({2, 4});
    progress.scenario_finished({"2025-11-25", "stdio"}, "x", 1);
    progress.verdict({"2025-11-25", "stdio"}, testing::violation());
    progress.run_finished({});
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, WritesALineNowAndThenWithoutATerminal) {
  std::ostringstream out;
  ProgressOptions options;
  options.line_interval = std::chrono::milliseconds(0);
  Progress progress(out, options);
  progress.run_started({1, 4});
  progress.scenario_finished({"2025-11-25", "stdio"}, "lifecycle", 1);
  EXPECT_THAT(out.str(), EndsWith("mcp-assay: 1 of 4 scenarios done\n"));
}

TEST(Progress, NamesOneOfSeveralTargets) {
  std::ostringstream out;
  ProgressOptions options = every_event();
  options.title = "memory (2 of 5)";
  Progress progress(out, options);
  progress.run_started({1, 4});
  EXPECT_THAT(out.str(), EndsWith("0/4  memory (2 of 5)"));
}

TEST(Progress, MakesRoomForANote) {
  std::ostringstream out;
  Progress progress(out, every_event());
  progress.run_started({1, 4});
  progress.clear();
  EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
  progress.scenario_finished({"2025-11-25", "stdio"}, "lifecycle", 1);
  EXPECT_THAT(out.str(), HasSubstr("1/4"));
}

TEST(Progress, CountsScenariosAndViolations) {
  std::ostringstream out;
  Progress progress(out, every_event());
  progress.run_started({1, 4});
  progress.scenario_finished({"2025-11-25", "stdio"}, "lifecycle", 1);
  progress.verdict({"2025-11-25", "stdio"}, testing::violation());
  EXPECT_THAT(out.str(),
              EndsWith("[=====               ] 1/4  1 violated  2025-11-25 stdio  lifecycle"));
}

TEST(Progress, LeavesACleanLine) {
  std::ostringstream out;
  Progress progress(out, every_event());
  progress.run_started({1, 1});
  progress.run_finished({});
  EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
}

TEST(Progress, NeverWrapsItsLine) {
  std::ostringstream out;
  Progress progress(out, every_event(30));
  progress.run_started({1, 2});
  progress.scenario_finished({"2025-11-25", "stdio"}, std::string(200, 'x'), 1);
  const std::string line = out.str().substr(out.str().rfind("\x1b[K") + 3);
  EXPECT_EQ(line.size(), 29U);
}

TEST(Progress, DrawsNoMoreOftenThanItsInterval) {
  std::ostringstream out;
  Progress progress(out, {true, 80, std::chrono::hours(1)});
  progress.run_started({1, 1000});
  for (int i = 0; i < 999; ++i) progress.scenario_finished({"r", "t"}, "x", 1);
  EXPECT_LT(out.str().size(), 100U);
}

}  // namespace
}  // namespace assay::reports
