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
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
          << verdict.requirement << ": " << verdict.detail;
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
