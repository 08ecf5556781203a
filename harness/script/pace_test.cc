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
  pace.note({nullptr, "HTTP 429", milliseconds(2000)});
  EXPECT_GT(pace.take_turn(), milliseconds(1500));
  EXPECT_TRUE(pace.is_limited());
}

TEST(Pace, IsNoSlowerForWhatItCannotHelp) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.pause({nullptr, "HTTP 503", milliseconds(0)});
  const milliseconds first = pace.take_turn();
  const milliseconds second = pace.take_turn();
  EXPECT_LE(second, first);
  EXPECT_TRUE(pace.is_limited());
}

TEST(Pace, IsSlowerAfterEachRefusal) {
  Pace pace;
  pace.note({nullptr, "HTTP 429", milliseconds(0)});
  const milliseconds first = pace.take_turn();
  EXPECT_GT(pace.take_turn(), first);
}

TEST(Pace, IsBoundedWhateverTheServerAsks) {
  Pace pace;
  for (int i = 0; i < 10'000; ++i) {
    pace.note({nullptr, "HTTP 429", milliseconds(3'600'000)});
    pace.note_answer();
    EXPECT_LE(pace.take_turn(), 2 * Pace::kBudget);
  }
  EXPECT_LE(pace.waited(), 2 * Pace::kBudget);
  EXPECT_FALSE(pace.is_patient());
  EXPECT_EQ(pace.take_turn(), milliseconds(0));
}

TEST(Pace, GivesUpSoonerOnATargetThatAnswersNothing) {
  Pace pace;
  int refusals = 0;
  for (; pace.is_patient() && refusals < 10'000; ++refusals) {
    pace.note({nullptr, "HTTP 429", milliseconds(60'000)});
    pace.take_turn();
  }
  EXPECT_LT(pace.waited(), Pace::kBudget);
  pace.note_answer();
  EXPECT_TRUE(pace.is_patient());
}

}  // namespace
}  // namespace assay::harness
