// What two looks at one cell of the matrix show together.
#include "harness/interop/cell.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::harness {
namespace {

using reports::ActSeen;
using reports::PairAct;
using reports::PairBreach;
using reports::PairCell;

PairCell failed_call(std::vector<PairBreach> breaches) {
  PairCell cell;
  PairAct act;
  act.act = "call";
  act.seen = ActSeen::kFailed;
  for (std::size_t i = 0; i < breaches.size(); ++i) act.breaches.push_back(i);
  cell.acts.push_back(std::move(act));
  cell.breaches = std::move(breaches);
  return cell;
}

// A server may break a rule at its first call only, and be silent at the next.
TEST(BothLooks, KeepTheBreachesOfAnActThatFailsTwice) {
  const PairCell cell = both_looks(failed_call({{"server", 0, {}}}), failed_call({}));
  EXPECT_EQ(cell.acts.at(0).breaches, std::vector<std::size_t>{0});
  const PairCell both =
      both_looks(failed_call({{"server", 0, {}}}), failed_call({{"client", 0, {}}}));
  EXPECT_EQ(both.acts.at(0).breaches, (std::vector<std::size_t>{0, 1}));
  const PairCell again =
      both_looks(failed_call({{"server", 0, {}}}), failed_call({{"server", 0, {}}}));
  EXPECT_EQ(again.acts.at(0).breaches, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace assay::harness
