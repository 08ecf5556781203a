#include "harness/script/local_listeners.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

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

TEST(LocalListeners, AreFoundBesideConnections) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int caller = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const where = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, where, size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, where, &size), 0);
  ASSERT_EQ(::connect(caller, where, size), 0);
  const auto found = local_listeners(ntohs(address.sin_port));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].address, "127.0.0.1");
  ASSERT_EQ(::getsockname(caller, where, &size), 0);
  EXPECT_TRUE(local_listeners(ntohs(address.sin_port)).empty());
  ::close(caller);
  ::close(listener);
}

}  // namespace
}  // namespace assay::harness
