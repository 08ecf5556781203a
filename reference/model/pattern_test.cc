#include "reference/model/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::model {
namespace {

constexpr std::size_t kPlenty = 20'000'000;

PatternMatch search(std::string_view pattern, std::string_view text, std::size_t steps = kPlenty) {
  return Pattern(pattern).search(text, steps);
}

void expect_match(std::string_view pattern, std::string_view text) {
  EXPECT_EQ(search(pattern, text), PatternMatch::kYes) << pattern << " in " << text;
}
void expect_no_match(std::string_view pattern, std::string_view text) {
  EXPECT_EQ(search(pattern, text), PatternMatch::kNo) << pattern << " in " << text;
}

TEST(Pattern, MatchesAnywhereUnlessItIsAnchored) {
  expect_match("b", "abc");
  expect_match("", "");
  expect_match("^abc$", "abc");
  expect_no_match("^b", "abc");
  expect_no_match("b$", "abc");
  expect_no_match("^abc$", "abc\n");
}

TEST(Pattern, RepeatsAndChooses) {
  expect_match("^a{2,3}$", "aaa");
  expect_no_match("^a{2,3}$", "aaaa");
  expect_match("^a{2,}$", "aaaaa");
  expect_match("^a{0}$", "");
  expect_match("^(?:ab|c)+?d*$", "abccabdd");
  expect_no_match("^(ab|c)+$", "abca");
  expect_match("^(|a)b$", "b");
  expect_match("^(?<year>[0-9]{4})-(0[1-9]|1[0-2])$", "2025-11");
  expect_no_match("^(?<year>[0-9]{4})-(0[1-9]|1[0-2])$", "2025-13");
}

TEST(Pattern, KnowsClasses) {
  expect_match("^[a-z_][\\w.-]*$", "a_b-c.D9");
  expect_no_match("^[^a-c]$", "b");
  expect_match("^[^]$", "\n");
  expect_no_match("[]", "a");
  expect_match("^[]|a$", "a");
  expect_match("^[\\]\\-\\b]$", "-");
  expect_match("^\\d\\D\\s\\S$", "1a b");
  expect_no_match("^.$", "\n");
  // Only those of ASCII, except for white space.
  expect_no_match("^\\w$", "\u00e9");
  expect_match("^\\s$", "\u00a0");
  expect_match("^[\\d-x]+$", "1-x");
}

TEST(Pattern, KnowsEscapes) {
  expect_match("^\\x41\\u0042\\u{43}\\t\\cJ\\0$", std::string("ABC\t\n\0", 6));
  expect_match("^\\ud83d\\ude00$", "\U0001f600");
  expect_match("^.$", "\U0001f600");
  expect_match("^[\U0001f600-\U0001f64f]$", "\U0001f610");
  expect_match("^\\^\\$\\.\\/\\-$", "^$./-");
}

TEST(Pattern, ReadsWhatOnlyTheOlderSyntaxAllows) {
  expect_match("^{a}$", "{a}");
  expect_match("^a{,2}$", "a{,2}");
  expect_match("^]$", "]");
}

TEST(Pattern, LooksAround) {
  expect_match("^(?=.*\\d)(?=.*[a-z]).{4,}$", "abc1");
  expect_no_match("^(?=.*\\d)(?=.*[a-z]).{4,}$", "abcd");
  expect_match("^(?!admin).*$", "user");
  expect_no_match("^(?!admin).*$", "administrator");
  expect_match("(?<=a)b", "ab");
  expect_no_match("(?<=a)b", "cb");
  expect_match("(?<!a)b", "cb");
  expect_match("\\bword\\b", "a word.");
  expect_no_match("\\bword\\b", "swords");
  expect_match("\\Bord", "word");
}

TEST(Pattern, KnowsPropertiesOfAsciiOnly) {
  expect_match("^\\p{L}+$", "abc");
  expect_no_match("^\\p{Lu}$", "a");
  expect_match("^\\P{Nd}$", "a");
  expect_match("^[\\p{Letter}\\p{gc=Nd}]+$", "a1");
  EXPECT_EQ(search("^\\p{L}$", "\u00e9"), PatternMatch::kUnknown);
}

TEST(Pattern, SaysWhatItDoesNotUnderstand) {
  const auto expect_defect = [](std::string_view pattern, const char* part) {
    EXPECT_THAT(Pattern(pattern).defect(), testing::HasSubstr(part)) << pattern;
    EXPECT_EQ(search(pattern, "a"), PatternMatch::kUnknown) << pattern;
  };
  expect_defect("(a)\\1", "back reference");
  expect_defect("(?<x>a)\\k<x>", "back reference");
  expect_defect("(?i)a", "flags");
  expect_defect("(?i:a)", "flags");
  expect_defect("\\p{Script=Greek}", "not known here");
  expect_defect("\\Z", "ECMA-262");
  expect_defect("(a", "without its ')'");
  expect_defect("a)", "without its '('");
  expect_defect("[a", "without its ']'");
  expect_defect("[b-a]", "wrong way round");
  expect_defect("a{3,2}", "wrong way round");
  expect_defect("*a", "nothing to repeat");
  expect_defect("a**", "nothing to repeat");
  expect_defect("\\", "lone");
  expect_defect("\\u{110000}", "number");
  expect_defect("(?=a)*", "look-around");
}

TEST(Pattern, IsBoundedWhereBacktrackingExplodes) {
  const std::string text = std::string(1000, 'a') + "!";
  for (const char* const pattern :
       {"^(a+)+$", "^(a|a)*$", "(a*)*b", "^a*a*a*a*a*b$", "^(a|aa)+$", "^(.*)*$x", "(x+x+)+y"}) {
    expect_no_match(pattern, text);
  }
}

TEST(Pattern, StopsWhereTheStepsEnd) {
  std::size_t steps = 1000;
  EXPECT_EQ(Pattern("^(a?){400}$").search(std::string(10000, 'a'), steps), PatternMatch::kUnknown);
  EXPECT_EQ(steps, 0u);
  // A look-around at every place reads the rest of the text from every place.
  steps = 100'000;
  EXPECT_EQ(Pattern("(?=.*b)c").search(std::string(5000, 'a'), steps), PatternMatch::kUnknown);
}

TEST(Pattern, IsBoundedInSize) {
  for (const char* const pattern :
       {"((a{1,100}){1,100}){1,100}", "a{99999}", "(a{5000}){5000}", "a{1000000000,}"}) {
    EXPECT_THAT(Pattern(pattern).defect(), testing::HasSubstr("repetitions")) << pattern;
  }
  EXPECT_NE(Pattern(std::string(kLongestPattern + 1, 'a')).defect(), "");
  const std::string deep = std::string(100, '(') + std::string(100, ')');
  EXPECT_THAT(Pattern(deep).defect(), testing::HasSubstr("nested"));
}

TEST(Pattern, ReadsBrokenUtf8ByteForByte) {
  expect_match("^...$", "a\xff\xc3");
  expect_match("^.$", "\xe2\x82\xac");
}

}  // namespace
}  // namespace assay::model
