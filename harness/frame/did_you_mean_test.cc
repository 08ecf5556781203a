#include "harness/frame/did_you_mean.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using Names = std::vector<std::string>;

TEST(DidYouMean, CountsSlips) {
  EXPECT_EQ(edit_distance("tools", "tools"), 0u);
  EXPECT_EQ(edit_distance("tols", "tools"), 1u);
  EXPECT_EQ(edit_distance("toosl", "tools"), 1u) << "two letters that changed places are one slip";
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(DidYouMean, NamesTheNearestFirst) {
  const Names known{"--revision", "--report", "--rules-url", "--verbose"};
  EXPECT_EQ(nearest("--revison", known), (Names{"--revision"}));
  EXPECT_EQ(nearest("--rep", known), (Names{"--report"}));
  EXPECT_EQ(nearest("--frobnicate", known), Names{});
}

TEST(DidYouMean, SaysNothingOfWhatIsNoName) {
  EXPECT_EQ(nearest("", {"a"}), Names{});
  EXPECT_EQ(nearest(std::string(100'000, 'x'), {"a"}), Names{});
  EXPECT_EQ(did_you_mean("x", {"frob", "nicate"}), "");
}

TEST(DidYouMean, AsksAQuestion) {
  EXPECT_EQ(did_you_mean("servr", {"server", "serve"}), "; do you mean 'serve' or 'server'?");
  EXPECT_EQ(unknown_name("area", "tols", {"tools", "tasks"}),
            "unknown area 'tols'; do you mean 'tools'? (known: tools, tasks)");
  EXPECT_EQ(unknown_name("area", "xyzzy", {"tools", "tasks"}),
            "unknown area 'xyzzy'; known: tools, tasks");
}

TEST(DidYouMean, ShowsWhatASlipHoldsHarmlessly) {
  EXPECT_EQ(unknown_name("area", "\x1b[2J", {"tools"}), "unknown area '<U+001B>[2J'; known: tools");
}

}  // namespace
}  // namespace assay::cli
