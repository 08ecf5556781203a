#include "reference/wire/budget.h"

#include <gtest/gtest.h>

#include <utility>

namespace assay::wire {
namespace {

TEST(Budget, RefusesWhatIsNotLeftAndTakesNothingThen) {
  Budget budget(100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_EQ(budget.taken(), 60u);
  EXPECT_TRUE(budget.take(40));
  budget.give_back(100);
  EXPECT_EQ(budget.taken(), 0u);
}

TEST(Budget, TakesNoSumThatOverflows) {
  Budget budget(100);
  EXPECT_TRUE(budget.take(10));
  EXPECT_FALSE(budget.take(static_cast<std::size_t>(-5)));
}

TEST(Share, GivesBackWhatItHolds) {
  const BudgetPtr budget(new Budget(100));
  {
    Share share(budget);
    EXPECT_TRUE(share.resize(80));
    EXPECT_FALSE(share.resize(101));
    EXPECT_EQ(share.bytes(), 80u);
    EXPECT_TRUE(share.resize(20));
    const Share moved = std::move(share);
    EXPECT_EQ(budget->taken(), 20u);
  }
  EXPECT_EQ(budget->taken(), 0u);
}

TEST(Share, WithoutABudgetTakesAnything) {
  Share share;
  EXPECT_TRUE(share.resize(std::size_t{1} << 40));
}

}  // namespace
}  // namespace assay::wire
