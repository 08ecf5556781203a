#include "reference/transport/public_address.h"

#include <gtest/gtest.h>

#include <chrono>
#include <variant>

#include "reference/transport/resolve.h"
#include "reference/transport/tcp_connect.h"

namespace assay::transport {
namespace {

bool is_public_text(const std::string& address) {
  const auto resolved = resolve(address, 443, Purpose::kConnect);
  const auto* all = std::get_if<Addresses>(&resolved);
  EXPECT_NE(all, nullptr) << address;
  if (all == nullptr) return false;
  EXPECT_EQ(text_of(*(*all)->ai_addr).empty(), false);
  return is_public(*(*all)->ai_addr);
}

TEST(PublicAddress, IsNeitherPrivateNorLocalNorSetAside) {
  for (const char* address : {"0.0.0.0",
                              "10.1.2.3",
                              "100.64.0.1",
                              "100.127.255.255",
                              "127.0.0.1",
                              "127.9.9.9",
                              "169.254.169.254",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.170",
                              "192.0.2.1",
                              "192.88.99.1",
                              "192.168.1.1",
                              "198.18.0.1",
                              "198.19.255.255",
                              "198.51.100.7",
                              "203.0.113.7",
                              "224.0.0.1",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "fe80::1",
                              "fec0::1",
                              "fc00::1",
                              "fd12:3456::1",
                              "ff02::1",
                              "2001:db8::1",
                              "2001::1",
                              "3fff::1",
                              "100::1",
                              "64:ff9b:1::1",
                              "4000::1"}) {
    EXPECT_FALSE(is_public_text(address)) << address;
  }
}

TEST(PublicAddress, MayBeNextToWhatIsSetAside) {
  for (const char* address :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.1.1.1",
        "128.0.0.1", "169.253.0.1", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.1.1",
        "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
        "2001:4860::8888", "2a00::1"}) {
    EXPECT_TRUE(is_public_text(address)) << address;
  }
}

TEST(PublicAddress, OfIpv4InsideIpv6IsThatOfTheIpv4Address) {
  for (const char* address : {"::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::169.254.169.254",
                              "2002:c0a8:0101::1", "::10.0.0.1", "::1.1.1.1"}) {
    EXPECT_FALSE(is_public_text(address)) << address;
  }
  for (const char* address : {"::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:0101:0101::1"}) {
    EXPECT_TRUE(is_public_text(address)) << address;
  }
}

// A name is as good as what it stands for.
TEST(PublicAddress, IsAskedForBeforeAnythingIsSent) {
  for (const char* text : {"https://localhost:9", "https://127.0.0.1:9", "https://[::1]:9",
                           "https://0.0.0.0:9", "https://2130706433:9", "https://0x7f.1:9"}) {
    const auto url = HttpUrl::parse(text);
    ASSERT_TRUE(std::holds_alternative<HttpUrl>(url)) << text;
    const auto came =
        connect_tcp(std::get<HttpUrl>(url), std::chrono::seconds(1), -1, Reach::kPublic);
    const auto* failure = std::get_if<Failure>(&came);
    ASSERT_NE(failure, nullptr) << text;
    EXPECT_NE(failure->detail.find("not a public address"), std::string::npos) << failure->detail;
  }
}

}  // namespace
}  // namespace assay::transport
