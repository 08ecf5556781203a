#include "reference/wire/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/wire/http_text.h"

namespace assay::wire {
namespace {

using Event = HttpParser::Event;
using Role = HttpParser::Role;
using testing::ElementsAre;

std::string text_of(const HttpParser& parser) {
  std::string text = parser.method().empty()
                         ? std::to_string(parser.status())
                         : std::string(parser.method()) + " " + std::string(parser.target());
  for (const HttpField& field : parser.fields()) {
    text += "|" + std::string(field.name) + "=" + std::string(field.value);
  }
  return text;
}

// What a parser makes of some bytes in pieces of that size: a line for each head, body, end, fault.
std::vector<std::string> read_all(HttpParser parser, std::string_view bytes, std::size_t piece,
                                  bool closes = false) {
  std::vector<std::string> seen;
  std::string body;
  const auto take = [&](Event event) {
    switch (event) {
      case Event::kMore:
        return false;
      case Event::kInterim:
        seen.push_back("interim " + text_of(parser));
        return true;
      case Event::kHead:
        seen.push_back(text_of(parser));
        return true;
      case Event::kBody:
        body += parser.body();
        return true;
      case Event::kEnd: {
        std::string end = "end";
        for (const HttpField& field : parser.fields()) end += "|" + std::string(field.name);
        seen.push_back(std::exchange(body, "") + " " + end + (parser.keeps_open() ? "" : " close"));
        return true;
      }
      case Event::kBroken:
        if (!body.empty()) seen.push_back(std::exchange(body, ""));
        seen.emplace_back(describe(parser.fault()));
        return false;
    }
    return false;
  };
  while (!bytes.empty()) {
    std::string copy(bytes.substr(0, piece));  // of its own, so that a view kept too long is seen
    bytes.remove_prefix(copy.size());
    std::string_view rest = copy;
    while (take(parser.next(rest))) {
    }
    if (parser.fault() != HttpFault::kNone) return seen;
  }
  if (closes) take(parser.finish());
  return seen;
}

std::vector<std::string> read_requests(std::string_view bytes, HttpParser::Limits limits = {}) {
  return read_all(HttpParser(Role::kRequests, limits), bytes, bytes.size());
}

std::vector<std::string> read_responses(std::string_view bytes, bool closes = false) {
  return read_all(HttpParser(Role::kResponses), bytes, bytes.size(), closes);
}

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

struct Refused {
  const char* name;
  Role role;
  std::string_view bytes;
  HttpFault fault;
};

// Two readers of these could differ on where the message ends, or on what it says.
constexpr Refused kRefused[] = {
    {"BlankBeforeColon", Role::kRequests, "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
     HttpFault::kBlankInName},
    {"BlankBeforeColonOfAnswer", Role::kResponses, "HTTP/1.1 200 OK\r\nA : x\r\n\r\n",
     HttpFault::kBlankInName},
    {"NoColon", Role::kRequests, "GET / HTTP/1.1\r\nHost\r\n\r\n", HttpFault::kNoColon},
    {"NoName", Role::kRequests, "GET / HTTP/1.1\r\n: x\r\n\r\n", HttpFault::kNoName},
    {"NameWithParenthesis", Role::kRequests, "GET / HTTP/1.1\r\nA(: x\r\n\r\n",
     HttpFault::kBadName},
    {"Folded", Role::kRequests, "GET / HTTP/1.1\r\nA: x\r\n y\r\n\r\n", HttpFault::kFolded},
    {"FoldedAnswer", Role::kResponses, "HTTP/1.1 200 OK\r\nA: x\r\n\ty\r\n\r\n",
     HttpFault::kFolded},
    {"BareLineFeed", Role::kRequests, "GET / HTTP/1.1\nA: x\n\n", HttpFault::kBareLineFeed},
    {"BareLineFeedLater", Role::kRequests, "GET / HTTP/1.1\r\nA: x\nB: y\r\n\r\n",
     HttpFault::kBareLineFeed},
    {"BareCarriageReturn", Role::kRequests, "GET / HTTP/1.1\r\nA: x\rB: y\r\n\r\n",
     HttpFault::kBareCarriageReturn},
    {"BareCarriageReturnOfAnswer", Role::kResponses, "HTTP/1.1 200 OK\r\nA: \rB\r\n\r\n",
     HttpFault::kBareCarriageReturn},
    {"Nul", Role::kRequests, std::string_view("GET / HTTP/1.1\r\nA: \0\r\n\r\n", 23),
     HttpFault::kNul},
    {"TwoLengths", Role::kRequests,
     "POST / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na",
     HttpFault::kSeveralLengths},
    {"ListOfLengths", Role::kRequests, "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\na",
     HttpFault::kBadLength},
    {"SignedLength", Role::kRequests, "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na",
     HttpFault::kBadLength},
    {"HexadecimalLength", Role::kRequests, "POST / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\na",
     HttpFault::kBadLength},
    {"EmptyLength", Role::kRequests, "POST / HTTP/1.1\r\nContent-Length:\r\n\r\na",
     HttpFault::kBadLength},
    {"HugeLength", Role::kRequests,
     "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", HttpFault::kBadLength},
    {"LengthAndChunks", Role::kRequests,
     "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     HttpFault::kLengthAndCoding},
    {"LengthAndChunksOfAnswer", Role::kResponses,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
     HttpFault::kLengthAndCoding},
    {"TwoCodings", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
     HttpFault::kUnknownCoding},
    {"OtherCoding", Role::kRequests, "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     HttpFault::kUnknownCoding},
    {"CodingInHttp10", Role::kRequests, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
     HttpFault::kUnknownCoding},
    {"ChunkWithoutSize", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n;x\r\n", HttpFault::kBadChunkSize},
    {"ChunkOfSignedSize", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", HttpFault::kBadChunkSize},
    {"ChunkWithBlankBehindSize", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n", HttpFault::kBadChunkSize},
    {"ChunkOfHugeSize", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
     HttpFault::kBadChunkSize},
    {"ChunkLongerThanItsSize", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", HttpFault::kBadChunkEnd},
    {"ChunkLineWithBareLineFeed", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n", HttpFault::kBareLineFeed},
    {"ChunkEndingInBareLineFeed", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n", HttpFault::kBareLineFeed},
    {"TrailerWithoutColon", Role::kRequests,
     "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT\r\n\r\n", HttpFault::kNoColon},
    {"NoVersion", Role::kRequests, "GET /\r\n\r\n", HttpFault::kNotHttp},
    {"NoTarget", Role::kRequests, "GET  HTTP/1.1\r\n\r\n", HttpFault::kNotHttp},
    {"BlankInTarget", Role::kRequests, "GET /a b HTTP/1.1\r\n\r\n", HttpFault::kNotHttp},
    {"OddMethod", Role::kRequests, "{}GET / HTTP/1.1\r\n\r\n", HttpFault::kNotHttp},
    {"TwoBlankLines", Role::kRequests, "\r\n\r\nGET / HTTP/1.1\r\n\r\n", HttpFault::kNotHttp},
    {"Http2", Role::kRequests, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HttpFault::kVersion},
    {"Tls", Role::kRequests, "\x16\x03\x01", HttpFault::kNotHttp},
    {"OtherProtocol", Role::kResponses, "SSH-2.0-OpenSSH_9.2\r\n", HttpFault::kNotHttp},
    {"StatusOfTwoDigits", Role::kResponses, "HTTP/1.1 20 OK\r\n\r\n", HttpFault::kNotHttp},
    {"StatusOfFourDigits", Role::kResponses, "HTTP/1.1 2000 OK\r\n\r\n", HttpFault::kNotHttp},
};

class HttpRefusal : public testing::TestWithParam<Refused> {};

TEST_P(HttpRefusal, NamesWhatIsWrong) {
  const Refused& refused = GetParam();
  for (const std::size_t piece : {refused.bytes.size(), std::size_t{1}}) {
    const auto seen = read_all(HttpParser(refused.role), refused.bytes, piece);
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back(), describe(refused.fault)) << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HttpRefusal, testing::ValuesIn(kRefused),
                         [](const auto& each) { return std::string(each.param.name); });

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
  request.field("Content-Length", 3);
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

TEST(HttpText, ComparesWithoutCaseAndFindsMembersOfLists) {
  EXPECT_TRUE(equals_without_case("Mcp-Session-Id", "mcp-sESSION-id"));
  EXPECT_FALSE(equals_without_case("[", "{"));
  EXPECT_TRUE(lists_token("a , Close", "close"));
  EXPECT_FALSE(lists_token("closed", "close"));
  EXPECT_EQ(trim_blanks(" \ta b\t "), "a b");
}

}  // namespace
}  // namespace assay::wire
