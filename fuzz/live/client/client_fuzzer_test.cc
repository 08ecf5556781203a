// What is kept of suspicions about a client.
#include "fuzz/live/client/client_fuzzer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace assay::fuzz {
namespace {

ClientFinding suspected(ClientOracle oracle, int number, bool is_certain) {
  ClientFinding finding;
  finding.id = fmt::format("suspected-{}-{}", name(oracle), number);
  finding.suspicion = {oracle, "", "It did", is_certain};
  finding.is_proved = false;
  return finding;
}

std::ptrdiff_t count_certain(const std::vector<ClientFinding>& kept) {
  return std::count_if(kept.begin(), kept.end(),
                       [](const ClientFinding& each) { return each.suspicion.is_certain; });
}

TEST(UnprovedOfAClient, HaveRoomForWhatIsCertain) {
  std::vector<ClientFinding> kept;
  for (int i = 0; i < 30; ++i) keep_unproved(kept, suspected(ClientOracle::kHang, i, false));
  ASSERT_EQ(kept.size(), kMostUnprovedOfClient);
  EXPECT_EQ(count_certain(kept), 0);
  keep_unproved(kept, suspected(ClientOracle::kCrash, 1, true));
  EXPECT_EQ(kept.size(), kMostUnprovedOfClient);
  EXPECT_EQ(count_certain(kept), 1);
  for (int i = 2; i < 40; ++i) keep_unproved(kept, suspected(ClientOracle::kCrash, i, true));
  EXPECT_EQ(kept.size(), kMostUnprovedOfClient);
  EXPECT_EQ(count_certain(kept), 20);
}

TEST(UnprovedOfAClient, AreKeptOnceAndAsWhatIsCertain) {
  std::vector<ClientFinding> kept;
  keep_unproved(kept, suspected(ClientOracle::kCrash, 1, false));
  keep_unproved(kept, suspected(ClientOracle::kCrash, 1, true));
  keep_unproved(kept, suspected(ClientOracle::kCrash, 1, false));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(count_certain(kept), 1);
}

}  // namespace
}  // namespace assay::fuzz
