// What a result comes to, told alike in every format: also of what nobody could judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reports/findings.h"
#include "reports/json.h"
#include "reports/merge.h"
#include "reports/result_testing.h"
#include "reports/terminal.h"
#include "reports/text.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Run clean_run(const std::string& revision, RunStatus status) {
  Run run;
  run.revision = revision;
  run.transport = "stdio";
  run.status = status;
  if (was_tested(run) || status == RunStatus::kIncomplete) {
    run.verdicts = {testing::verdict("a.x", Level::kMust, Outcome::kSatisfied)};
  }
  if (status == RunStatus::kFailed) run.reason = "it did not start";
  if (status == RunStatus::kIncomplete) run.reason = "the run was interrupted";
  return run;
}

Result result_with(std::vector<Run> runs) {
  Result result = testing::sample();
  result.runs = std::move(runs);
  return result;
}

Run violated_run(const std::string& revision) {
  auto run = clean_run(revision, RunStatus::kViolations);
  run.verdicts = {testing::violation()};
  return run;
}

std::string in_format(const Result& result, std::string_view format) {
  return find_format(format)->render(result);
}

TEST(Conclusion, IsOneLineForEachCase) {
  const auto good = clean_run("2025-11-25", RunStatus::kConformant);
  const auto bad = violated_run("2025-06-18");
  const auto failed = clean_run("2025-03-26", RunStatus::kFailed);
  const auto unsupported = clean_run("2024-11-05", RunStatus::kUnsupported);
  EXPECT_EQ(conclusion(result_with({good})), "Conformant in 1 run; 1 of 1 rule exercised");
  EXPECT_EQ(conclusion(result_with({good, unsupported})),
            "Conformant in 1 run; 1 of 1 rule exercised");
  EXPECT_EQ(conclusion(result_with({good, bad})), "1 requirement violated; 2 of 2 rules exercised");
  EXPECT_EQ(conclusion(result_with({bad, failed})),
            "1 requirement violated; 1 of 2 runs could not be tested; 1 of 1 rule exercised");
  EXPECT_EQ(conclusion(result_with({good, failed})),
            "Conformant in 1 run; 1 of 2 runs could not be tested; 1 of 1 rule exercised");
  EXPECT_EQ(conclusion(result_with({failed, unsupported})), "The target could not be tested");
  EXPECT_EQ(conclusion(result_with({unsupported})),
            "The target speaks no revision that was asked for");
}

TEST(Conclusion, TellsInEveryFormatHowMuchWasJudged) {
  auto run = clean_run("2025-11-25", RunStatus::kConformant);
  run.verdicts.push_back(testing::verdict("a.y", Level::kMust, Outcome::kNotExercised));
  run.verdicts.push_back(testing::verdict("a.z", Level::kMust, Outcome::kNotApplicable));
  const Result result = result_with({run});
  const std::string said = "1 of 2 rules";
  for (const char* format : {"html", "markdown", "statement", "statement-json", "tap", "badge"}) {
    EXPECT_THAT(in_format(result, format), HasSubstr(said)) << format;
  }
  EXPECT_THAT(render_terminal(result, {}), HasSubstr(said));
}

TEST(Conclusion, CountsARuleOfSeveralRunsOnce) {
  auto other = clean_run("2025-06-18", RunStatus::kConformant);
  other.verdicts[0].outcome = Outcome::kNotExercised;
  const Exercised shown =
      exercised_in(result_with({clean_run("2025-11-25", RunStatus::kConformant), other}));
  EXPECT_EQ(shown.exercised, 1);
  EXPECT_EQ(shown.applicable, 1);
  EXPECT_EQ(shown.percent(), 100);
}

TEST(Conclusion, OnlyWhatWasTestedWholeHasPassed) {
  const auto good = clean_run("2025-11-25", RunStatus::kConformant);
  EXPECT_TRUE(has_passed(result_with({good, clean_run("2024-11-05", RunStatus::kUnsupported)})));
  EXPECT_FALSE(has_passed(result_with({good, clean_run("2024-11-05", RunStatus::kFailed)})));
  EXPECT_FALSE(has_passed(result_with({good, clean_run("2024-11-05", RunStatus::kIncomplete)})));
  EXPECT_FALSE(has_passed(result_with({good, violated_run("2024-11-05")})));
}

TEST(Conclusion, TellsInEveryFormatThatARevisionCouldNotBeTested) {
  const Result result =
      result_with({violated_run("2025-11-25"), clean_run("2025-06-18", RunStatus::kFailed)});
  const std::string said = "1 of 2 runs could not be tested";
  for (const char* format : {"html", "markdown", "sarif", "statement", "statement-json", "tap"}) {
    EXPECT_THAT(in_format(result, format), HasSubstr(said)) << format;
  }
  EXPECT_THAT(render_terminal(result, {.quiet = true}),
              EndsWith("1 requirement violated; " + said + "; 1 of 1 rule exercised.\n"));
  EXPECT_THAT(in_format(result, "badge"), HasSubstr("not tested"));
  EXPECT_THAT(in_format(result, "junit"), HasSubstr("it did not start"));
  EXPECT_THAT(in_format(result, "json"), HasSubstr("it did not start"));
}

TEST(Conclusion, TellsInEveryFormatThatARunWasCutShort) {
  Result result = result_with({clean_run("2025-11-25", RunStatus::kConformant),
                               clean_run("2025-06-18", RunStatus::kIncomplete)});
  result.was_interrupted = true;
  const std::string said = "Interrupted: 1 of 2 runs incomplete";
  for (const char* format : {"html", "sarif", "statement", "statement-json", "tap"}) {
    EXPECT_THAT(in_format(result, format), HasSubstr(said)) << format;
  }
  EXPECT_THAT(in_format(result, "markdown"), HasSubstr("1 of 2 runs incomplete"));
  EXPECT_THAT(render_terminal(result, {.quiet = true}),
              EndsWith(said + "; 1 of 1 rule exercised.\n"));
  EXPECT_THAT(in_format(result, "badge"), HasSubstr("MCP 2025-06-18: incomplete"));
  EXPECT_THAT(in_format(result, "junit"), HasSubstr("<error message=\"the run was interrupted\""));
  const auto sarif = nlohmann::json::parse(in_format(result, "sarif"));
  EXPECT_EQ(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
  const auto again = parse_json(in_format(result, "json"));
  ASSERT_TRUE(std::holds_alternative<Result>(again));
  EXPECT_EQ(std::get<Result>(again).runs[1].status, RunStatus::kIncomplete);
  EXPECT_FALSE(is_complete(std::get<Result>(again)));
}

TEST(Conclusion, WhatOnePartOfAMergedRunLacksTheWholeLacks) {
  const Result whole = result_with({clean_run("2025-11-25", RunStatus::kConformant)});
  const Result part = result_with({clean_run("2025-11-25", RunStatus::kIncomplete)});
  const auto merged = merge(std::vector<Result>{whole, part});
  ASSERT_TRUE(std::holds_alternative<Result>(merged));
  EXPECT_EQ(std::get<Result>(merged).runs.at(0).status, RunStatus::kIncomplete);
}

}  // namespace
}  // namespace assay::reports
