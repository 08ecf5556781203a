#include "reference/wire/peer_json.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::wire {
namespace {

std::string arrays_in_arrays(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(PeerJson, IsReadUpToADepth) {
  EXPECT_TRUE(parse_of_peer(arrays_in_arrays(kDeepestPeerJson)).is_array());
  EXPECT_TRUE(parse_of_peer(arrays_in_arrays(kDeepestPeerJson + 1)).is_discarded());
  EXPECT_TRUE(parse_of_peer(R"({"a":)" + arrays_in_arrays(250'000) + "}").is_discarded());
}

TEST(PeerJson, CountsNoBracketsInStrings) {
  EXPECT_EQ(parse_of_peer('"' + std::string(2'000, '[') + '"'), std::string(2'000, '['));
  EXPECT_FALSE(is_nested_deeper(R"(["\"[[[", "\\", "]"])", 1));
  EXPECT_TRUE(is_nested_deeper(R"(["\\",[]])", 1));
}

TEST(PeerJson, IsDiscardedWhereItIsNone) {
  EXPECT_TRUE(parse_of_peer("{").is_discarded());
  EXPECT_TRUE(parse_of_peer("").is_discarded());
}

}  // namespace
}  // namespace assay::wire
