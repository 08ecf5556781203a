#include "reference/model/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "reference/model/random.h"

namespace assay::model {
namespace {

constexpr std::array kFormats = {Format::kBase64, Format::kUri,      Format::kUriTemplate,
                                 Format::kTime,   Format::kToolName, Format::kMetaKey};

void expect_good(Format format, std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    EXPECT_TRUE(has_format(format, text)) << text << ": " << format_defect(format, text);
    EXPECT_EQ(format_defect(format, text), "");
  }
}

void expect_bad(Format format, std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    EXPECT_FALSE(has_format(format, text)) << text;
    EXPECT_NE(format_defect(format, text), "") << text;
  }
}

TEST(Formats, Base64IsTheStandardAlphabetWithPadding) {
  expect_good(Format::kBase64, {"", "AAAA", "AAA=", "AA==", "+/+/", "iVBORw0KGgo="});
  expect_bad(Format::kBase64, {"A", "AA", "AAA", "A===", "AA=A", "AA-_", "AAAA\n", "AAAA===="});
}

TEST(Formats, AUriHasASchemeAndNoOtherCharacters) {
  expect_good(Format::kUri, {"file:///a", "test://x", "a:", "urn:x:y", "http://[::1]/?a=b#c",
                             "x+y.z-1:%20", "mailto:a@b"});
  expect_bad(Format::kUri, {"", "/a/b", "a b:c", "1a:b", "a:b c", "a:%2", "a:\xc3\xa9", "a:<b>"});
}

TEST(Formats, AUriTemplateHasWellFormedExpressions) {
  expect_good(Format::kUriTemplate, {"", "a", "test://t/{id}/data", "{+a,b*}{#c:3}", "{a.b}", "%20",
                                     "/{?q,lang}", "\xc3\xa9"});
  expect_bad(Format::kUriTemplate, {"{", "}", "{}", "{a", "{a,}", "{a b}", "a b", "%2", "{a:0}",
                                    "{a:12345}", "{.}", "{a..b}"});
}

TEST(Formats, ATimeIsADateWithOrWithoutTimeAndZone) {
  expect_good(Format::kTime, {"2025-01-12T15:00:58Z", "2025-01-12", "20250112T150058Z",
                              "2025-01-12T15:00", "2025-01-12T15:00:58.123456+02:00",
                              "2025-01-12T15:00:58-0300", "2016-12-31T23:59:60Z"});
  expect_bad(Format::kTime, {"", "yesterday", "2025", "2025-13-01", "2025-01-32", "2025-01-12T",
                             "2025-01-12T25:00", "2025-01-12 15:00:58", "2025-01-12T15:00:58.Z",
                             "1736694058", "2025-01-12T15:00:58Z "});
}

TEST(Formats, AToolNameIsShortAndPlain) {
  expect_good(Format::kToolName, {"getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b"});
  expect_bad(Format::kToolName, {"", "a b", "a,b", "a/b", "\xc3\xa9"});
  EXPECT_TRUE(has_format(Format::kToolName, std::string(128, 'a')));
  EXPECT_FALSE(has_format(Format::kToolName, std::string(129, 'a')));
}

TEST(Formats, AMetaKeyIsAnOptionalPrefixAndAName) {
  expect_good(Format::kMetaKey, {"", "a", "progressToken", "com.example/", "com.example/a",
                                 "io.modelcontextprotocol/related-task", "a-b.c/d_e.f", "9"});
  expect_bad(Format::kMetaKey,
             {"/a", ".a/b", "a./b", "a..b/c", "1a/b", "a-/b", "a b", "-a", "a_", "a/b/c", "a/-b"});
}

TEST(Formats, DefectsAreShortAndPrintable) {
  const std::string defect = format_defect(Format::kUri, "\x1b[31m" + std::string(10000, 'x'));
  EXPECT_LT(defect.size(), 200u);
  for (const char c : defect) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
}

// A text that is nearly, and sometimes quite, of the format.
std::string nearly(Format format, Random& random) {
  static const std::map<Format, std::vector<std::string>> kSeeds = {
      {Format::kBase64, {"AAAA", "AAA=", "AA==", "ab+/CDEF", ""}},
      {Format::kUri, {"file:///a%20b", "a:", "http://[::1]/?a=b#c", "x+y.z-1:q"}},
      {Format::kUriTemplate, {"{+a.b*,c:3}", "a/{id}/b", "{?q}", "%20", ""}},
      {Format::kTime,
       {"2025-01-12T15:00:58.5Z", "20251130T150058+0200", "2025-06-30", "2025-06-30T10:00-03"}},
      {Format::kToolName, {"a.b-c_D9", "x"}},
      {Format::kMetaKey, {"com.example-x/a.b_c-d", "a", "x.y/", ""}},
  };
  constexpr std::string_view kCharacters = "aZ019-_.:/+=%{}[], *?TZ#";
  std::string text = random.pick(kSeeds.at(format));
  for (std::size_t edits = random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    const char character = random.pick(kCharacters);
    switch (random.below(3)) {
      case 0:
        text.insert(at, 1, character);
        break;
      case 1:
        text.erase(std::min(at, text.size()), 1);
        break;
      default:
        if (at < text.size()) text[at] = character;
    }
  }
  return text;
}

// The exported schema says with a pattern what the code checks by hand.
TEST(Formats, PatternsSayTheSameAsTheChecks) {
  for (const Format format : kFormats) {
    const std::string pattern(format_pattern(format));
    const std::regex regex(pattern);
    Random random(1);
    int matches = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::string text = nearly(format, random);
      const bool is_match = std::regex_search(text, regex);
      matches += is_match ? 1 : 0;
      ASSERT_EQ(has_format(format, text), is_match) << pattern << " on " << text;
    }
    EXPECT_GT(matches, 1000) << pattern;
    EXPECT_LT(matches, 3900) << pattern;
  }
}

}  // namespace
}  // namespace assay::model
