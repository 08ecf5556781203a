#include "harness/frame/time_limit.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using namespace std::chrono_literals;

// Returns when a stop is requested.
void wait_for_stop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, token, [] { return false; });
}

TEST(TimeLimit, StopsWhenTheTimeIsUp) {
  const std::stop_source parent;
  const TimeLimit limit(parent.get_token(), 1ms);
  wait_for_stop(limit.token());
  EXPECT_TRUE(limit.has_passed());
}

TEST(TimeLimit, StopsWithItsParentAndThenHasNotPassed) {
  std::stop_source parent;
  const TimeLimit limit(parent.get_token(), 1h);
  EXPECT_FALSE(limit.token().stop_requested());
  parent.request_stop();
  EXPECT_TRUE(limit.token().stop_requested());
  EXPECT_FALSE(limit.has_passed());
}

}  // namespace
}  // namespace assay::cli
