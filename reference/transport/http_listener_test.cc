// What the listener takes for a request, and what it takes from clients that mean no good.
#include "reference/transport/http_listener.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

struct Served {
  std::vector<std::string> asked;  // the methods and bodies that the handler saw
  std::string answers;

  std::size_t count(std::string_view text) const {
    std::size_t found = 0;
    for (auto at = answers.find(text); at != std::string::npos; at = answers.find(text, at + 1)) {
      ++found;
    }
    return found;
  }
};

// Sends the bytes as a client that says nothing more, and reads all answers.
Served serve(std::string_view bytes, Headers* headers = nullptr) {
  Served served;
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd client(ends[0]);
  EXPECT_EQ(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  ::shutdown(client.get(), SHUT_WR);
  HttpListener listener({}, [&](const HttpHead& request, std::string_view body) {
    served.asked.push_back(fmt::format("{} {}", request.method, body));
    if (headers != nullptr) *headers = request.headers;
    return HttpReply{200, {{"Content-Type", "text/plain"}}, "yes", nullptr};
  });
  listener.serve(ends[1]);
  char chunk[4096];
  for (ssize_t count = 0; (count = ::recv(client.get(), chunk, sizeof chunk, 0)) > 0;) {
    served.answers.append(chunk, static_cast<std::size_t>(count));
  }
  return served;
}

std::string request(std::string_view line, std::string_view headers, std::string_view body) {
  return fmt::format("{}\r\nHost: localhost\r\n{}\r\n{}", line, headers, body);
}

TEST(HttpListener, ServesRequestsOfAConnectionOneAfterAnother) {
  const Served served = serve(request("POST / HTTP/1.1", "Content-Length: 3\r\n", "one") +
                              request("GET / HTTP/1.1", "", "") +
                              request("POST / HTTP/1.1", "Content-Length: 3\r\n", "two"));
  EXPECT_EQ(served.asked, (std::vector<std::string>{"POST one", "GET ", "POST two"}));
  EXPECT_EQ(served.count("HTTP/1.1 200"), 3u);
  EXPECT_EQ(served.count("Connection: close"), 0u) << served.answers;
}

struct Unclear {
  std::string_view name;
  std::string_view line;
  std::string_view headers;  // '{}' stands for the length of the body
};

class UnclearEnd : public testing::TestWithParam<Unclear> {};

// What follows would be read as a request, in the name of whoever uses the connection next.
TEST_P(UnclearEnd, EndsTheConnectionBehindTheAnswer) {
  const std::string hidden = request("DELETE /hidden HTTP/1.1", "Content-Length: 3\r\n", "bad");
  const std::string headers = fmt::format(fmt::runtime(GetParam().headers), hidden.size());
  const Served served = serve(request(GetParam().line, headers, hidden));
  for (const std::string& asked : served.asked) EXPECT_FALSE(asked.starts_with("DELETE")) << asked;
  EXPECT_EQ(served.count("HTTP/1.1 "), 1u) << served.answers;
  EXPECT_EQ(served.count("Connection: close"), 1u) << served.answers;
  EXPECT_EQ(served.count("Keep-Alive"), 0u) << served.answers;
}

constexpr std::string_view kPost = "POST / HTTP/1.1";
constexpr std::string_view kLength = "Content-Length: {}\r\n";
constexpr Unclear kUnclear[] = {
    {"NoRequestLine", "{}POST / HTTP/1.1", kLength},
    {"NoVersion", "POST /", kLength},
    {"LengthAndChunks", kPost, "Transfer-Encoding: chunked\r\nContent-Length: {}\r\n"},
    {"TwoLengths", kPost, "Content-Length: 0\r\nContent-Length: {}\r\n"},
    {"NoNumber", kPost, "Content-Length: 0x{:x}\r\n"},
    {"UnknownCoding", kPost, "Transfer-Encoding: gzip, chunked\r\n"},
    {"BlankBeforeColon", kPost, "Content-Length : {}\r\n"},
    {"NoColon", kPost, "Content-Length {}\r\n"},
    {"NoName", kPost, ": {}\r\n"},
    {"Folded", kPost, "X: y\r\n Content-Length: {}\r\n"},
    {"BareLineFeed", kPost, "X: y\nContent-Length: {}\r\n"},
    {"BareCarriageReturn", kPost, "X: y\rContent-Length: {}\r\n"},
    {"TwoHosts", kPost, "Host: other\r\nContent-Length: {}\r\n"},
};
INSTANTIATE_TEST_SUITE_P(All, UnclearEnd, testing::ValuesIn(kUnclear),
                         [](const testing::TestParamInfo<Unclear>& each) {
                           return std::string(each.param.name);
                         });

TEST(HttpListener, ReadsTheBodyOfEveryMethod) {
  for (const char* method : {"TRACE", "GET", "OPTIONS", "ASSAY"}) {
    const std::string line = fmt::format("{} / HTTP/1.1", method);
    const Served served = serve(
        request(line, "Content-Length: 3\r\n", "one") +
        request(line, "Transfer-Encoding: chunked\r\n", "3\r\ntwo\r\n0\r\nTrailer: x\r\n\r\n"));
    EXPECT_EQ(served.asked, (std::vector<std::string>{fmt::format("{} one", method),
                                                      fmt::format("{} two", method)}));
  }
}

TEST(HttpListener, AnswersHeadWithoutABody) {
  const Served served =
      serve(request("HEAD / HTTP/1.1", "", "") + request("GET / HTTP/1.1", "", ""));
  EXPECT_EQ(served.count("Content-Length: 3\r\n"), 2u);
  EXPECT_EQ(served.count("yes"), 1u) << served.answers;
}

TEST(HttpListener, KeepsTheOrderAndTheRepetitionsOfFields) {
  Headers headers;
  const Served served =
      serve(request("GET / HTTP/1.1", "b: 1\r\nA: 2\r\nB:\t3 \r\n", ""), &headers);
  EXPECT_EQ(headers, (Headers{{"Host", "localhost"}, {"b", "1"}, {"A", "2"}, {"B", "3"}}));
}

TEST(HttpListener, NamesTheFaultInItsAnswer) {
  EXPECT_EQ(serve("GET / HTTP/1.1\r\nA : b\r\n\r\n").count("400 Bad Request"), 1u);
  EXPECT_EQ(serve("GET / HTTP/2.0\r\n\r\n").count("505 HTTP Version"), 1u);
  EXPECT_EQ(serve("GET / HTTP/1.1\r\n\r\n").count("Host must be named once"), 1u);
  EXPECT_EQ(serve("GET /" + std::string(70'000, 'x')).count("431 Request"), 1u);
  EXPECT_EQ(serve(request("POST / HTTP/1.1", "Content-Length: 99999999999\r\n", "")).count("413 "),
            1u);
  EXPECT_EQ(serve("POST / HTTP/1.1\r\nHost: x\r\nContent-Le").count("ended in the middle"), 1u);
}

}  // namespace
}  // namespace assay::transport
