// The search for the highest rate, on servers that are functions.
#include "bench/load/find_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace assay::bench {
namespace {

using reports::LimitStep;
using reports::LoadResult;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using LimitedBy = LimitStep::LimitedBy;

constexpr double kLimit = 10e6;  // ns

// A server that holds every rate up to `most`, and what it was asked.
struct Modelled {
  double most = 0;
  std::vector<double> asked;

  MeasureRate measure() {
    return [this](double rate) -> std::optional<bool> {
      asked.push_back(rate);
      return rate <= most;
    };
  }
};

TEST(FindLimit, FindsTheKneeWithinItsPrecision) {
  for (const double most : {26.0, 99.0, 100.0, 777.0, 12'345.0, 300'000.0, 999'000.0}) {
    Modelled server{most, {}};
    const Knee knee = find_limit(server.measure());
    EXPECT_TRUE(knee.is_complete) << most;
    EXPECT_LE(knee.held, most);
    EXPECT_GT(knee.failed, most);
    EXPECT_LE(knee.failed / knee.held, 1.06) << most;  // three digits may cost a little
    EXPECT_LE(server.asked.size(), SearchBounds{}.most_steps);
  }
}

TEST(FindLimit, DoublesUntilAStepFails) {
  Modelled server{700, {}};
  find_limit(server.measure());
  const std::vector<double> first(server.asked.begin(), server.asked.begin() + 5);
  EXPECT_THAT(first, testing::ElementsAre(100, 200, 400, 800, 800));
  EXPECT_THAT(server.asked[5], AllOf(Ge(500), Le(600)));
}

TEST(FindLimit, AServerThatHoldsEverythingIsAskedForTheHighestRate) {
  Modelled server{1e9, {}};
  const Knee knee = find_limit(server.measure());
  EXPECT_EQ(knee.held, kHighestRate);
  EXPECT_EQ(knee.failed, 0);
  EXPECT_TRUE(knee.is_complete);
}

TEST(FindLimit, AServerThatHoldsNothingIsAskedForTheLowestRate) {
  Modelled server{0, {}};
  const Knee knee = find_limit(server.measure());
  EXPECT_EQ(knee.held, 0);
  EXPECT_EQ(knee.failed, SearchBounds{}.lowest);
  EXPECT_TRUE(knee.is_complete);
  EXPECT_THAT(server.asked, Each(Ge(SearchBounds{}.lowest)));
}

// Each rate is disturbed once.
TEST(FindLimit, ABusyMomentIsNoLimit) {
  std::optional<double> disturbed;
  const Knee knee = find_limit([&](double rate) -> std::optional<bool> {
    if (rate == 200 && !disturbed) {
      disturbed = rate;
      return false;
    }
    return rate <= 6400;
  });
  EXPECT_EQ(knee.held, 6400);
}

TEST(FindLimit, KeepsWhatItKnowsWhenItHasToEnd) {
  int left = 4;
  const Knee knee = find_limit([&](double rate) -> std::optional<bool> {
    if (left-- == 0) return std::nullopt;
    return rate <= 300;
  });
  EXPECT_EQ(knee.held, 200);
  EXPECT_EQ(knee.failed, 400);
  EXPECT_FALSE(knee.is_complete);
}

TEST(FindLimit, OneFailureWithoutASecondIsNone) {
  int left = 2;
  const Knee knee = find_limit([&](double rate) -> std::optional<bool> {
    if (left-- == 0) return std::nullopt;
    return rate <= 100;
  });
  EXPECT_EQ(knee.held, 100);
  EXPECT_EQ(knee.failed, 0);
  EXPECT_FALSE(knee.is_complete);
}

TEST(FindLimit, IsBoundedInStepsWhateverIsMeasured) {
  for (int pattern = 0; pattern < 64; ++pattern) {
    std::vector<double> asked;
    find_limit([&](double rate) -> std::optional<bool> {
      asked.push_back(rate);
      return (pattern >> (asked.size() % 6) & 1) != 0;
    });
    EXPECT_LE(asked.size(), SearchBounds{}.most_steps);
    EXPECT_THAT(asked, Each(AllOf(Ge(SearchBounds{}.lowest), Le(kHighestRate))));
  }
}

TEST(FindLimit, NeverTakesMoreStepsThanItMay) {
  Modelled server{1e9, {}};
  const Knee knee = find_limit(server.measure(), {.most_steps = 3});
  EXPECT_THAT(server.asked, SizeIs(3));
  EXPECT_EQ(knee.held, 400);
  EXPECT_FALSE(knee.is_complete);
}

reports::Percentiles all_at(double nanoseconds) {
  return {.p50 = nanoseconds, .p90 = nanoseconds, .p99 = nanoseconds};
}

// 2 s at 1,000/s in which all went well.
LoadResult good_step() {
  LoadResult result;
  result.rate = 1000;
  result.seconds = 2;
  result.answers = 2000;
  result.latency.record(1'000'000, 2000);
  result.service = all_at(1e6);
  result.sender_late = all_at(1e4);
  result.own_cpu_seconds = 0.2;
  return result;
}

// The same, with latencies of these nanoseconds since when requests were due, and sent.
LoadResult slow_step(double due, double sent) {
  LoadResult result = good_step();
  result.latency = {};
  result.latency.record(static_cast<std::uint64_t>(due), 2000);
  result.service = all_at(sent);
  return result;
}

TEST(JudgeStep, HoldsWhatIsWithinTheLimit) {
  const LimitStep step = judge_step(good_step(), kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kNothing);
  EXPECT_EQ(step.reason, "");
  EXPECT_EQ(step.rate, 1000);
  EXPECT_EQ(step.reached, 1000);
  EXPECT_EQ(judge_step(slow_step(9.9e6, 9.8e6), kLimit).limited_by, LimitedBy::kNothing);
}

TEST(JudgeStep, BusyGeneratorsAndLateOnesDoNotMatterWhileTheLimitIsKept) {
  LoadResult result = good_step();
  result.own_cpu_seconds = 2;
  result.sender_late = all_at(9e6);
  EXPECT_EQ(judge_step(result, kLimit).limited_by, LimitedBy::kNothing);
}

TEST(JudgeStep, SlowAnswersAreTheServers) {
  const LimitStep step = judge_step(slow_step(45e6, 40e6), kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kServer);
  EXPECT_EQ(step.reason, "p99 was 45.0 ms");
}

TEST(JudgeStep, MoreThanOneErrorInAHundredIsTheServers) {
  LoadResult result = good_step();
  result.errors["HTTP status 503"] = 20;
  EXPECT_EQ(judge_step(result, kLimit).limited_by, LimitedBy::kNothing);
  result.errors["HTTP status 503"] = 60;
  result.errors["answered with an error"] = 1;
  const LimitStep step = judge_step(result, kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kServer);
  EXPECT_EQ(step.reason, "3.0% of the answers were errors: HTTP status 503");
}

TEST(JudgeStep, AServerThatEndsDidNotHold) {
  LoadResult result = good_step();
  result.seconds = 0.5;
  result.answers = 500;
  result.lost_connections = 1;
  result.errors["the server exited with status 1"] = 1;
  const LimitStep step = judge_step(result, kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kServer);
  EXPECT_EQ(step.reason, "connections were lost: the server exited with status 1");
}

TEST(JudgeStep, AServerThatFallsBackIsNotHeldBecauseTheLimitIsLong) {
  LoadResult result = good_step();
  result.answers = 1700;
  const LimitStep step = judge_step(result, 1e9);
  EXPECT_EQ(step.limited_by, LimitedBy::kServer);
  EXPECT_EQ(step.reason, "only 850/s were answered");
}

TEST(JudgeStep, FewMissingAnswersAreUnderWay) {
  LoadResult result = good_step();
  result.answers = 1910;
  EXPECT_EQ(judge_step(result, kLimit).limited_by, LimitedBy::kNothing);
  result.rate = 25;
  result.answers = 47;
  EXPECT_EQ(judge_step(result, kLimit).limited_by, LimitedBy::kNothing);
}

TEST(JudgeStep, ASaturatedGeneratorIsNotTheServers) {
  LoadResult result = slow_step(45e6, 40e6);
  result.own_cpu_seconds = 1.96;
  const LimitStep step = judge_step(result, kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kGenerator);
  EXPECT_EQ(step.reason, "our generator needed 98% of a core");
}

TEST(JudgeStep, AGeneratorWithoutAProcessorIsNotTheServers) {
  LoadResult result = slow_step(45e6, 40e6);
  result.own_cpu_seconds = 0.5;
  result.own_run_queue_seconds = 1.45;
  EXPECT_EQ(judge_step(result, kLimit).limited_by, LimitedBy::kGenerator);
}

TEST(JudgeStep, ALateSenderIsNotTheServers) {
  LoadResult result = slow_step(45e6, 40e6);
  result.sender_late = all_at(6e6);
  const LimitStep step = judge_step(result, kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kGenerator);
  EXPECT_THAT(step.reason, HasSubstr("6.00 ms late"));
  // The server was within the limit, and we added the rest.
  LoadResult together = slow_step(12e6, 8e6);
  together.sender_late = all_at(4e6);
  EXPECT_EQ(judge_step(together, kLimit).limited_by, LimitedBy::kGenerator);
}

// Answers that came in time are read too late, and a rate is not kept up for want of requests.
TEST(JudgeStep, WhatABusyGeneratorSpoilsIsNotTheServers) {
  LoadResult saturated = good_step();
  saturated.own_cpu_seconds = 1.96;
  saturated.errors["no answer in time"] = 500;
  EXPECT_EQ(judge_step(saturated, kLimit).limited_by, LimitedBy::kGenerator);
  LoadResult late = good_step();
  late.answers = 1200;
  late.sender_late = all_at(6e6);
  EXPECT_EQ(judge_step(late, kLimit).limited_by, LimitedBy::kGenerator);
}

TEST(JudgeStep, WaitingForAConnectionIsNotTheServers) {
  LoadResult result = slow_step(500e6, 2e6);
  result.answers = 1200;
  result.unsent = 800;
  const LimitStep step = judge_step(result, kLimit);
  EXPECT_EQ(step.limited_by, LimitedBy::kConnections);
  EXPECT_EQ(step.reason, "requests waited for a free connection");
}

}  // namespace
}  // namespace assay::bench
