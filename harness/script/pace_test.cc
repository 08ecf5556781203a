#include "harness/script/pace.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

TEST(Pace, IsFullSpeedUntilTheTargetSpeaksOfALimit) {
  Pace pace;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pace.take_turn(), milliseconds(0));
  EXPECT_FALSE(pace.is_limited());
}

TEST(Pace, WaitsAsLongAsTheServerAsks) {
  Pace pace;
  EXPECT_TRUE(pace.note({nullptr, "HTTP 429", milliseconds(2000)}));
  EXPECT_GT(pace.take_turn(), milliseconds(1500));
  EXPECT_TRUE(pace.is_limited());
}

TEST(Pace, IsBoundedWhateverTheServerAsks) {
  Pace pace;
  for (int i = 0; i < 1000; ++i) {
    pace.note({nullptr, "HTTP 429", milliseconds(3'600'000)});
    EXPECT_LE(pace.take_turn(), 2 * Pace::kBudget);
  }
  EXPECT_LE(pace.waited(), 2 * Pace::kBudget);
  EXPECT_FALSE(pace.note({nullptr, "HTTP 429", std::nullopt}));
  EXPECT_EQ(pace.take_turn(), milliseconds(0));
}

}  // namespace
}  // namespace assay::harness
