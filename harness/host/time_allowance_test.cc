#include "harness/host/time_allowance.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TimeAllowance, OfAClientThatNeverEndsIsShortSoon) {
  TimeAllowance pace(seconds(30));
  milliseconds all{0};
  constexpr int kScenarios = 30;
  for (int i = 0; i < kScenarios; ++i) {
    all += pace.next();
    pace.note_late();
  }
  EXPECT_EQ(pace.next(), TimeAllowance::kLeast);
  EXPECT_LT(all, seconds(200));
}

TEST(TimeAllowance, ComesBackOnceTheClientEnds) {
  TimeAllowance pace(seconds(30));
  pace.note_late();
  EXPECT_EQ(pace.next(), seconds(15));
  pace.note_end(seconds(1));
  EXPECT_EQ(pace.next(), seconds(30));
}

TEST(TimeAllowance, GivesASlowClientWhatItNeeds) {
  TimeAllowance pace(seconds(60));
  pace.note_end(seconds(9));
  for (int i = 0; i < 10; ++i) pace.note_late();
  EXPECT_EQ(pace.next(), seconds(27));
}

TEST(TimeAllowance, IsNeverLongerThanWasGiven) {
  TimeAllowance pace(seconds(2));
  pace.note_end(seconds(1));
  EXPECT_EQ(pace.next(), seconds(2));
  pace.note_late();
  EXPECT_EQ(pace.next(), seconds(2));
}

}  // namespace
}  // namespace assay::harness
