// Histograms, statistics, and the writers of load runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "reports/load/histogram.h"
#include "reports/load/load_compare.h"
#include "reports/load/load_json.h"
#include "reports/load/load_text.h"
#include "reports/load/statistics.h"

namespace assay::reports {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

// A run of `seconds` whose samples swing a little around `per_second`.
LoadResult run_of(double per_second, double seconds = 10) {
  LoadResult result;
  result.command = {"server"};
  result.seconds = seconds;
  const auto count = static_cast<std::size_t>(seconds * 10);
  for (std::size_t i = 0; i < count; ++i) {
    const double swing = 1 + 0.01 * (static_cast<double>(i * 7 % 11) - 5) / 5;
    const auto answers = static_cast<std::uint64_t>(per_second / 10 * swing);
    result.samples.push_back({answers, 1e9 / per_second / swing});
    result.answers += answers;
    result.latency.record(static_cast<std::uint64_t>(1e9 / per_second), answers);
  }
  return result;
}

TEST(Histogram, PercentilesAreAtMostAThousandthTooHigh) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 1'000'000; ++value) histogram.record(value);
  for (const double percent : {1.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    const double exact = percent * 10'000;
    EXPECT_THAT(static_cast<double>(histogram.percentile(percent)),
                AllOf(Ge(exact), Le(exact * 1.001)))
        << percent;
  }
  EXPECT_EQ(histogram.shortest(), 1u);
  EXPECT_EQ(histogram.longest(), 1'000'000u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 500'000.5);
}

TEST(Histogram, CountsRanksAsTheyAreDefined) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 1000; ++value) histogram.record(value);
  EXPECT_EQ(histogram.percentile(0), 1u);
  EXPECT_EQ(histogram.percentile(50), 500u);
  EXPECT_EQ(histogram.percentile(99.9), 999u);
  EXPECT_EQ(histogram.percentile(99.91), 1000u);
}

TEST(Histogram, HoldsAnyDurationInTheSameMemory) {
  Histogram histogram;
  histogram.record(0);
  histogram.record(UINT64_MAX, 3);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.percentile(1), 0u);
  EXPECT_EQ(histogram.percentile(99), Histogram::kLongest);
}

TEST(Histogram, AddsAnother) {
  Histogram one;
  Histogram other;
  one.record(10);
  other.record(5'000'000, 9);
  one.add(other);
  EXPECT_EQ(one.count(), 10u);
  EXPECT_EQ(one.percentile(10), 10u);
  EXPECT_EQ(one.longest(), 5'000'000u);
}

TEST(Histogram, JoinedBucketsHoldTheSameCounts) {
  Histogram histogram;
  for (std::uint64_t value = 3; value < 1'000'000'000; value = value * 5 / 4 + 1) {
    histogram.record(value);
  }
  for (const unsigned per_doubling : {1u, 8u, 64u, 1024u}) {
    std::uint64_t sum = 0;
    std::uint64_t last = 0;
    for (const Histogram::Bucket& bucket : histogram.buckets(per_doubling)) {
      EXPECT_LE(bucket.from, bucket.to);
      EXPECT_TRUE(sum == 0 || bucket.from > last);
      last = bucket.to;
      sum += bucket.count;
    }
    EXPECT_EQ(sum, histogram.count());
  }
}

TEST(Statistics, MedianOfOddEvenAndNone) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

// Values worked out with R: wilcox.test(x, y, exact = FALSE).
TEST(Statistics, MannWhitneyAgreesWithR) {
  const std::vector<double> x = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> y = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  EXPECT_THAT(mann_whitney(x, y), DoubleNear(0.1329, 0.005));
  EXPECT_THAT(mann_whitney({}, y), 1);
  const std::vector<double> same(10, 7.0);
  EXPECT_EQ(mann_whitney(same, same), 1);
}

TEST(Statistics, BlocksAreMeansOfNeighbours) {
  const std::vector<double> values = {1, 3, 5, 7, 9};
  EXPECT_EQ(block_means(values, 2), (std::vector<double>{2, 6}));
  EXPECT_EQ(block_means(values, 4), values);
}

TEST(Statistics, RatioIntervalHoldsTheRatio) {
  const std::vector<double> slow = {10, 11, 10, 12, 9, 10, 11, 10};
  const std::vector<double> fast = {20, 22, 20, 24, 18, 20, 22, 20};
  const Interval interval = ratio_interval(slow, fast);
  EXPECT_LE(interval.low, 2);
  EXPECT_GE(interval.high, 2);
  EXPECT_GT(interval.low, 1.5);
}

TEST(LoadComparison, TellsASlowerRunFromNoise) {
  EXPECT_FALSE(compare_loads(run_of(10'000), run_of(10'050)).is_worse());
  const LoadComparison worse = compare_loads(run_of(10'000), run_of(9'000));
  EXPECT_TRUE(worse.is_worse());
  EXPECT_EQ(worse.throughput.judgement, LoadDifference::Judgement::kWorse);
  EXPECT_THAT(worse.throughput.ratio, DoubleNear(0.9, 0.01));
  const LoadComparison better = compare_loads(run_of(9'000), run_of(10'000));
  EXPECT_EQ(better.throughput.judgement, LoadDifference::Judgement::kBetter);
  EXPECT_EQ(better.latency.judgement, LoadDifference::Judgement::kBetter);
}

TEST(LoadComparison, DoesNotJudgeATooShortRun) {
  const LoadComparison comparison = compare_loads(run_of(10'000, 0.5), run_of(5'000, 0.5));
  EXPECT_EQ(comparison.throughput.judgement, LoadDifference::Judgement::kTooFewSamples);
  EXPECT_FALSE(comparison.is_worse());
}

TEST(LoadComparison, NewErrorsAreWorse) {
  LoadResult after = run_of(10'000);
  after.errors["HTTP status 500"] = 1;
  EXPECT_TRUE(compare_loads(run_of(10'000), after).is_worse());
}

TEST(LoadComparison, SaysWhatMakesRunsHardToCompare) {
  LoadResult after = run_of(10'000);
  after.connections = 16;
  EXPECT_THAT(render_load_comparison(compare_loads(run_of(10'000), after)),
              HasSubstr("connections: 1 before, 16 after"));
}

TEST(LoadJson, ReadsBackWhatComparisonsNeed) {
  LoadResult result = run_of(10'000);
  result.errors["the tool failed (isError)"] = 3;
  result.rate = 500;
  const std::string json = load_json(result);
  EXPECT_TRUE(is_load_json(json));
  const auto parsed = parse_load_json(json);
  ASSERT_TRUE(std::holds_alternative<LoadResult>(parsed)) << std::get<std::string>(parsed);
  const auto& read = std::get<LoadResult>(parsed);
  EXPECT_EQ(read.answers, result.answers);
  EXPECT_EQ(read.command, result.command);
  EXPECT_EQ(read.errors, result.errors);
  EXPECT_EQ(read.rate, 500);
  ASSERT_EQ(read.samples.size(), result.samples.size());
  EXPECT_EQ(read.samples[3].answers, result.samples[3].answers);
  EXPECT_THAT(static_cast<double>(read.latency.percentile(99)),
              DoubleNear(static_cast<double>(result.latency.percentile(99)), 2000));
}

TEST(LoadJson, RefusesWhatIsNone) {
  const auto trouble = [](std::string_view text) {
    const auto parsed = parse_load_json(text);
    return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "";
  };
  EXPECT_THAT(trouble("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(trouble(R"({"schema":"mcp-assay-bench/9"})"), HasSubstr("mcp-assay-bench/9"));
  EXPECT_THAT(trouble(R"({"schema":"mcp-assay-bench/1"})"), HasSubstr("target is missing"));
  EXPECT_THAT(trouble("[]"), Not(""));
}

TEST(LoadText, IsMadeHarmless) {
  LoadResult result = run_of(1000);
  result.server_name = "evil\x1b[31m";
  result.errors["bad\nline"] = 1;
  const std::string text = load_text(result);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("996/s"));
  EXPECT_THAT(text, HasSubstr("p99.99"));
}

TEST(LoadText, ChoosesTheUnit) {
  EXPECT_EQ(latency_text(512), "512 ns");
  EXPECT_EQ(latency_text(1234), "1.23 us");
  EXPECT_EQ(latency_text(45'600'000), "45.6 ms");
  EXPECT_EQ(latency_text(2e9), "2.00 s");
  EXPECT_EQ(rate_text(1234567), "1,234,567/s");
  EXPECT_EQ(rate_text(2.5), "2.5/s");
}

}  // namespace
}  // namespace assay::reports
