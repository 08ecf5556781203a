#include "reference/wire/challenge.h"

#include <gtest/gtest.h>

namespace assay::wire {
namespace {

TEST(Challenge, IsReadWithItsParameters) {
  const auto read = read_challenges(
      R"(Bearer resource_metadata="https://a.example/.well-known/x", Scope="files:read files:write", n=1)");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(read[0].is_of("bearer"));
  EXPECT_EQ(read[0].parameter("resource_metadata"), "https://a.example/.well-known/x");
  EXPECT_EQ(read[0].parameter("scope"), "files:read files:write");
  EXPECT_EQ(read[0].parameter("n"), "1");
  EXPECT_EQ(read[0].parameter("error"), std::nullopt);
}

TEST(Challenge, MayBeOneOfSeveral) {
  const auto read =
      read_challenges(R"(Basic realm="a, Bearer b", Negotiate abc==, Bearer, DPoP algs="ES256")");
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].parameter("realm"), "a, Bearer b");
  EXPECT_TRUE(read[1].is_of("Negotiate"));
  EXPECT_TRUE(read[1].parameters.empty());
  EXPECT_TRUE(read[2].is_of("Bearer"));
  EXPECT_TRUE(read[2].parameters.empty());
  EXPECT_EQ(read[3].parameter("algs"), "ES256");
}

TEST(Challenge, QuotesMayHoldQuotes) {
  const auto read = read_challenges(R"(Bearer a="say \"x\"" , b="\\")");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].parameter("a"), R"(say "x")");
  EXPECT_EQ(read[0].parameter("b"), R"(\)");
}

TEST(Challenge, WhatCannotBeReadEndsTheList) {
  EXPECT_TRUE(read_challenges("").empty());
  EXPECT_TRUE(read_challenges(" , ,").empty());
  EXPECT_TRUE(read_challenges("\"Bearer\"").empty());
  ASSERT_EQ(read_challenges(R"(Bearer a="never ends)").size(), 1u);
  EXPECT_TRUE(read_challenges(R"(Bearer a="never ends)")[0].parameters.empty());
  EXPECT_LE(read_challenges(std::string(100'000, 'a') + ",").size(), 1u);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "Bearer a=b, ";
  EXPECT_LE(read_challenges(many).size(), 16u);
}

TEST(Challenge, MayBreakOff) {
  for (const char* field :
       {"Bearer realm=\"mcp\"; scope=\"a b\"", "Bearer resource_metadata=https://mcp.example.com/x",
        "Bearer {\"scope\":\"a\"}", "Basic realm=\"x\", bearer scope=\"a"}) {
    EXPECT_TRUE(breaks_off_in(field, "Bearer")) << field;
  }
  for (const char* field :
       {"", "Bearer", "Bearer realm=\"mcp\", scope=\"a b\"", "Bearer realm=mcp,",
        "Bearer scope=\"a\", Negotiate YII/abc==", "Negotiate YII/abc=="}) {
    EXPECT_FALSE(breaks_off_in(field, "Bearer")) << field;
  }
}

TEST(Challenge, IsReadAsItWasWritten) {
  const Challenge challenge = {"Bearer", {{"error", "invalid_token"}, {"note", R"(a "b" \c)"}}};
  const auto read = read_challenges(write_challenge(challenge));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].parameters, challenge.parameters);
  EXPECT_EQ(write_challenge({"Bearer", {}}), "Bearer");
}

}  // namespace
}  // namespace assay::wire
