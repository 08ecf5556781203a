#include "reports/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What shard `index` of `total` would have reported: its share of the judgements, the rest
// unexercised.
Result shard(const Result& whole, std::size_t index, std::size_t total) {
  Result part = whole;
  for (auto& run : part.runs) {
    for (std::size_t i = 0; i < run.verdicts.size(); ++i) {
      Verdict& verdict = run.verdicts[i];
      const bool is_judged = verdict.outcome != Outcome::kNotApplicable;
      if (i % total == index || !is_judged) continue;
      verdict = testing::verdict(verdict.requirement, verdict.level, Outcome::kNotExercised);
      verdict.scenario.clear();
    }
  }
  return part;
}

Result normalized(Result result) {
  result.duration_ms = 0;
  for (auto& run : result.runs) run.duration_ms = 0;
  return result;
}

Result merged(const std::vector<Result>& parts) {
  const auto out = merge(parts);
  if (const auto* problem = std::get_if<std::string>(&out)) ADD_FAILURE() << *problem;
  return std::get<Result>(out);
}

TEST(Merge, ShardsGiveTheWhole) {
  const Result whole = testing::full(40);
  EXPECT_EQ(normalized(merged({shard(whole, 0, 3), shard(whole, 1, 3), shard(whole, 2, 3)})),
            normalized(whole));
}

TEST(Merge, TheOrderOfShardsDoesNotMatter) {
  const Result whole = testing::full(40);
  EXPECT_EQ(normalized(merged({shard(whole, 2, 3), shard(whole, 0, 3), shard(whole, 1, 3)})),
            normalized(whole));
}

TEST(Merge, OneReportStaysAsItIs) {
  Result whole = testing::full(10);
  EXPECT_EQ(normalized(merged({whole})), normalized(whole));
}

TEST(Merge, JoinsRunsOfSeveralMachines) {
  const Result whole = testing::full(5);
  std::vector<Result> parts;
  for (const auto& run : whole.runs) {
    parts.push_back(whole);
    parts.back().runs = {run};
  }
  EXPECT_EQ(normalized(merged(parts)), normalized(whole));
}

TEST(Merge, AViolationOutweighsEverything) {
  Result whole = testing::sample();
  Result other = whole;
  for (Verdict& verdict : other.runs[0].verdicts) verdict.outcome = Outcome::kSatisfied;
  other.runs[0].status = RunStatus::kConformant;
  const Result out = merged({other, whole});
  EXPECT_EQ(out.runs[1].status, RunStatus::kViolations);
  EXPECT_TRUE(has_failed(out));
}

TEST(Merge, WhatAScenarioSaidOutweighsSilence) {
  Result silent = testing::sample();
  silent.runs.resize(1);
  silent.runs[0].verdicts = {testing::verdict("a.x", Level::kMust, Outcome::kNotExercised)};
  silent.runs[0].verdicts[0].scenario.clear();
  Result spoken = silent;
  spoken.runs[0].verdicts[0].scenario = "a_scenario";
  spoken.runs[0].verdicts[0].outcome = Outcome::kNotApplicable;
  for (const auto& parts : {std::vector{silent, spoken}, std::vector{spoken, silent}}) {
    EXPECT_EQ(merged(parts).runs[0].verdicts[0].outcome, Outcome::kNotApplicable);
  }
}

TEST(Merge, AnEntryThatFailsInAnotherShardIsNotStale) {
  Result holds = testing::sample();
  holds.runs[0].verdicts.clear();
  holds.runs[1].verdicts.clear();
  holds.stale_expectations = {{"ping.*", "2025-11-25", "stdio", ""}, {"gone.*", "", "", ""}};
  const Result out = merged({holds, testing::sample()});
  EXPECT_THAT(out.stale_expectations,
              ::testing::ElementsAre(StaleExpectation{"gone.*", "", "", ""}));
}

TEST(Merge, RefusesReportsThatDoNotBelongTogether) {
  const Result one = testing::sample();
  Result other = one;
  other.catalogue_digest = "sha256:ff";
  EXPECT_THAT(std::get<std::string>(merge(std::vector{one, other})), HasSubstr("catalogue"));
  other = one;
  other.target.command = {"python", "y.py"};
  EXPECT_THAT(std::get<std::string>(merge(std::vector{one, other})), HasSubstr("target"));
  other = one;
  other.target.version = "9";
  EXPECT_THAT(std::get<std::string>(merge(std::vector{one, other})), HasSubstr("everything 9"));
  other = one;
  other.tool_version = "9";
  EXPECT_THAT(std::get<std::string>(merge(std::vector{one, other})), HasSubstr("mcp-assay"));
  EXPECT_THAT(std::get<std::string>(merge({})), HasSubstr("nothing"));
}

}  // namespace
}  // namespace assay::reports
