#include "reports/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using BaselineKind = BaselineChange::Kind;

Run run_of(const std::string& revision, const std::string& transport, Outcome outcome) {
  Run run;
  run.revision = revision;
  run.transport = transport;
  run.verdicts = {testing::verdict("a.x", Level::kMust, outcome)};
  run.verdicts.front().detail = "it answered late";
  return run;
}

Result result_of(std::vector<Run> runs) {
  Result result;
  result.started = "2026-01-31T12:00:00Z";
  result.runs = std::move(runs);
  return result;
}

std::vector<BaselineKind> kinds(const Baseline& baseline) {
  std::vector<BaselineKind> out;
  for (const BaselineChange& each : baseline.changes) out.push_back(each.kind);
  return out;
}

TEST(Baseline, ListsWhatFailsWithItsReasonAndTheDay) {
  const Result result = result_of({run_of("2025-11-25", "stdio", Outcome::kViolated)});
  const Baseline found = renewed({}, result, {});
  EXPECT_THAT(found.list.server,
              ElementsAre(Expectation{"a.x", {}, {}, "it answered late", "2026-01-31"}));
  EXPECT_THAT(kinds(found), ElementsAre(BaselineKind::kAdded));
  EXPECT_EQ(renewed({}, result, {true, "issue 12"}).list.server.front().reason, "issue 12");
}

TEST(Baseline, KeepsReasonsAndDaysAndIsStable) {
  Result result = result_of({run_of("2025-11-25", "stdio", Outcome::kViolated),
                             run_of("2025-11-25", "http", Outcome::kSatisfied)});
  ExpectedFailures list;
  list.server = {{"a.x", {}, {"stdio"}, "issue 12", "2025-01-01"}};
  list.client = {{"b.y", {}, {}, "of another target", ""}};
  const Baseline found = renewed(list, result, {});
  EXPECT_EQ(found.list, list);
  EXPECT_THAT(kinds(found), ElementsAre(BaselineKind::kKept));
  const auto read = parse_expected(render_list(found.list));
  ASSERT_TRUE(std::holds_alternative<ExpectedFailures>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<ExpectedFailures>(read), list);
}

TEST(Baseline, RemovesJustWhatHoldsAgain) {
  ExpectedFailures list;
  list.server = {{"a.x", {"2025-06-18", "2025-11-25"}, {"stdio", "http"}, "why", ""}};
  const Baseline found = renewed(list,
                                 result_of({run_of("2025-06-18", "stdio", Outcome::kSatisfied),
                                            run_of("2025-06-18", "http", Outcome::kViolated),
                                            run_of("2025-11-25", "stdio", Outcome::kViolated),
                                            run_of("2025-11-25", "http", Outcome::kInconclusive)}),
                                 {});
  EXPECT_THAT(found.list.server,
              ElementsAre(Expectation{"a.x", {"2025-06-18"}, {"http"}, "why", ""},
                          Expectation{"a.x", {"2025-11-25"}, {"stdio", "http"}, "why", ""}));
  EXPECT_THAT(kinds(found),
              ElementsAre(BaselineKind::kRemoved, BaselineKind::kKept, BaselineKind::kKept));
}

TEST(Baseline, EmptiesTheListOfATargetThatIsMended) {
  ExpectedFailures list;
  list.server = {{"a.*", {}, {}, "why", ""}, {"b.y", {}, {}, "not judged here", ""}};
  const Baseline found =
      renewed(list, result_of({run_of("2025-11-25", "stdio", Outcome::kSatisfied)}), {});
  EXPECT_THAT(found.list.server, ElementsAre(list.server[1]));
}

TEST(Baseline, GrowsByTheRunsThatAreNotListed) {
  ExpectedFailures list;
  list.server = {{"a.x", {"2025-06-18"}, {}, "why", "2025-01-01"}};
  const Result result = result_of({run_of("2025-06-18", "stdio", Outcome::kViolated),
                                   run_of("2025-11-25", "stdio", Outcome::kViolated)});
  const Baseline found = renewed(list, result, {});
  EXPECT_THAT(
      found.list.server,
      ElementsAre(list.server[0],
                  Expectation{"a.x", {"2025-11-25"}, {"stdio"}, "it answered late", "2026-01-31"}));
  Result again = result;
  apply_expected(found.list, again);
  EXPECT_FALSE(has_failed(again));
}

TEST(Baseline, OnlyShrinksIfItIsToldSo) {
  const Baseline found =
      renewed({}, result_of({run_of("2025-11-25", "stdio", Outcome::kViolated)}), {false, ""});
  EXPECT_THAT(found.list.server, IsEmpty());
  EXPECT_THAT(kinds(found), ElementsAre(BaselineKind::kLeftOut));
}

// Whatever the target says ends up in a file that can be read.
TEST(Baseline, IsReadAgainWhateverTheTargetSays) {
  Result result = testing::hostile();
  result.is_strict = true;
  const Baseline found = renewed({}, result, {});
  const auto read = parse_expected(render_list(found.list));
  ASSERT_TRUE(std::holds_alternative<ExpectedFailures>(read)) << std::get<std::string>(read);
  apply_expected(std::get<ExpectedFailures>(read), result);
  EXPECT_TRUE(failures(result).empty());
}

}  // namespace
}  // namespace assay::reports
