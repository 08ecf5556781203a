#include "reference/client/worker.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::client {
namespace {

TEST(Worker, FinishesWhatIsDueAndDropsTheRest) {
  std::vector<int> done;
  Worker worker;
  worker.post([&] { done.push_back(3); }, std::chrono::steady_clock::now() + std::chrono::hours(1));
  for (const int each : {1, 2}) worker.post([&done, each] { done.push_back(each); });
  worker.finish();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  EXPECT_FALSE(worker.post([&done] { done.push_back(4); }));
}

}  // namespace
}  // namespace assay::client
