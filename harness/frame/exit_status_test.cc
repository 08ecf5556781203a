#include "harness/frame/exit_status.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using reports::RunStatus;

reports::Result result_with(std::vector<RunStatus> statuses) {
  reports::Result result;
  for (const RunStatus status : statuses) {
    reports::Run& run = result.runs.emplace_back();
    run.status = status;
    if (status != RunStatus::kViolations) continue;
    run.verdicts.emplace_back().outcome = reports::Outcome::kViolated;
  }
  return result;
}

TEST(ExitStatus, IsThatOfWhatFails) {
  EXPECT_EQ(exit_status(result_with({RunStatus::kConformant})), kConformant);
  EXPECT_EQ(exit_status(result_with({RunStatus::kConformant, RunStatus::kUnsupported})),
            kConformant);
  EXPECT_EQ(exit_status(result_with({RunStatus::kConformant, RunStatus::kViolations})),
            kViolations);
  EXPECT_EQ(exit_status(result_with({RunStatus::kUnsupported})), kNotTested);
}

TEST(ExitStatus, IsNotHiddenBehindViolationsWhereARevisionCouldNotBeTested) {
  EXPECT_EQ(exit_status(result_with({RunStatus::kViolations, RunStatus::kFailed})), kNotTested);
  EXPECT_EQ(exit_status(result_with({RunStatus::kConformant, RunStatus::kFailed})), kNotTested);
}

TEST(ExitStatus, TellsAnInterruptedRunFromEverythingElse) {
  EXPECT_EQ(exit_status(result_with({RunStatus::kViolations, RunStatus::kIncomplete})),
            kInterrupted);
  EXPECT_EQ(exit_status(result_with({RunStatus::kConformant, RunStatus::kIncomplete})),
            kInterrupted);
}

}  // namespace
}  // namespace assay::cli
