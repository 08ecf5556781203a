#include "reports/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/markdown.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result with(Outcome outcome, Level level = Level::kMust) {
  Result result = testing::sample();
  result.runs.resize(1);
  result.runs[0].verdicts = {testing::verdict("a.x", level, outcome)};
  return result;
}

std::vector<ChangeKind> kinds(const Result& before, const Result& after) {
  std::vector<ChangeKind> out;
  for (const Change& change : compare(before, after).changes) out.push_back(change.kind);
  return out;
}

TEST(Compare, TellsEveryKindOfChange) {
  struct Case {
    Outcome before;
    Outcome after;
    ChangeKind kind;
  };
  for (const Case& each :
       std::vector<Case>{{Outcome::kSatisfied, Outcome::kViolated, ChangeKind::kWorse},
                         {Outcome::kNotExercised, Outcome::kViolated, ChangeKind::kWorse},
                         {Outcome::kViolated, Outcome::kSatisfied, ChangeKind::kBetter},
                         {Outcome::kNotExercised, Outcome::kSatisfied, ChangeKind::kExercised},
                         {Outcome::kInconclusive, Outcome::kSatisfied, ChangeKind::kExercised},
                         {Outcome::kSatisfied, Outcome::kNotExercised, ChangeKind::kLost},
                         {Outcome::kViolated, Outcome::kInconclusive, ChangeKind::kLost}}) {
    EXPECT_THAT(kinds(with(each.before), with(each.after)), ::testing::ElementsAre(each.kind))
        << name(each.before) << " to " << name(each.after);
  }
}

TEST(Compare, SaysNothingOfWhatStays) {
  EXPECT_THAT(compare(testing::sample(), testing::sample()).changes, IsEmpty());
  EXPECT_EQ(render_comparison_text(compare(testing::sample(), testing::sample())),
            "Nothing changed.\n");
  EXPECT_THAT(kinds(with(Outcome::kNotExercised), with(Outcome::kInconclusive)), IsEmpty());
}

TEST(Compare, AShouldMakesItWorseOnlyIfStrict) {
  const Result before = with(Outcome::kSatisfied, Level::kShould);
  Result after = with(Outcome::kViolated, Level::kShould);
  EXPECT_THAT(kinds(before, after), ::testing::ElementsAre(ChangeKind::kAdvisory));
  EXPECT_FALSE(compare(before, after).is_worse());
  after.is_strict = true;
  EXPECT_TRUE(compare(before, after).is_worse());
}

TEST(Compare, AnExpectedFailureIsNotWorse) {
  Result after = with(Outcome::kViolated);
  after.runs[0].verdicts[0].is_expected = true;
  EXPECT_FALSE(compare(with(Outcome::kSatisfied), after).is_worse());
  EXPECT_TRUE(compare(after, with(Outcome::kViolated)).is_worse());
}

TEST(Compare, ANewRequirementOrRunIsNotWorse) {
  Result before = with(Outcome::kSatisfied);
  before.runs[0].verdicts.clear();
  EXPECT_THAT(kinds(before, with(Outcome::kViolated)), ::testing::ElementsAre(ChangeKind::kNew));
  Result after = with(Outcome::kViolated);
  after.runs.push_back(testing::run("2025-11-25", "http"));
  before = with(Outcome::kViolated);
  const Comparison comparison = compare(before, after);
  EXPECT_FALSE(comparison.is_worse());
  EXPECT_THAT(comparison.notes, ::testing::Contains(HasSubstr("only the new report has a run")));
}

TEST(Compare, ARunThatIsLostIsWorseOnce) {
  Result after = with(Outcome::kNotExercised);
  after.runs[0].status = RunStatus::kFailed;
  after.runs[0].reason = "died";
  const Comparison comparison = compare(with(Outcome::kSatisfied), after);
  EXPECT_TRUE(comparison.is_worse());
  EXPECT_EQ(comparison.changes.size(), 1U);
  EXPECT_THAT(render_comparison_text(comparison), HasSubstr("died"));
  EXPECT_FALSE(compare(after, with(Outcome::kSatisfied)).is_worse());
}

TEST(Compare, WhatIsNoLongerJudgedIsWorseUnlessAllowed) {
  for (const Outcome was : {Outcome::kSatisfied, Outcome::kViolated}) {
    for (const Outcome is :
         {Outcome::kNotExercised, Outcome::kInconclusive, Outcome::kNotApplicable}) {
      EXPECT_TRUE(compare(with(was), with(is)).is_worse()) << name(was) << " to " << name(is);
      EXPECT_FALSE(compare(with(was), with(is), {.allow_missing = true}).is_worse());
    }
  }
}

TEST(Compare, ARequirementThatTheNewReportLacksIsWorse) {
  Result after = with(Outcome::kSatisfied);
  after.runs[0].verdicts.clear();
  const Comparison comparison = compare(with(Outcome::kSatisfied), after);
  EXPECT_TRUE(comparison.is_worse());
  EXPECT_THAT(render_comparison_text(comparison),
              HasSubstr("a.x: not in the new report, was satisfied"));
  EXPECT_FALSE(compare(with(Outcome::kNotExercised), after).is_worse());
}

TEST(Compare, ARunThatTheNewReportLacksIsWorse) {
  Result after = testing::sample();
  after.runs.erase(after.runs.begin());
  const Comparison comparison = compare(testing::sample(), after);
  EXPECT_TRUE(comparison.is_worse());
  EXPECT_THAT(render_comparison_text(comparison), HasSubstr("the run: not in the new report"));
  EXPECT_FALSE(compare(testing::sample(), after, {.allow_missing = true}).is_worse());
}

TEST(Compare, AnInterruptedRunIsWorseThanAWholeOne) {
  Result after = with(Outcome::kSatisfied);
  after.was_interrupted = true;
  const Comparison comparison = compare(with(Outcome::kSatisfied), after);
  EXPECT_TRUE(comparison.is_worse());
  EXPECT_THAT(render_comparison_text(comparison), HasSubstr("interrupted, was complete"));
  EXPECT_FALSE(compare(after, with(Outcome::kSatisfied)).is_worse());
}

TEST(Compare, ARunThatWasCutOffIsLostAndWhatItFoundStands) {
  Result after = with(Outcome::kViolated);
  after.was_interrupted = true;
  after.runs[0].status = RunStatus::kIncomplete;
  EXPECT_THAT(kinds(with(Outcome::kSatisfied), after),
              ::testing::ElementsAre(ChangeKind::kWorse, ChangeKind::kLost));
  EXPECT_TRUE(compare(with(Outcome::kSatisfied), after, {.allow_missing = true}).is_worse());
  after.runs[0].verdicts.clear();
  EXPECT_THAT(kinds(with(Outcome::kSatisfied), after), ::testing::ElementsAre(ChangeKind::kLost));
}

TEST(Compare, ReportsWithoutACommonRunAreNeverFine) {
  Result after = with(Outcome::kSatisfied);
  after.runs[0].revision = "2024-11-05";
  const Comparison comparison = compare(with(Outcome::kSatisfied), after, {.allow_missing = true});
  EXPECT_TRUE(comparison.is_worse());
  EXPECT_THAT(render_comparison_text(comparison), HasSubstr("Nothing could be compared"));
  EXPECT_THAT(render_comparison_markdown(comparison), HasSubstr("worse"));
}

TEST(Compare, TellsARuleOnceForSeveralRuns) {
  Result before = testing::sample();
  for (auto& run : before.runs) {
    for (Verdict& verdict : run.verdicts) verdict.outcome = Outcome::kSatisfied;
  }
  const std::string text = render_comparison_text(compare(before, testing::sample()));
  EXPECT_THAT(text, HasSubstr("lifecycle.version-supported-echo: violated, was satisfied in "
                              "2025-11-25 stdio, 2025-11-25 http"));
}

TEST(Compare, NotesWhatMakesReportsHardToCompare) {
  Result after = testing::sample();
  after.catalogue_version = "2";
  EXPECT_THAT(compare(testing::sample(), after).notes,
              ::testing::ElementsAre("catalogue: 1 before, 2 now"));
}

TEST(Compare, MarkdownIsBoundedAndHarmless) {
  Result before = testing::full(600);
  Result after = testing::hostile();
  for (auto& run : before.runs) {
    for (Verdict& verdict : run.verdicts) verdict.outcome = Outcome::kSatisfied;
  }
  EXPECT_LT(render_comparison_markdown(compare(before, testing::full(600))).size(),
            kMaxMarkdownBytes);
  const std::string text = render_comparison_markdown(compare(before, after));
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace assay::reports
