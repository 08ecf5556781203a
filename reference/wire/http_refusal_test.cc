#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "reference/wire/http.h"
#include "reference/wire/http_testing.h"

namespace assay::wire {
namespace {

using Role = HttpParser::Role;

struct Refused {
  const char* name;
  Role role;
  std::string_view bytes;
  HttpFault fault;
};

// Two readers of these requests could differ on where the message ends, or on what it says; and
// these responses have no end that could be known.
constexpr Refused kRefused[] = {
    {"BlankBeforeColon", Role::kRequests, "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
     HttpFault::kBlankInName},
    {"NoColon", Role::kRequests, "GET / HTTP/1.1\r\nHost\r\n\r\n", HttpFault::kNoColon},
    {"NoName", Role::kRequests, "GET / HTTP/1.1\r\n: x\r\n\r\n", HttpFault::kNoName},
    {"NameWithParenthesis", Role::kRequests, "GET / HTTP/1.1\r\nA(: x\r\n\r\n",
     HttpFault::kBadName},
    {"Folded", Role::kRequests, "GET / HTTP/1.1\r\nA: x\r\n y\r\n\r\n", HttpFault::kFolded},
    {"BareLineFeed", Role::kRequests, "GET / HTTP/1.1\nA: x\n\n", HttpFault::kBareLineFeed},
    {"BareLineFeedLater", Role::kRequests, "GET / HTTP/1.1\r\nA: x\nB: y\r\n\r\n",
     HttpFault::kBareLineFeed},
    {"BareCarriageReturn", Role::kRequests, "GET / HTTP/1.1\r\nA: x\rB: y\r\n\r\n",
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
    {"BlankLineBeforeAnswer", Role::kResponses, "\nHTTP/1.1 200 OK\r\n\r\n", HttpFault::kNotHttp},
    {"LengthsOfAnswerThatDiffer", Role::kResponses,
     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
     HttpFault::kSeveralLengths},
    {"BadLengthOfAnswer", Role::kResponses, "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na",
     HttpFault::kBadLength},
    {"ChunkOfAnswerWithoutSize", Role::kResponses,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", HttpFault::kBadChunkSize},
    {"ChunkOfAnswerLongerThanItsSize", Role::kResponses,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", HttpFault::kBadChunkEnd},
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

}  // namespace
}  // namespace assay::wire
