// A server that serves clients of both eras, and lists to those of today only the versions that
// they can name, is not held to what binds servers of one era alone.
#include <gtest/gtest.h>

#include "harness/runner/runner.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

void list_own_era_only(server::Departure& d) {
  if (!d.is_result_of("server/discover")) return;
  d.result()["supportedVersions"] = Json::array({model::Revision::v2026_07_28.text()});
}

TEST(BothEras, AreNotTakenForOne) {
  const server::Fault modest = {.id = "modest",
                                .description = "Lists the versions of one era",
                                .breaks = {},
                                .departure = list_own_era_only};
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&modest});
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  options.accesses = {reference.http()};
  options.jobs = 4;
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  ASSERT_EQ(result.runs.size(), 1u);
  const reports::Run& run = result.runs.front();
  EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.reason;
  int satisfied = 0;
  for (const reports::Verdict& verdict : run.verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
        << verdict.requirement << ": " << verdict.detail;
    if (verdict.outcome == reports::Outcome::kSatisfied) ++satisfied;
  }
  EXPECT_GT(satisfied, 100);
}

}  // namespace
}  // namespace assay::scenarios
