#include "reference/wire/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::wire {

void PrintTo(const SseEvent& event, std::ostream* out) {
  *out << "{id " << (event.id ? *event.id : "-") << ", event " << event.event << ", data "
       << (event.has_data ? event.data : "-") << ", retry "
       << (event.retry ? std::to_string(*event.retry) : "-")
       << (event.is_truncated ? ", truncated" : "") << ", raw " << event.raw << "}";
}

namespace {

struct Outcome {
  std::vector<SseEvent> events;
  bool was_open = false;
  std::optional<std::string> last_event_id;
  std::size_t comments = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome parse(const std::vector<std::string_view>& chunks,
              std::size_t limit = SseParser::kDefaultLimit) {
  Outcome outcome;
  SseParser parser([&outcome](SseEvent event) { outcome.events.push_back(std::move(event)); },
                   limit);
  for (const std::string_view chunk : chunks) {
    parser.feed(chunk);
    EXPECT_LE(parser.pending(), 2 * limit);
  }
  outcome.was_open = parser.finish();
  outcome.last_event_id = parser.last_event_id();
  outcome.comments = parser.comment_count();
  return outcome;
}

std::vector<SseEvent> events(std::string_view stream) {
  return parse({stream}).events;
}

std::string data_of(std::string_view stream) {
  const std::vector<SseEvent> seen = events(stream);
  return seen.size() == 1 ? seen[0].data : "(" + std::to_string(seen.size()) + " events)";
}

TEST(SseParser, ReadsAllFields) {
  const SseEvent event = {.id = "7",
                          .event = "message",
                          .data = "{}",
                          .has_data = true,
                          .retry = 1500,
                          .raw = "id: 7\nevent: message\nretry: 1500\ndata: {}\n"};
  EXPECT_EQ(events("id: 7\nevent: message\nretry: 1500\ndata: {}\n\n"),
            std::vector<SseEvent>{event});
}

TEST(SseParser, EndsLinesWithLfCrAndCrlf) {
  for (const char* stream :
       {"data: a\ndata: b\n\n", "data: a\rdata: b\r\r", "data: a\r\ndata: b\r\n\r\n",
        "data: a\r\ndata: b\r\r", "data: a\ndata: b\r\n\n", "data: a\rdata: b\n\r"}) {
    EXPECT_EQ(data_of(stream), "a\nb") << stream;
  }
}

TEST(SseParser, DispatchesAtACarriageReturnWithoutWaiting) {
  std::vector<SseEvent> seen;
  SseParser parser([&seen](SseEvent event) { seen.push_back(std::move(event)); });
  parser.feed("data: a\r\r");
  EXPECT_EQ(seen.size(), 1u);
  parser.feed("\ndata: b\n\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].raw, "data: b\n");
}

TEST(SseParser, TakesOneSpaceOffAValue) {
  EXPECT_EQ(data_of("data:a\n\n"), "a");
  EXPECT_EQ(data_of("data:  a \n\n"), " a ");
  EXPECT_EQ(data_of("data:\ta\n\n"), "\ta");
}

TEST(SseParser, TakesAFieldWithoutColonAsEmpty) {
  EXPECT_EQ(data_of("data\n\n"), "");
  EXPECT_EQ(data_of("data\ndata\n\n"), "\n");
  EXPECT_TRUE(events("data\n\n").at(0).has_data);
}

TEST(SseParser, IgnoresUnknownFieldsAndOtherSpellings) {
  EXPECT_EQ(data_of("Data: x\ndata : y\n data: z\nfoo\ndata: a\n\n"), "a");
  EXPECT_TRUE(events("foo: bar\n\n").empty());
}

TEST(SseParser, IgnoresALeadingByteOrderMarkOnly) {
  EXPECT_EQ(data_of("\xEF\xBB\xBF"
                    "data: a\n\n"),
            "a");
  EXPECT_EQ(data_of("\xEF\xBB\xBF\xEF\xBB\xBF"
                    "data: a\ndata: b\n\n"),
            "b");
  EXPECT_EQ(data_of("\xEF\xBB"
                    "data: a\ndata: b\n\n"),
            "b");
  EXPECT_EQ(events("data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n")
                .size(),
            1u);
}

TEST(SseParser, ReportsAnEventWithoutData) {
  const std::vector<SseEvent> seen = events("id: 1\nretry: 10\n\n");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_FALSE(seen[0].has_data);
  EXPECT_EQ(seen[0].retry, 10u);
}

TEST(SseParser, IgnoresAnIdWithNul) {
  const std::string stream("id: a\nid: b\0c\ndata: x\n\n", 23);
  EXPECT_EQ(events(stream).at(0).id, "a");
  EXPECT_EQ(parse({stream}).last_event_id, "a");
}

TEST(SseParser, IgnoresARetryThatIsNotAllDigits) {
  for (const char* value : {"", " ", "-1", "1.5", "1s", "0x10", "+3"}) {
    const std::string stream = "retry: " + std::string(value) + "\ndata: x\n\n";
    EXPECT_EQ(events(stream).at(0).retry, std::nullopt) << value;
  }
  EXPECT_EQ(events("retry: 007\n\n").at(0).retry, 7u);
  EXPECT_EQ(events("retry: 18446744073709551615\n\n").at(0).retry, UINT64_MAX);
  EXPECT_EQ(events("retry: 99999999999999999999999\n\n").at(0).retry, UINT64_MAX);
}

TEST(SseParser, RemembersTheLastEventIdOfACompleteEvent) {
  EXPECT_EQ(parse({"data: x\n\n"}).last_event_id, std::nullopt);
  EXPECT_EQ(parse({"id: 1\ndata: x\n\ndata: y\n\n"}).last_event_id, "1");
  EXPECT_EQ(parse({"id: 1\n\nid: 2\ndata: y\n"}).last_event_id, "1");
  EXPECT_EQ(parse({"id: 1\n\nid\n\n"}).last_event_id, "");
}

TEST(SseParser, CountsCommentsAndKeepsThemOutOfEvents) {
  const Outcome outcome = parse({": ping\n\n:\ndata: a\n: more\r\ndata: b\n\n"});
  EXPECT_EQ(outcome.comments, 3u);
  ASSERT_EQ(outcome.events.size(), 1u);
  EXPECT_EQ(outcome.events[0].data, "a\nb");
  EXPECT_EQ(outcome.events[0].raw, "data: a\ndata: b\n");
}

TEST(SseParser, DropsAnEventThatTheStreamCutsShort) {
  EXPECT_TRUE(parse({"data: a\n"}).was_open);
  EXPECT_TRUE(parse({"data: a"}).was_open);
  EXPECT_TRUE(parse({"data: a\n"}).events.empty());
  EXPECT_FALSE(parse({"data: a\n\n"}).was_open);
  EXPECT_FALSE(parse({""}).was_open);
}

TEST(SseParser, StartsAfreshAfterFinish) {
  std::vector<SseEvent> seen;
  SseParser parser([&seen](SseEvent event) { seen.push_back(std::move(event)); });
  parser.feed("id: 4\n\ndata: lost");
  EXPECT_TRUE(parser.finish());
  parser.feed(
      "\xEF\xBB\xBF"
      "data: a\n\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].data, "a");
  EXPECT_EQ(parser.last_event_id(), "4");
}

TEST(SseParser, CutsAnEventAtItsLimit) {
  const std::vector<SseEvent> seen = parse({"data: abcdefghij\nid: 9\n\ndata: x\n\n"}, 10).events;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[0].is_truncated);
  EXPECT_EQ(seen[0].data, "abcd");
  EXPECT_EQ(seen[0].raw, "data: abcd");
  EXPECT_EQ(seen[0].id, std::nullopt);
  EXPECT_FALSE(seen[1].is_truncated);
  EXPECT_EQ(seen[1].data, "x");
}

TEST(SseParser, HoldsNoMoreThanTwiceItsLimit) {
  SseParser parser([](SseEvent) {}, 1000);
  for (int i = 0; i < 20'000; ++i) {
    parser.feed(i % 2 == 0 ? "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" : "id: 12345678\n");
    ASSERT_LE(parser.pending(), 2000u);
  }
  parser.feed("\n");
  EXPECT_EQ(parser.pending(), 0u);
}

TEST(SseParser, HoldsNothingOfAnEndlessComment) {
  SseParser parser([](SseEvent) {}, 1000);
  parser.feed(":");
  for (int i = 0; i < 1000; ++i) parser.feed("xxxxxxxxxxxxxxxxxxxxx");
  EXPECT_EQ(parser.pending(), 0u);
}

TEST(SseParser, SeesTheSameEventsHoweverTheStreamIsSplit) {
  const std::vector<std::string> streams = {
      "\xEF\xBB\xBFid: 1\r\nevent: e\r\ndata: a\r\n\r\n: c\r\ndata: b\rdata\r\r\ndata: "
      "c\n\n\nid\n\n",
      "data: a\r\r\n\rdata: b\r\n: x\r\ndata: c\r\n\r\nretry: 12\r\nretry: x\r\n\r\n",
      "\xEF\xBB"
      "data: x\n\n",
      "\xEF",
      "\r\n\r\n\n\r\r",
      std::string("id: a\0b\ndata: \0\n\n", 17),
      "data: abcdefghijkl\ndata: m\r\n\r\nid: 1234567890\ndata: y\n\nfoo: aaaaaaaaaaaaaaaaaa\n\n"};
  for (const std::string& stream : streams) {
    for (const std::size_t limit :
         {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{999}}) {
      const Outcome whole = parse({stream}, limit);
      std::vector<std::string_view> bytes;
      for (std::size_t i = 0; i < stream.size(); ++i) {
        bytes.push_back(std::string_view(stream).substr(i, 1));
        EXPECT_EQ(parse({std::string_view(stream).substr(0, i), std::string_view(stream).substr(i)},
                        limit),
                  whole);
      }
      EXPECT_EQ(parse(bytes, limit), whole);
    }
  }
}

TEST(SseWriter, WritesWhatTheParserReadsBack) {
  const std::vector<SseEvent> originals = {
      {.data = "{}", .has_data = true},
      {.id = "3", .event = "message", .data = "a\nb\n", .has_data = true, .retry = 5},
      {.id = "", .data = "", .has_data = true},
      {.id = "x"},
      {.data = " leading space", .has_data = true},
      {.data = "\n", .has_data = true},
      {.data = ": no comment\ndata: no field", .has_data = true},
      {.retry = 0},
      {.event = std::string("a\0b", 3), .data = "x", .has_data = true},
  };
  for (const SseEvent& original : originals) {
    std::vector<SseEvent> seen = events(SseWriter::event(original));
    ASSERT_EQ(seen.size(), 1u);
    seen[0].raw.clear();
    EXPECT_EQ(seen[0], original);
  }
}

TEST(SseWriter, WritesCarriageReturnsInDataAsLineEnds) {
  EXPECT_EQ(data_of(SseWriter::event({.data = "a\r\nb\rc", .has_data = true})), "a\nb\nc");
}

TEST(SseWriter, LeavesOutWhatCannotBeExpressed) {
  EXPECT_EQ(SseWriter::event({.id = "a\nb", .event = "x\r", .data = "d", .has_data = true}),
            "data: d\n\n");
  EXPECT_EQ(SseWriter::event({.id = std::string("\0", 1), .data = "d", .has_data = true}),
            "data: d\n\n");
}

TEST(SseWriter, WritesACommentThatMeansNothing) {
  const Outcome outcome = parse({SseWriter::comment("keep\nalive"), "data: a\n\n"});
  EXPECT_EQ(outcome.comments, 1u);
  EXPECT_EQ(outcome.events.size(), 1u);
}

}  // namespace
}  // namespace assay::wire
