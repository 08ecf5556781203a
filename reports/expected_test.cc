#include "reports/expected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ExpectedFailures parse(const std::string& yaml) {
  const auto parsed = parse_expected(yaml);
  if (const auto* error = std::get_if<std::string>(&parsed)) ADD_FAILURE() << *error;
  return std::get<ExpectedFailures>(parsed);
}

std::string error_of(const std::string& yaml) {
  const auto parsed = parse_expected(yaml);
  return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "no error";
}

// A run in which `a.x` is as given, and `a.satisfied` holds.
Run run_with(const std::string& revision, const std::string& transport, Outcome outcome) {
  Run run;
  run.revision = revision;
  run.transport = transport;
  run.verdicts = {testing::verdict("a.satisfied", Level::kMust, Outcome::kSatisfied),
                  testing::verdict("a.x", Level::kMust, outcome)};
  return run;
}

Result result_with(Outcome stdio, Outcome http) {
  Result result;
  result.runs = {run_with("2025-11-25", "stdio", stdio), run_with("2025-11-25", "http", http)};
  return result;
}

TEST(Expected, ReadsEntriesOfBothForms) {
  const ExpectedFailures expected = parse(
      "server:\n"
      "  - tools.name-unique\n"
      "  - requirement: lifecycle.*\n"
      "    revision: [2025-06-18, 2025-11-25]\n"
      "    transport: stdio\n"
      "    reason: known\n"
      "client: []\n");
  EXPECT_THAT(
      expected.server,
      ElementsAre(Expectation{"tools.name-unique", {}, {}, ""},
                  Expectation{"lifecycle.*", {"2025-06-18", "2025-11-25"}, {"stdio"}, "known"}));
  EXPECT_THAT(expected.client, IsEmpty());
  EXPECT_THAT(parse("").server, IsEmpty());
  EXPECT_THAT(parse("server:\n").server, IsEmpty());
}

TEST(Expected, NamesTheLineThatIsWrong) {
  EXPECT_THAT(error_of("servers: []\n"), HasSubstr("line 1: unknown key 'servers'"));
  EXPECT_THAT(error_of("server:\n  - requirement: a\n    reson: b\n"),
              HasSubstr("line 3: unknown key 'reson'"));
  EXPECT_THAT(error_of("server:\n  - reason: b\n"), HasSubstr("'requirement' is missing"));
  EXPECT_THAT(error_of("server: x\n"), HasSubstr("a list of requirements is expected"));
  EXPECT_THAT(error_of("- a\n"), HasSubstr("the keys 'server', 'client' and 'authorization'"));
  EXPECT_THAT(error_of("server: [\n"), HasSubstr("not YAML"));
  EXPECT_THAT(error_of("server: [{requirement: a, revision: []}]"), HasSubstr("empty list"));
  EXPECT_THAT(error_of("\x1b[2J: []"), ::testing::Not(HasSubstr("\x1b")));
}

TEST(Expected, AListedViolationDoesNotFailTheRun) {
  Result result = result_with(Outcome::kViolated, Outcome::kViolated);
  ASSERT_TRUE(has_failed(result));
  apply_expected(parse("server: [{requirement: a.x, reason: known}]"), result);
  EXPECT_FALSE(has_failed(result));
  EXPECT_EQ(result.runs[0].verdicts[1].expected_reason, "known");
}

TEST(Expected, AnUnlistedViolationFailsTheRun) {
  Result result = result_with(Outcome::kViolated, Outcome::kViolated);
  apply_expected(parse("server: [b.x]\nclient: [a.x]"), result);
  EXPECT_TRUE(has_failed(result));
}

TEST(Expected, AListedRuleThatHoldsIsStale) {
  Result result = result_with(Outcome::kSatisfied, Outcome::kSatisfied);
  apply_expected(parse("server: [{requirement: a.x, reason: known}]"), result);
  EXPECT_THAT(result.stale_expectations, ElementsAre(StaleExpectation{"a.x", "", "", "known"}));
  EXPECT_TRUE(has_failed(result));
}

TEST(Expected, AnUnlistedRuleThatHoldsPasses) {
  Result result = result_with(Outcome::kSatisfied, Outcome::kSatisfied);
  apply_expected({}, result);
  EXPECT_FALSE(has_failed(result));
}

TEST(Expected, WhatIsNotJudgedIsNotStale) {
  for (const Outcome outcome :
       {Outcome::kNotExercised, Outcome::kInconclusive, Outcome::kNotApplicable}) {
    Result result = result_with(outcome, outcome);
    EXPECT_THAT(apply_expected(parse("server: [a.x]"), result), IsEmpty());
    EXPECT_THAT(result.stale_expectations, IsEmpty()) << name(outcome);
  }
}

TEST(Expected, AnEntryForEveryRunMayFailInOneOnly) {
  Result result = result_with(Outcome::kViolated, Outcome::kSatisfied);
  apply_expected(parse("server: [a.x]"), result);
  EXPECT_FALSE(has_failed(result));
}

TEST(Expected, ARunThatIsNamedMustFailItself) {
  Result result = result_with(Outcome::kViolated, Outcome::kSatisfied);
  apply_expected(parse("server: [{requirement: a.x, transport: [stdio, http]}]"), result);
  EXPECT_THAT(result.stale_expectations, ElementsAre(StaleExpectation{"a.x", "", "http", ""}));
}

TEST(Expected, AnEntryForAnotherRunExpectsNothingHere) {
  Result result = result_with(Outcome::kViolated, Outcome::kViolated);
  apply_expected(parse("server: [{requirement: a.x, revision: 2025-06-18}]"), result);
  EXPECT_TRUE(has_failed(result));
  EXPECT_THAT(result.stale_expectations, IsEmpty());
}

TEST(Expected, AGlobIsStaleOnlyWhenNothingItNamesFails) {
  Result result = result_with(Outcome::kViolated, Outcome::kViolated);
  apply_expected(parse("server: ['a.*']"), result);
  EXPECT_FALSE(has_failed(result));
}

TEST(Expected, TellsWhichEntriesMatchNothing) {
  Result result = result_with(Outcome::kViolated, Outcome::kViolated);
  EXPECT_THAT(apply_expected(parse("server: [a.x, a.y, 'b.*']"), result),
              ElementsAre("a.y", "b.*"));
}

TEST(Expected, WritesAFileThatTheSameResultPassesWith) {
  for (Result result : {result_with(Outcome::kViolated, Outcome::kSatisfied),
                        result_with(Outcome::kViolated, Outcome::kViolated), testing::sample(),
                        testing::hostile(), testing::full(120)}) {
    result.is_strict = true;
    const std::string yaml = render_expected(result);
    const std::vector<std::string> unmatched = apply_expected(parse(yaml), result);
    EXPECT_THAT(unmatched, IsEmpty());
    EXPECT_FALSE(has_failed(result)) << yaml;
  }
}

TEST(Expected, NamesOnlyTheRunsThatFail) {
  Result result = result_with(Outcome::kViolated, Outcome::kSatisfied);
  EXPECT_THAT(render_expected(result), HasSubstr("transport: [\"stdio\"]"));
  result = result_with(Outcome::kViolated, Outcome::kViolated);
  EXPECT_THAT(render_expected(result), ::testing::Not(HasSubstr("transport:")));
}

TEST(Expected, WritesAnEmptyFileForACleanResult) {
  EXPECT_THAT(render_expected(result_with(Outcome::kSatisfied, Outcome::kSatisfied)),
              HasSubstr("server: []"));
}

TEST(Glob, MatchesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("a.x", "a.x"));
  EXPECT_FALSE(matches_glob("a.x", "a.xy"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a.*", "a.b.c"));
  EXPECT_TRUE(matches_glob("*.c", "a.b.c"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_FALSE(matches_glob("a?c", "ac"));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(Expected, OneFindingIsAListByItself) {
  Result result = testing::sample();
  const Findings findings = failures(result);
  const std::string entry = expected_entry(result, findings.begin()->second);
  const auto parsed = parse_expected(entry);
  ASSERT_TRUE(std::holds_alternative<ExpectedFailures>(parsed)) << entry;
  apply_expected(std::get<ExpectedFailures>(parsed), result);
  EXPECT_TRUE(failures(result).empty());
  EXPECT_TRUE(result.stale_expectations.empty());
}

}  // namespace
}  // namespace assay::reports
