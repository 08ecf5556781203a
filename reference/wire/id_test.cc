#include "reference/wire/id.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace assay::wire {
namespace {

Id id(std::string json) {
  return Id::from_json_text(std::move(json));
}

TEST(Id, TellsItsKindFromTheText) {
  const std::map<std::string, Id::Kind> kinds = {
      {"1", Id::Kind::kInteger},
      {"0", Id::Kind::kInteger},
      {"-0", Id::Kind::kInteger},
      {"-7", Id::Kind::kInteger},
      {"9007199254740993", Id::Kind::kInteger},
      {"123456789012345678901234567890", Id::Kind::kInteger},
      {"1.0", Id::Kind::kNumber},
      {"1e3", Id::Kind::kNumber},
      {"1e400", Id::Kind::kNumber},
      {"-0.0", Id::Kind::kNumber},
      {"\"\"", Id::Kind::kString},
      {"\"1\"", Id::Kind::kString},
      {"\"\\ud800\"", Id::Kind::kString},
      {"null", Id::Kind::kNull},
      {"true", Id::Kind::kOther},
      {"{}", Id::Kind::kOther},
      {"[1]", Id::Kind::kOther},
  };
  for (const auto& [text, kind] : kinds) EXPECT_EQ(id(text).kind(), kind) << text;
}

TEST(Id, IsOtherWhereTheTextIsNoScalar) {
  for (const char* text : {"", "01", "1.", "+1", ".5", "1 ", "-", "1e", "nul", "\"", "\"a",
                           "\"\\x\"", "\"a\"b\"", "\"\\\"", "\"\n\"", "\"\\u12g4\""}) {
    EXPECT_EQ(id(text).kind(), Id::Kind::kOther) << text;
    EXPECT_EQ(id(text).json_text(), text);
  }
}

TEST(Id, IsValidOnlyAsStringOrInteger) {
  EXPECT_TRUE(id("1").is_valid());
  EXPECT_TRUE(id("\"\"").is_valid());
  EXPECT_FALSE(id("1.0").is_valid());
  EXPECT_FALSE(id("null").is_valid());
  EXPECT_FALSE(id("true").is_valid());
}

TEST(Id, KeepsOneAndItsLookalikesApart) {
  const std::set<Id> ids = {id("1"), id("\"1\""), id("1.0"), id("1e0"), id("10e-1")};
  EXPECT_EQ(ids.size(), 5u);
}

TEST(Id, EqualsByValueOfTheString) {
  EXPECT_EQ(id("\"a\""), id("\"\\u0061\""));
  EXPECT_EQ(id("\"/\""), id("\"\\/\""));
  EXPECT_EQ(id("\"\\ud83d\\ude00\""), id("\"\xF0\x9F\x98\x80\""));
  EXPECT_NE(id("\"a\""), id("\"b\""));
  EXPECT_NE(id("\"\\ud800\""), id("\"\\ud801\""));
  EXPECT_NE(id("\"\\ud800\""), id("\"\\ufffd\""));
}

TEST(Id, IsOrderedAsItIsEqual) {
  const std::vector<Id> ids = {id("\"a\""), id("\"\\u0061\""), id("\"b\""), id("\"\\u0062c\""),
                               id("1"),     id("2"),           id("1.0"),   id("null")};
  for (const Id& left : ids) {
    for (const Id& right : ids) {
      EXPECT_EQ(left == right, (left <=> right) == 0);
      EXPECT_EQ(left<right, right> left);
    }
  }
}

TEST(Id, OfNumberWritesIt) {
  EXPECT_EQ(Id::of(-7).json_text(), "-7");
  EXPECT_EQ(Id::of(INT64_MIN).json_text(), "-9223372036854775808");
  EXPECT_EQ(Id::of(1).kind(), Id::Kind::kInteger);
}

TEST(Id, OfStringEscapesIt) {
  EXPECT_EQ(Id::of_string("abc").json_text(), "\"abc\"");
  EXPECT_EQ(Id::of_string("a\"b\\c\n").json_text(), "\"a\\\"b\\\\c\\n\"");
  EXPECT_EQ(Id::of_string("a\"b\\c\n").string_value(), "a\"b\\c\n");
  EXPECT_EQ(Id::of_string("\xC3\xA9").string_value(), "\xC3\xA9");
  EXPECT_EQ(Id::of_string(std::string("\0", 1)).kind(), Id::Kind::kString);
}

TEST(Id, StringValueIsEmptyForOtherKinds) {
  EXPECT_EQ(id("1").string_value(), "");
  EXPECT_EQ(id("\"x\"").string_value(), "x");
}

TEST(Id, HasOneOrderWhateverIsEscaped) {
  // A blank stands before a quote: " a" without escapes, and with them, has to sort the same way.
  const Id empty = Id::from_json_text(R"("")");
  const Id plain = Id::from_json_text(R"(" a")");
  const Id escaped = Id::from_json_text(R"("\u0020a")");
  EXPECT_EQ(plain, escaped);
  EXPECT_EQ(empty < plain, empty < escaped);
  const std::set<Id> ids = {empty, plain, Id::from_json_text(R"("b")")};
  EXPECT_TRUE(ids.contains(escaped));
}

}  // namespace
}  // namespace assay::wire
