// A server that serves clients of both eras, and lists to those of today only the versions that
// they can name, is not held to what binds servers of one era alone.
#include <gtest/gtest.h>

#include <string_view>

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

// Takes a request whose header names an older version for one of its newest.
void mishear_older_version(const Json&, transport::HttpHead& head) {
  for (auto& [name, value] : head.headers) {
    const auto named = model::Revision::parse(value);
    if (named && named->has_handshake()) value = model::Revision::v2026_07_28.text();
  }
}

reports::Outcome outcome_of_version_headers(const server::Faults& faults) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, faults);
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  options.wants = [](std::string_view name) {
    return name == "headers_of_other_versions_are_refused";
  };
  options.accesses = {reference.http()};
  NoEvents events;
  const reports::Run run = harness::certify(options, events).runs.at(0);
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.requirement == "http.version-mismatch-rejected") return verdict.outcome;
  }
  return reports::Outcome::kNotExercised;
}

TEST(BothEras, ServeNoRequestWhoseHeaderIsOfTheOther) {
  const server::Fault deaf = {.id = "deaf",
                              .description = "Serves requests with the version of the other era",
                              .breaks = {},
                              .mishears = mishear_older_version};
  EXPECT_EQ(outcome_of_version_headers({}), reports::Outcome::kSatisfied);
  EXPECT_EQ(outcome_of_version_headers({&deaf}), reports::Outcome::kViolated);
}

}  // namespace
}  // namespace assay::scenarios
