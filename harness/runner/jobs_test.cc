#include "harness/runner/jobs.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

TEST(SessionsAtOnce, AreManyWhereAServerStartsAtOnce) {
  EXPECT_EQ(sessions_at_once(2, milliseconds(0)), 12);
  EXPECT_EQ(sessions_at_once(2, milliseconds(20)), 12);
  EXPECT_EQ(sessions_at_once(8, milliseconds(20)), 48);
}

TEST(SessionsAtOnce, AreFewerTheLongerAStartTakes) {
  EXPECT_EQ(sessions_at_once(2, milliseconds(150)), 12);
  EXPECT_EQ(sessions_at_once(2, milliseconds(400)), 10);
  EXPECT_EQ(sessions_at_once(2, milliseconds(900)), 4);
}

TEST(SessionsAtOnce, AreOneForEachCoreHoweverSlowAStartIs) {
  EXPECT_EQ(sessions_at_once(2, milliseconds(5'000)), 2);
  EXPECT_EQ(sessions_at_once(1, milliseconds(60'000)), 1);
  EXPECT_GE(sessions_at_once(milliseconds(60'000)), 1);
}

}  // namespace
}  // namespace assay::harness
