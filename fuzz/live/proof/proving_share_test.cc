#include "fuzz/live/proof/proving_share.h"

#include <gtest/gtest.h>

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

TEST(ProvingShare, IsHalfOfWhatHasPassedUntilHalfIsOver) {
  const ProvingShare share(milliseconds(60'000));
  EXPECT_EQ(share.next(milliseconds(20'000), milliseconds(3000)), milliseconds(7000));
  EXPECT_EQ(share.next(milliseconds(20'000), milliseconds(10'000)), milliseconds(0));
  EXPECT_EQ(share.next(milliseconds(40'000), milliseconds(30'000)), milliseconds(20'000));
}

TEST(ProvingShare, BeginsNoProofThatHasNoTimeToMakeItSmall) {
  const ProvingShare share(milliseconds(60'000));
  EXPECT_EQ(share.next(milliseconds(1000), milliseconds(0)), milliseconds(0));
  EXPECT_EQ(share.next(milliseconds(4000), milliseconds(0)), milliseconds(2000));
  EXPECT_EQ(ProvingShare(milliseconds(1600)).next(milliseconds(300), milliseconds(0)),
            milliseconds(150));
}

TEST(ProvingShare, IsWhatIsLeftAtTheEnd) {
  const ProvingShare share(milliseconds(1000));
  EXPECT_EQ(share.next(milliseconds(990), milliseconds(0)), milliseconds(0));
  EXPECT_EQ(share.at_end(milliseconds(990)), milliseconds(10));
  EXPECT_EQ(share.at_end(milliseconds(2000)), milliseconds(0));
  EXPECT_EQ(ProvingShare(std::nullopt).at_end(milliseconds(2000)), ProvingShare::kUnlimited);
}

}  // namespace
}  // namespace assay::fuzz
