#include "harness/script/local_listeners.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
    "   1: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
    "   2: 0200000A:1F90 0100000A:C350 01 00000000:00000000 00:00000000 00000000     0\n"
    "garbage\n";

TEST(LocalListeners, KnowsLoopbackFromAllInterfaces) {
  const auto local = parse_listeners(kTable, 8080);
  ASSERT_EQ(local.size(), 1u);
  EXPECT_EQ(local[0].address, "127.0.0.1");
  EXPECT_TRUE(local[0].is_loopback);
  const auto open = parse_listeners(kTable, 8081);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].address, "0.0.0.0");
  EXPECT_FALSE(open[0].is_loopback);
}

TEST(LocalListeners, ReadsAddressesOfBothKinds) {
  const auto all = parse_listeners(
      "0: 00000000000000000000000000000000:1F90 0:0 0A\n"
      "1: 00000000000000000000000001000000:1F90 0:0 0A\n"
      "2: 0000000000000000FFFF00000100007F:1F90 0:0 0A\n",
      8080);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].address, "::");
  EXPECT_FALSE(all[0].is_loopback);
  EXPECT_TRUE(all[1].is_loopback);
  EXPECT_TRUE(all[2].is_loopback);
}

}  // namespace
}  // namespace assay::harness
