#include "fuzz/live/target/time_limit.h"

#include <gtest/gtest.h>

#include <future>

namespace assay::fuzz {
namespace {

using Clock = TimeLimit::Clock;

// Waits for the token, and for nothing else.
void wait_for(const std::stop_token& token) {
  std::promise<void> stopped;
  const std::stop_callback callback(token, [&] { stopped.set_value(); });
  stopped.get_future().wait();
}

TEST(TimeLimit, EndsAtItsDeadline) {
  TimeLimit limit{std::stop_token()};
  EXPECT_FALSE(limit.is_over());
  limit.set(Clock::now() + std::chrono::milliseconds(1));
  wait_for(limit.token());
  EXPECT_TRUE(limit.is_over());
}

TEST(TimeLimit, EndsWhenTheUserAsks) {
  std::stop_source user;
  TimeLimit limit(user.get_token());
  limit.set(Clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(limit.is_over());
  user.request_stop();
  EXPECT_TRUE(limit.is_over());
}

TEST(TimeLimit, CanBeLiftedBeforeItIsOver) {
  TimeLimit limit{std::stop_token()};
  limit.set(Clock::now() + std::chrono::hours(1));
  limit.lift();
  EXPECT_FALSE(limit.is_over());
  limit.set(Clock::now());
  wait_for(limit.token());
}

}  // namespace
}  // namespace assay::fuzz
