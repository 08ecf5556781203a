#include "reference/wire/line_framer.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace assay::wire {
namespace {

struct Seen {
  std::string bytes;
  bool has_carriage_return;
  bool is_truncated;
  bool is_unterminated;
  friend bool operator==(const Seen&, const Seen&) = default;
};

void PrintTo(const Seen& line, std::ostream* out) {
  *out << '"' << line.bytes << '"' << (line.has_carriage_return ? " CR" : "")
       << (line.is_truncated ? " truncated" : "") << (line.is_unterminated ? " unterminated" : "");
}

std::vector<Seen> frame(const std::vector<std::string_view>& chunks,
                        std::size_t limit = LineFramer::kDefaultLimit) {
  std::vector<Seen> lines;
  LineFramer framer(
      [&lines](const LineFramer::Line& line) {
        lines.push_back({std::string(line.bytes), line.has_carriage_return, line.is_truncated,
                         line.is_unterminated});
      },
      limit);
  for (const std::string_view chunk : chunks) {
    framer.feed(chunk);
    EXPECT_LE(framer.pending(), limit);
  }
  framer.finish();
  EXPECT_EQ(framer.pending(), 0u);
  return lines;
}

TEST(LineFramer, SplitsAtNewlines) {
  EXPECT_EQ(frame({"a\nbc\n"}),
            (std::vector<Seen>{{"a", false, false, false}, {"bc", false, false, false}}));
}

TEST(LineFramer, ReportsEmptyLines) {
  EXPECT_EQ(frame({"\n\n"}),
            (std::vector<Seen>{{"", false, false, false}, {"", false, false, false}}));
}

TEST(LineFramer, KeepsPartialLineAcrossFeeds) {
  EXPECT_EQ(frame({"ab", "", "cd", "\n"}), (std::vector<Seen>{{"abcd", false, false, false}}));
}

TEST(LineFramer, TakesOneCarriageReturnOffTheEnd) {
  EXPECT_EQ(frame({"a\r\n\r\nb\r\r\nc\rd\n"}), (std::vector<Seen>{{"a", true, false, false},
                                                                  {"", true, false, false},
                                                                  {"b\r", true, false, false},
                                                                  {"c\rd", false, false, false}}));
}

TEST(LineFramer, ReportsWhatIsLeftAsUnterminated) {
  EXPECT_EQ(frame({"a\nb\r"}),
            (std::vector<Seen>{{"a", false, false, false}, {"b\r", false, false, true}}));
  EXPECT_EQ(frame({"a\n"}).size(), 1u);
  EXPECT_EQ(frame({}).size(), 0u);
}

TEST(LineFramer, KeepsNulAndInvalidUtf8) {
  const std::string odd("\0\xFF\xC0", 3);
  EXPECT_EQ(frame({odd, "\n"}), (std::vector<Seen>{{odd, false, false, false}}));
}

TEST(LineFramer, PassesALineOfExactlyTheLimit) {
  EXPECT_EQ(frame({"abcd\nabcd\r\n"}, 4),
            (std::vector<Seen>{{"abcd", false, false, false}, {"abcd", true, false, false}}));
}

TEST(LineFramer, CutsALineBeyondTheLimitAndGoesOn) {
  EXPECT_EQ(frame({"abcde\nx\nabcd\r\r\nabcdefgh"}, 4),
            (std::vector<Seen>{{"abcd", false, true, false},
                               {"x", false, false, false},
                               {"abcd", true, true, false},
                               {"abcd", false, true, true}}));
}

TEST(LineFramer, HoldsNoMoreThanItsLimitOfAnEndlessLine) {
  LineFramer framer([](const LineFramer::Line&) {}, 1000);
  const std::string chunk(777, 'x');
  for (int i = 0; i < 10'000; ++i) {
    framer.feed(chunk);
    ASSERT_LE(framer.pending(), 1000u);
  }
}

TEST(LineFramer, PassesALineOf8MiB) {
  const std::string line(8u << 20, 'x');
  const std::vector<Seen> lines = frame({line, "\n"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].bytes.size(), line.size());
  EXPECT_FALSE(lines[0].is_truncated);
}

TEST(LineFramer, CanBeUsedAgainAfterFinish) {
  std::vector<std::string> lines;
  LineFramer framer([&lines](const LineFramer::Line& line) { lines.emplace_back(line.bytes); });
  framer.feed("a");
  framer.finish();
  framer.feed("b\n");
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b"}));
}

TEST(LineFramer, SeesTheSameLinesHoweverTheStreamIsSplit) {
  const std::vector<std::string> streams = {
      "a\nbc\r\n\n\r\n\r\r\nlast",   "\r", "\n", "\r\n", "abcdefgh\nabcdefg\r\nabcdefgh\r\n\rx",
      std::string("\0\n\0\0\r\n", 6)};
  for (const std::string& stream : streams) {
    for (const std::size_t limit :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{99}}) {
      const std::vector<Seen> whole = frame({stream}, limit);
      std::vector<std::string_view> bytes;
      for (std::size_t i = 0; i < stream.size(); ++i) {
        bytes.push_back(std::string_view(stream).substr(i, 1));
        EXPECT_EQ(frame({std::string_view(stream).substr(0, i), std::string_view(stream).substr(i)},
                        limit),
                  whole);
      }
      EXPECT_EQ(frame(bytes, limit), whole);
    }
  }
}

}  // namespace
}  // namespace assay::wire
