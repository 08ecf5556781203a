#include "harness/runner/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>

namespace assay::harness {
namespace {

TEST(WorkerPool, RunsWhatATaskAdds) {
  WorkerPool pool(2);
  std::atomic<int> done = 0;
  pool.add([&] {
    for (int i = 0; i < 10; ++i) pool.add([&] { ++done; });
    pool.add_exclusive([&] { ++done; });
  });
  pool.drain();
  EXPECT_EQ(done, 11);
}

TEST(WorkerPool, RunsExclusiveTasksOneByOneBesideTheOthers) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::latch is_beside(2);  // an exclusive task and another one wait for each other
  WorkerPool pool(4);
  for (int i = 0; i < 20; ++i) {
    pool.add_exclusive([&, i] {
      most = std::max(most.load(), ++running);
      if (i == 0) is_beside.arrive_and_wait();
      --running;
    });
  }
  pool.add([&] { is_beside.arrive_and_wait(); });
  pool.drain();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace assay::harness
