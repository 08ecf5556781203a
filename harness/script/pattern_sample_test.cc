#include "harness/script/pattern_sample.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

TEST(PatternSample, FollowsThePatternFromLeftToRight) {
  EXPECT_EQ(pattern_sample("^[0-9]{4}$"), "1111");
  EXPECT_EQ(pattern_sample("^\\d{4}-\\d{2}$"), "1111-11");
  EXPECT_EQ(pattern_sample("^[A-Z]{2,3}$"), "AA");
  EXPECT_EQ(pattern_sample("^(?:red|green)s?$"), "red");
  EXPECT_EQ(pattern_sample("^a+b*c?$"), "a");
  EXPECT_EQ(pattern_sample("^[^a-z]x\\.y$"), "1x.y");
  EXPECT_EQ(pattern_sample("^user/[\\w-]+$"), "user/a");
  EXPECT_EQ(pattern_sample("[]a]"), "a");
}

TEST(PatternSample, RepeatsWhatHasNoEndAsOftenAsItIsTold) {
  EXPECT_EQ(pattern_sample("^[a-z]+$", 3), "aaaa");
  EXPECT_EQ(pattern_sample("^[a-z]{2,}$", 3), "aaaaa");
  EXPECT_EQ(pattern_sample("^[a-z]{2,4}$", 3), "aaaa");
  EXPECT_EQ(pattern_sample("^[a-z]*$", 2), "aa");
}

TEST(PatternSample, LeavesWhatItDoesNotUnderstand) {
  for (const char* pattern :
       {"(?=a)b", "(a)\\1", "(a", "[a", "a{", "a{2", "*a", "a\\", "a)", "\\p{L}"}) {
    EXPECT_FALSE(pattern_sample(pattern).has_value()) << pattern;
  }
}

// Cut in the middle, a character of several bytes would be no text at all.
TEST(PatternSample, LeavesCharactersOfSeveralBytes) {
  for (const char* pattern : {"\xc3\xa9?", "[\xc3\xa9]", "\\\xc3\xa9", "\\\x7f", "\\\x01"}) {
    EXPECT_FALSE(pattern_sample(pattern).has_value()) << pattern;
  }
}

TEST(PatternSample, IsSmallWhateverThePatternAsksFor) {
  EXPECT_FALSE(pattern_sample("a{1000000000}").has_value());
  EXPECT_FALSE(pattern_sample("(((a{500}){500}){500})").has_value());
  EXPECT_FALSE(pattern_sample(std::string(100, '(') + std::string(100, ')')).has_value());
  EXPECT_FALSE(pattern_sample(std::string(2000, 'a')).has_value());
  EXPECT_FALSE(pattern_sample("(a*)*", 1'000'000).has_value());
}

}  // namespace
}  // namespace assay::harness
