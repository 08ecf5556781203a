#include "reports/escape.h"

#include <gtest/gtest.h>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

TEST(Escape, SpellsOutWhatCannotBeShown) {
  EXPECT_EQ(printable_line("a\x1b[0mb"), "a<U+001B>[0mb");
  EXPECT_EQ(printable_line("a\nb\tc"), "a<U+000A>b<U+0009>c");
  EXPECT_EQ(printable_line("\xC2\x9B"), "<U+009B>");
  EXPECT_EQ(printable_line("\xE2\x80\xAE"), "<U+202E>");
  EXPECT_EQ(printable_line("\xF3\xA0\x81\x81"), "<U+E0041>");
  EXPECT_EQ(printable_line(std::string_view("\0", 1)), "<U+0000>");
}

TEST(Escape, SpellsOutInvalidUtf8ByteByByte) {
  EXPECT_EQ(printable_line("\xFF"), "<0xFF>");
  EXPECT_EQ(printable_line("\xC0\x80"), "<0xC0><0x80>");            // overlong
  EXPECT_EQ(printable_line("\xED\xA0\x80"), "<0xED><0xA0><0x80>");  // a surrogate
  EXPECT_EQ(printable_line("\xE2\x82"), "<0xE2><0x82>");            // cut short
  EXPECT_EQ(printable_line("\xF5\x80\x80\x80"), "<0xF5><0x80><0x80><0x80>");
}

TEST(Escape, KeepsOrdinaryText) {
  const std::string text = "Grüße, 世界 🌍 {\"a\": [1, 2]}";
  EXPECT_EQ(printable_line(text), text);
  EXPECT_EQ(valid_utf8(text), text);
}

TEST(Escape, KeepsLinesOnlyWhereAskedTo) {
  EXPECT_EQ(printable_text("a\r\nb\n\tc\rd"), "a\nb\n\tc<U+000D>d");
}

TEST(Escape, IsIdempotent) {
  const std::string once = printable_line(testing::hostile_text());
  EXPECT_EQ(printable_line(once), once);
}

TEST(Escape, CutsBetweenCodePointsWithANotice) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abcd [cut: 2 more bytes]");
  EXPECT_EQ(cut("ab\xC3\xBC", 3), "ab [cut: 2 more bytes]");
  EXPECT_EQ(cut(std::string(10, '\x80'), 5).substr(0, 1), "\x80");
}

TEST(Escape, CountsColumnsNotBytes) {
  EXPECT_EQ(columns("äb✗"), 3U);
}

TEST(Escape, QuotesShellWords) {
  EXPECT_EQ(shell_word("node"), "node");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace assay::reports
