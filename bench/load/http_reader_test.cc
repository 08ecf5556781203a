#include "bench/load/http_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace assay::bench {
namespace {

using Item = HttpReader::Item;
using testing::ElementsAre;

// What a reader made of some bytes: "200 body", ..., and "broken".
std::vector<std::string> read_all(std::string_view bytes, std::size_t piece, bool closes = false) {
  HttpReader reader;
  std::vector<std::string> answers;
  std::string body;
  const auto drain = [&] {
    while (true) {
      switch (reader.next()) {
        case Item::kMore:
          return true;
        case Item::kHead:
          body = std::to_string(reader.status()) + " ";
          break;
        case Item::kBody:
          body += reader.body();
          break;
        case Item::kEnd:
          answers.push_back(body);
          break;
        case Item::kBroken:
          answers.emplace_back("broken");
          return false;
      }
    }
  };
  while (!bytes.empty()) {
    const auto space = reader.space();
    const std::size_t count = std::min({piece, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    reader.filled(count);
    if (!drain()) return answers;
  }
  if (closes) {
    reader.closed();
    drain();
  }
  return answers;
}

class HttpReaderPieces : public testing::TestWithParam<std::size_t> {};

TEST_P(HttpReaderPieces, ReadsAnswersOneAfterTheOther) {
  EXPECT_THAT(
      read_all("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 202 Accepted\r\n"
               "content-length: 0\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
               "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
               "HTTP/1.1 204 No Content\r\n\r\n",
               GetParam()),
      ElementsAre("200 hello", "202 ", "200 abcdefg", "204 "));
}

TEST_P(HttpReaderPieces, ABodyWithoutLengthLastsUntilTheEnd) {
  EXPECT_THAT(read_all("HTTP/1.0 200 OK\r\n\r\nall of it", GetParam(), true),
              ElementsAre("200 all of it"));
}

TEST_P(HttpReaderPieces, ACutOffAnswerIsBroken) {
  EXPECT_THAT(read_all("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", GetParam(), true),
              ElementsAre("broken"));
  EXPECT_THAT(read_all("HTTP/1.1 200", GetParam(), true), ElementsAre("broken"));
}

TEST_P(HttpReaderPieces, WhatIsNotHttpIsBroken) {
  EXPECT_THAT(read_all("SSH-2.0-OpenSSH\r\n\r\n", GetParam()), ElementsAre("broken"));
  EXPECT_THAT(read_all("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", GetParam()),
              ElementsAre("broken"));
  EXPECT_THAT(read_all("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", GetParam()),
              ElementsAre("broken"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, HttpReaderPieces, testing::Values(1, 2, 7, 100'000));

TEST(HttpReader, KnowsTheFieldsThatMatter) {
  HttpReader reader;
  const std::string_view head =
      "HTTP/1.1 200 OK\r\nMCP-Session-Id:  abc \r\nConnection: Close\r\n"
      "Content-Type: text/event-stream; charset=utf-8\r\nContent-Length: 0\r\n\r\n";
  std::memcpy(reader.space().data(), head.data(), head.size());
  reader.filled(head.size());
  ASSERT_EQ(reader.next(), Item::kHead);
  EXPECT_EQ(reader.session(), "abc");
  EXPECT_FALSE(reader.keeps_open());
  EXPECT_TRUE(reader.is_event_stream());
  EXPECT_EQ(reader.next(), Item::kEnd);
}

TEST(HttpReader, AHeadWithoutEndIsBounded) {
  EXPECT_THAT(read_all("HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x'), 4096),
              ElementsAre("broken"));
}

TEST(HttpReader, AnEndlessTrailerNeedsNoStack) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  for (int i = 0; i < 1'000'000; ++i) bytes += "a\n";
  EXPECT_THAT(read_all(bytes + "\r\n", 60'000), ElementsAre("200 "));
}

TEST(HttpReader, InterimAnswersNeedNoStack) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "HTTP/1.1 102 x\r\n\r\n";
  EXPECT_THAT(read_all(bytes + "HTTP/1.1 204 x\r\n\r\n", 60'000), ElementsAre("204 "));
}

}  // namespace
}  // namespace assay::bench
