#include "reference/wire/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/wire/http_testing.h"
#include "reference/wire/http_text.h"

namespace assay::wire {
namespace {

using Event = HttpParser::Event;
using Role = HttpParser::Role;
using testing::ElementsAre;
using namespace std::string_view_literals;

TEST(HttpParser, KeepsOrderCaseAndRepetitionsOfFields) {
  HttpParser parser(Role::kRequests);
  std::string_view bytes =
      "GET / HTTP/1.1\r\nhOST:x\r\nA: 1\r\nB:\t two words \r\na: 2\r\n\r\nrest";
  ASSERT_EQ(parser.next(bytes), Event::kHead);
  EXPECT_THAT(parser.fields(), ElementsAre(HttpField{"hOST", "x"}, HttpField{"A", "1"},
                                           HttpField{"B", "two words"}, HttpField{"a", "2"}));
  EXPECT_EQ(parser.raw(), "GET / HTTP/1.1\r\nhOST:x\r\nA: 1\r\nB:\t two words \r\na: 2\r\n\r\n");
  EXPECT_EQ(parser.next(bytes), Event::kEnd);
  EXPECT_EQ(bytes, "rest");
}

TEST(HttpParser, ReadsRequestsOneAfterTheOther) {
  EXPECT_THAT(
      read_requests("\r\nPOST /a?b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
                    "GET / HTTP/1.1\r\n\r\n"
                    "PUT * HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nConnection: x, CLOSE\r\n"
                    "\r\n3;x=\"y\"\r\nabc\r\n1 ; z\r\nd\r\n0\r\nT: 1\r\nU: 2\r\n\r\n"),
      ElementsAre("POST /a?b|Content-Length=3", "abc end", "GET /", " end",
                  "PUT *|Transfer-Encoding=Chunked|Connection=x, CLOSE", "abcd end|T|U close"));
}

TEST(HttpParser, ReadsResponsesOfEveryLength) {
  EXPECT_THAT(
      read_responses("HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 204\r\n\r\n"
                     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
                     "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
                     "HTTP/1.1 200 OK\r\n\r\nto the end",
                     true),
      ElementsAre("interim 100|A=b", "204", " end", "200|Content-Length=2", "ab end",
                  "200|Transfer-Encoding=chunked", "a end", "200", "to the end end close"));
}

TEST(HttpParser, TakesLinesOfResponsesThatEndInALineFeedAlone) {
  EXPECT_THAT(read_responses("HTTP/1.1 200 OK\nContent-Length: 1\n\na"),
              ElementsAre("200|Content-Length=1", "a end"));
}

// What servers should not write, and what does not hide where their answer ends.
TEST(HttpParser, ReadsResponsesAsAUserAgentDoes) {
  struct Odd {
    std::string_view bytes;
    std::vector<std::string> read;
  };
  const Odd odds[] = {
      {"HTTP/1.1 200 OK\r\n of nobody\r\nA : x\r\nB\r\n: y\r\nC(: z\r\nContent-Length: 0\r\n\r\n",
       {"200|A=x|B=|=y|C(=z|Content-Length=0", " end"}},
      {"HTTP/1.1 200 O\rK\r\nA: \rx\0y\r\nContent-Length: 0\r\n\r\n"sv,
       {std::string("200|A=\rx\0y|Content-Length=0"sv), " end"}},
      {"HTTP/1.1 200 OK\r\nA: x\r\n \t y\r\nB:\n z\r\n \r\nContent-Length: 0\r\n\r\n",
       {"200|A=x\r\n \t y|B=z|Content-Length=0", " end"}},
      {"HTTP/1.1 200 OK\r\nContent-Length : 1\r\ncontent-length: 1\r\n\r\na",
       {"200|Content-Length=1|content-length=1", "a end"}},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n"
       "1 \r\na\r\n1\t;x\r\nb\r\n1 x\rx\nc\n0\n\n",
       {"200|Content-Length=x|Transfer-Encoding=chunked", "abc end"}},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
       "1\r\na\r\n0\r\nT\r\n\r\n",
       {"200|Content-Length=9|Transfer-Encoding=gzip, Chunked", "a end|T close"}},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       {"200|Connection=keep-alive|Transfer-Encoding=chunked", " end close"}},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na",
       {"200|Transfer-Encoding=identity|Content-Length=1", "a end"}},
      {"HTTP/1.1 304 OK\r\nContent-Length: x\r\n\r\n", {"304|Content-Length=x", " end"}},
  };
  for (const Odd& odd : odds) {
    for (const std::size_t piece : {odd.bytes.size(), std::size_t{1}}) {
      EXPECT_EQ(read_all(HttpParser(Role::kResponses), odd.bytes, piece), odd.read) << odd.bytes;
    }
  }
}

TEST(HttpParser, ReadsNoBodyBehindAnAnswerToHead) {
  HttpParser parser(Role::kResponses);
  parser.expect_no_body();
  const std::string_view bytes =
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
  EXPECT_THAT(read_all(parser, bytes, bytes.size()),
              ElementsAre("200|Content-Length=9", " end", "200|Content-Length=1", "a end"));
}

TEST(HttpParser, KeepsAConnectionOfHttp10OpenOnlyIfAsked) {
  EXPECT_THAT(read_requests("GET / HTTP/1.0\r\n\r\n"), ElementsAre("GET /", " end close"));
  EXPECT_THAT(read_requests("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
              ElementsAre("GET /|Connection=keep-alive", " end"));
}

TEST(HttpParser, TellsACutOffMessageFromAnEndBetweenTwo) {
  HttpParser parser(Role::kRequests);
  EXPECT_EQ(parser.finish(), Event::kMore);
  std::string_view bytes = "GE";
  EXPECT_EQ(parser.next(bytes), Event::kMore);
  EXPECT_TRUE(parser.is_in_message());
  EXPECT_EQ(parser.finish(), Event::kBroken);
  EXPECT_EQ(parser.fault(), HttpFault::kCutOff);
  for (const char* cut : {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"}) {
    EXPECT_EQ(read_responses(cut, true).back(), "the connection ended in the middle");
  }
}

TEST(HttpParser, GivesTheSameHoweverItIsCut) {
  const std::string_view requests =
      "\r\nPOST /a HTTP/1.1\r\nContent-Length: 3\r\nA:  b \r\n\r\nabc"
      "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: "
      "1\r\n\r\n"
      "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nbad\r\n\r\n";
  const auto whole = read_requests(requests);
  EXPECT_EQ(whole.back(), describe(HttpFault::kNoColon));
  for (std::size_t piece = 1; piece < requests.size(); ++piece) {
    EXPECT_EQ(read_all(HttpParser(Role::kRequests), requests, piece), whole) << piece;
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(HttpParser, BoundsWhatItHolds) {
  const HttpParser::Limits limits{.head_bytes = 100, .fields = 4, .body_bytes = 10, .interims = 2};
  const std::string_view chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string head(chunked);
  const std::pair<std::string, HttpFault> cases[] = {
      {"GET /" + std::string(200, 'x'), HttpFault::kHeadTooLong},
      {std::string(200, 'x') + "\x10", HttpFault::kHeadTooLong},
      {"GET / HTTP/1.1\r\nA: " + std::string(200, 'x'), HttpFault::kHeadTooLong},
      {"GET / HTTP/1.1\r\n" + repeated("A: bcdefghijklmnopqrstuvwxyz\r\n", 4),
       HttpFault::kHeadTooLong},
      {"GET / HTTP/1.1\r\n" + repeated("A:\r\n", 5), HttpFault::kTooManyFields},
      {"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n", HttpFault::kBodyTooLong},
      {head + "a\r\n0123456789\r\n1\r\n", HttpFault::kBodyTooLong},
      {head + "1;" + std::string(200, 'x'), HttpFault::kChunkLinesTooLong},
      {head + repeated("1;" + std::string(60, 'x') + "\r\na\r\n", 3),
       HttpFault::kChunkLinesTooLong},
      {head + "0\r\nA: " + std::string(200, 'x'), HttpFault::kHeadTooLong},
  };
  for (const auto& [bytes, fault] : cases) {
    for (const std::size_t piece : {bytes.size(), std::size_t{1}}) {
      HttpParser parser(Role::kRequests, limits);
      EXPECT_EQ(read_all(parser, bytes, piece).back(), describe(fault)) << bytes;
    }
  }
  HttpParser responses(Role::kResponses, limits);
  EXPECT_EQ(read_all(responses, repeated("HTTP/1.1 100 C\r\n\r\n", 3), 1).back(),
            describe(HttpFault::kTooManyInterims));
}

// A stream may have an extension with each of its many chunks.
TEST(HttpParser, TakesExtensionsThatAreNotLongerThanTheBody) {
  HttpParser parser(Role::kResponses, {.head_bytes = 100});
  const std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                            repeated("a;x=y\r\n0123456789\r\n", 50) + "0\r\n\r\n";
  EXPECT_EQ(read_all(parser, bytes, bytes.size()).back(), repeated("0123456789", 50) + " end");
}

TEST(HttpParser, HoldsNothingOfABodyAndAHeadAtMost) {
  HttpParser parser(Role::kRequests, {.head_bytes = 100});
  std::size_t most = 0;
  const std::string bytes = "POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n" +
                            std::string(5000, 'x') + "GET /" + std::string(5000, 'x');
  for (const char& c : bytes) {
    std::string_view byte(&c, 1);
    while (parser.next(byte) != Event::kMore && parser.fault() == HttpFault::kNone) {
    }
    most = std::max(most, parser.held());
  }
  EXPECT_LE(most, 101u);
  EXPECT_EQ(parser.fault(), HttpFault::kHeadTooLong);
}

TEST(HttpWriter, WritesWhatTheParserReads) {
  std::string text;
  HttpWriter request(text);
  request.request_line("POST", "/mcp");
  request.content_length(3);
  request.field("X", "y z");
  ASSERT_TRUE(request.end_head());
  text += "abc";
  EXPECT_THAT(read_requests(text), ElementsAre("POST /mcp|Content-Length=3|X=y z", "abc end"));

  std::string answer;
  HttpWriter response(answer);
  response.status_line(404);
  response.field("Transfer-Encoding", "chunked");
  ASSERT_TRUE(response.end_head());
  HttpWriter::chunk(answer, std::string(300, 'x'));
  HttpWriter::chunk(answer, "");
  HttpWriter::last_chunk(answer);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(read_responses(answer),
              ElementsAre("404|Transfer-Encoding=chunked", std::string(300, 'x') + " end"));
}

TEST(HttpWriter, WritesNothingThatWouldBreakTheMessage) {
  std::string text = "before";
  const auto writes = [&text](std::string_view method, std::string_view target,
                              std::string_view name, std::string_view value) {
    HttpWriter writer(text);
    writer.request_line(method, target);
    writer.field(name, value);
    return writer.end_head();
  };
  EXPECT_FALSE(writes("GET", "/", "MCP-Protocol-Version", "2025-06-18\r\nX: y"));
  EXPECT_FALSE(writes("GET", "/", "A", "x\ny"));
  EXPECT_FALSE(writes("GET", "/", "A: b\r\nC", "x"));
  EXPECT_FALSE(writes("GET", "/", "", "x"));
  EXPECT_FALSE(writes("GET", "/a b", "A", "x"));
  EXPECT_FALSE(writes("GET /", "/", "A", "x"));
  EXPECT_EQ(text, "before");
  EXPECT_TRUE(writes("GET", "/", "A", "\xC3\xA9"));
}

TEST(HttpText, ReadsNumbersOfDigitsAlone) {
  EXPECT_EQ(read_number("0017", 10), 17u);
  EXPECT_EQ(read_number("fF", 16), 255u);
  EXPECT_EQ(read_number("18446744073709551616", 10), std::nullopt);
  for (const char* const other : {"", "+1", "-1", " 1", "1 ", "0x1"}) {
    EXPECT_EQ(read_number(other, 10), std::nullopt) << other;
  }
}

// Bytes are compared several at once, in texts of any length: none may be left out, or touch
// another.
TEST(HttpText, TellsEveryTwoBytesApartButTheCasesOfALetter) {
  const auto lower = [](int c) { return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c; };
  for (const std::size_t size : {1u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u}) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string a(size, '\x7f');
      std::string b(size, '\x7f');
      for (int c = 0; c < 256; ++c) {
        for (const int other : {c ^ 0x20, c ^ 0x80, c ^ 0x40, c ^ 0xa0, c ^ 0x01, c}) {
          a[at] = static_cast<char>(c);
          b[at] = static_cast<char>(other);
          ASSERT_EQ(equals_without_case(a, b), lower(c) == lower(other))
              << c << " " << other << " at " << at << " of " << size;
        }
      }
    }
  }
}

TEST(HttpText, KnowsTokensAndWhatMayStandInAField) {
  EXPECT_TRUE(is_token("Mcp-Session_Id!"));
  for (const char* const other : {"", "a b", "a:", ":a", "a\t", "\xC3\xA9"}) {
    EXPECT_FALSE(is_token(other)) << other;
  }
  EXPECT_EQ(count_token_bytes("Host: a"), 4u);
  EXPECT_EQ(count_token_bytes(""), 0u);
  EXPECT_TRUE(is_field_value("a\tb \xC3\xA9"));
  EXPECT_FALSE(is_field_value("a\r"));
  EXPECT_FALSE(is_field_value("\nb"));
  EXPECT_FALSE(is_field_value(std::string_view("a\0b", 3)));
}

TEST(HttpText, ComparesWithoutCaseAndFindsMembersOfLists) {
  EXPECT_TRUE(equals_without_case("Mcp-Session-Id", "mcp-sESSION-id"));
  EXPECT_FALSE(equals_without_case("[", "{"));
  EXPECT_FALSE(equals_without_case("Host", "Hosts"));
  EXPECT_TRUE(equals_without_case("", ""));
  EXPECT_TRUE(lists_token("a , Close", "close"));
  EXPECT_FALSE(lists_token("closed", "close"));
  EXPECT_EQ(trim_blanks(" \ta b\t "), "a b");
}

}  // namespace
}  // namespace assay::wire
