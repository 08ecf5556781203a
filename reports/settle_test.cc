#include "reports/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json.h"
#include "reports/merge.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;

Candidate candidate(const std::string& requirement, Outcome outcome, const std::string& judge,
                    const std::string& from = "3 x") {
  Candidate out;
  out.verdict = testing::verdict(requirement, Level::kMust, outcome);
  out.verdict.scenario = judge;
  out.verdict.detail = judge + " says so";
  out.from = from;
  return out;
}

Candidate silence(const std::string& requirement, const std::string& judge,
                  const std::string& from = "3 x") {
  Candidate out = candidate(requirement, Outcome::kViolated, judge, from);
  out.is_silence = true;
  return out;
}

Candidate framing(const std::string& judge, const std::string& from = "3 x") {
  Candidate out = candidate("jsonrpc.response-id", Outcome::kViolated, judge, from);
  out.explains_silence = true;
  return out;
}

TEST(Settle, ABreachOutweighsEverythingAndTheFirstIsTold) {
  const auto verdicts = settle({candidate("a.x", Outcome::kSatisfied, "one"),
                                candidate("a.x", Outcome::kViolated, "two"),
                                candidate("a.x", Outcome::kViolated, "three"),
                                candidate("a.x", Outcome::kInconclusive, "four")});
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].outcome, Outcome::kViolated);
  EXPECT_EQ(verdicts[0].scenario, "two");
}

TEST(Settle, WhatWasSaidOutweighsWhatNobodySpokeOf) {
  const auto verdicts = settle({candidate("a.x", Outcome::kNotExercised, ""),
                                candidate("a.x", Outcome::kNotApplicable, "one")});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kNotApplicable);
}

TEST(Settle, SilenceIsExplainedByAnswersThatNobodyCanUse) {
  const auto verdicts = settle({framing("monitor"), silence("a.x", "scenario")});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kInconclusive);
  EXPECT_EQ(verdicts[0].caused_by, "jsonrpc.response-id");
  EXPECT_EQ(verdicts[0].detail, "scenario says so; jsonrpc.response-id was broken first");
  EXPECT_EQ(verdicts[1].outcome, Outcome::kViolated);
}

TEST(Settle, SilenceThatIsExplainedGivesWayToWhatWasProved) {
  const auto verdicts = settle({framing("monitor"), silence("a.x", "scenario"),
                                candidate("a.x", Outcome::kSatisfied, "another")});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kSatisfied);
}

// What was seen to be broken is not made good by what was kept elsewhere, whatever it came of.
TEST(Settle, ABreachThatIsExplainedIsNotCoveredByWhatWasKept) {
  Candidate seen = candidate("a.x", Outcome::kViolated, "scenario");
  seen.explained_by = "schema.tools-call-result";
  const auto verdicts = settle({seen, candidate("a.x", Outcome::kSatisfied, "another")});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kInconclusive);
  EXPECT_EQ(verdicts[0].caused_by, "schema.tools-call-result");
}

TEST(Settle, ARuleThatTheRevisionLacksExplainsAndIsNoVerdict) {
  Candidate cause = framing("monitor");
  cause.is_cause_only = true;
  const auto verdicts = settle({silence("a.x", "scenario"), cause});
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].caused_by, "jsonrpc.response-id");
}

TEST(Settle, OneOfSeveralCausesIsNamedWhateverTheirOrder) {
  Candidate other = framing("monitor");
  other.verdict.requirement = "stdio.messages-only";
  EXPECT_EQ(settle({other, silence("a.x", "s"), framing("monitor")}),
            settle({framing("monitor"), other, silence("a.x", "s")}));
}

TEST(Settle, NothingIsItsOwnCause) {
  Candidate ping = silence("ping.answered", "one");
  ping.explains_silence = true;
  const auto verdicts = settle({ping, silence("a.x", "one")});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kViolated);  // one judge says both together
  EXPECT_EQ(verdicts[1].outcome, Outcome::kViolated);
}

TEST(Settle, WhatItsSessionExplainsNamesItsCause) {
  Candidate explained = candidate("a.x", Outcome::kViolated, "one");
  explained.explained_by = "schema.tools-list-result";
  const auto verdicts = settle({explained});
  EXPECT_EQ(verdicts[0].outcome, Outcome::kInconclusive);
  EXPECT_EQ(verdicts[0].caused_by, "schema.tools-list-result");
  EXPECT_EQ(verdicts[0].detail, "one says so; schema.tools-list-result was broken first");
}

TEST(Settle, AnUnansweredPingExplainsWhatHasNoAnswerAndIsExplainedItself) {
  Candidate ping = silence("ping.answered", "pings");
  ping.explains_silence = true;
  Candidate refused = candidate("a.x", Outcome::kViolated, "calls");
  refused.lacks_answer = true;
  EXPECT_EQ(settle({ping, refused})[0].caused_by, "ping.answered");
  EXPECT_EQ(settle({ping, refused})[1].outcome, Outcome::kViolated);
  // Answers with a wrong id explain the ping, and so everything.
  const auto verdicts = settle({framing("monitor"), ping, refused});
  EXPECT_EQ(verdicts[0].caused_by, "jsonrpc.response-id");
  EXPECT_EQ(verdicts[1].outcome, Outcome::kViolated);
  EXPECT_EQ(verdicts[2].caused_by, "jsonrpc.response-id");
}

TEST(Settle, AnswersThatNobodyCanUseDoNotExplainARefusal) {
  Candidate refused = candidate("a.x", Outcome::kViolated, "calls");
  refused.lacks_answer = true;
  EXPECT_EQ(settle({framing("monitor"), refused})[0].outcome, Outcome::kViolated);
}

Candidate ended(const std::string& requirement, const std::string& judge, const std::string& over) {
  Candidate out = candidate(requirement, Outcome::kViolated, judge);
  out.ended_over = over;
  return out;
}

TEST(Settle, WhoEndsAtEveryPingDoesNotEndBecauseOfWhatCameBeforeOne) {
  const auto root = ended("jsonrpc.request-answered-once", "one", "ping");
  const auto other = ended("jsonrpc.bad-message-survived", "two", "ping");
  Candidate unjudged = candidate("a.x", Outcome::kInconclusive, "two");
  unjudged.verdict.caused_by = "jsonrpc.bad-message-survived";
  const auto verdicts = settle({unjudged, other, root});
  EXPECT_EQ(verdicts[0].caused_by, "jsonrpc.request-answered-once");
  EXPECT_EQ(verdicts[1].outcome, Outcome::kInconclusive);
  EXPECT_EQ(verdicts[1].caused_by, "jsonrpc.request-answered-once");
  EXPECT_EQ(verdicts[2].outcome, Outcome::kViolated);
  const auto apart = settle({ended("jsonrpc.request-answered-once", "one", "tools/list"), other});
  EXPECT_EQ(apart[0].outcome, Outcome::kViolated);
}

TEST(Settle, OfTwoWhoSayThatARuleHeldTheOneIsTakenWhoSaysHowOften) {
  auto plain = candidate("a.x", Outcome::kSatisfied, "one");
  plain.verdict.detail.clear();
  auto counted = candidate("a.x", Outcome::kSatisfied, "two");
  counted.verdict.detail = "tried with 3 names";
  EXPECT_EQ(settle({plain, counted})[0].detail, counted.verdict.detail);
  EXPECT_EQ(settle(worth_keeping({plain, counted}))[0].detail, counted.verdict.detail);
}

Result shard(int index, int total, std::vector<Candidate> candidates) {
  Result out = testing::sample();
  out.runs.resize(1);
  Run& run = out.runs[0];
  run.shard = {index, total};
  run.candidates = worth_keeping(candidates);
  run.verdicts = settle(std::move(candidates));
  return std::get<Result>(parse_json(render_json(out)));
}

std::vector<Verdict> settled(const std::vector<Result>& parts) {
  const auto out = merge(parts);
  if (const auto* problem = std::get_if<std::string>(&out)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<Result>(out).runs.at(0).verdicts;
}

std::string problem(const std::vector<Result>& parts) {
  const auto out = merge(parts);
  return std::holds_alternative<std::string>(out) ? std::get<std::string>(out) : "";
}

TEST(MergeOfShards, ACauseInOneShardExplainsSilenceInAnother) {
  const std::vector<Candidate> first = {framing("monitor", "1 ")};
  const std::vector<Candidate> second = {silence("a.x", "scenario", "3 b"),
                                         candidate("a.x", Outcome::kSatisfied, "c", "3 c")};
  std::vector<Candidate> all = first;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_EQ(settled({shard(2, 2, second), shard(1, 2, first)}), settle(all));
  EXPECT_EQ(settle(all)[0].outcome, Outcome::kSatisfied);
}

TEST(MergeOfShards, AnEndInOneShardExplainsAnEndInAnother) {
  const auto root = ended("jsonrpc.request-answered-once", "one", "ping");
  const auto other = ended("jsonrpc.bad-message-survived", "two", "ping");
  EXPECT_EQ(settled({shard(1, 2, {other}), shard(2, 2, {root})}), settle({other, root}));
}

TEST(MergeOfShards, AReasonThatAllShardsGiveStays) {
  auto first = shard(1, 2, {framing("monitor")});
  auto second = shard(2, 2, {framing("monitor")});
  first.runs[0].reason = second.runs[0].reason = "initialize was refused";
  EXPECT_EQ(std::get<Result>(merge(std::vector{first, second})).runs[0].reason,
            "initialize was refused");
  second.runs[0].reason = "this machine has no Node.js";
  EXPECT_EQ(std::get<Result>(merge(std::vector{first, second})).runs[0].reason, "");
}

TEST(MergeOfShards, TheOrderOfThePlanDecidesWhichBreachIsTold) {
  const auto early = candidate("a.x", Outcome::kViolated, "early", "3 a");
  const auto late = candidate("a.x", Outcome::kViolated, "late", "3 b");
  EXPECT_EQ(settled({shard(1, 2, {late}), shard(2, 2, {early})})[0].scenario, "early");
  EXPECT_EQ(settled({shard(2, 2, {early}), shard(1, 2, {late})})[0].scenario, "early");
}

TEST(MergeOfShards, AnExpectationStaysWithItsRequirement) {
  Result first = shard(1, 2, {candidate("a.x", Outcome::kViolated, "late", "3 b")});
  first.runs[0].verdicts[0].is_expected = true;
  first.runs[0].verdicts[0].expected_reason = "known";
  const auto verdicts =
      settled({first, shard(2, 2, {candidate("a.x", Outcome::kViolated, "early", "3 a")})});
  EXPECT_TRUE(verdicts[0].is_expected);
  EXPECT_EQ(verdicts[0].expected_reason, "known");
}

TEST(MergeOfShards, AllOfThemMustBeThereOnce) {
  const auto part = [](int index, int total) {
    return shard(index, total, {candidate("a.x", Outcome::kSatisfied, "a")});
  };
  EXPECT_EQ(problem({part(1, 3)}),
            "of the 3 shards of 2025-11-25 over stdio these are missing: 2, 3");
  EXPECT_EQ(problem({part(1, 2), part(1, 2)}), "shard 1 of 2025-11-25 over stdio is there twice");
  EXPECT_THAT(problem({part(1, 2), part(2, 3)}), HasSubstr("in 2 shards and in 3"));
  Result whole = testing::sample();
  EXPECT_THAT(problem({part(1, 2), part(2, 2), whole}), HasSubstr("in shards and as a whole"));
}

TEST(MergeOfShards, OtherRunsNeedNoShards) {
  Result other = testing::sample();
  other.runs.erase(other.runs.begin());
  const auto out = merge(std::vector<Result>{
      shard(1, 2, {candidate("a.x", Outcome::kSatisfied, "a")}), other, shard(2, 2, {})});
  ASSERT_TRUE(std::holds_alternative<Result>(out)) << std::get<std::string>(out);
  EXPECT_EQ(std::get<Result>(out).runs.size(), 3u);
  EXPECT_FALSE(std::get<Result>(out).runs.back().shard.is_part());
}

TEST(MergeOfShards, AShardThatIsNoneIsRefused) {
  std::string text = render_json(shard(1, 2, {candidate("a.x", Outcome::kSatisfied, "a")}));
  for (const char* wrong : {"\"index\": 3", "\"index\": 0", "\"index\": -1"}) {
    std::string broken = text;
    const std::string right = "\"index\": 1";
    broken.replace(broken.find(right), right.size(), wrong);
    EXPECT_THAT(std::get<std::string>(parse_json(broken)), HasSubstr("not a shard")) << wrong;
  }
}

}  // namespace
}  // namespace assay::reports
