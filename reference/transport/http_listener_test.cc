// Where one request ends and the next begins, on a connection that stays open.
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
Served serve(std::string_view bytes) {
  Served served;
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd client(ends[0]);
  EXPECT_EQ(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  ::shutdown(client.get(), SHUT_WR);
  HttpListener listener({}, [&](const HttpHead& request, std::string_view body) {
    served.asked.push_back(fmt::format("{} {}", request.method, body));
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
    {"Trace", "TRACE / HTTP/1.1", kLength},
    {"Get", "GET / HTTP/1.1", kLength},
    {"Options", "OPTIONS / HTTP/1.1", kLength},
    {"NoRequestLine", "{}POST / HTTP/1.1", kLength},
    {"NoVersion", "POST /", kLength},
    {"BrokenEncoding", kPost, "Content-Encoding: gzip\r\nContent-Length: {}\r\n"},
    {"LengthAndChunks", kPost, "Transfer-Encoding: chunked\r\nContent-Length: {}\r\n"},
    {"TwoLengths", kPost, "Content-Length: 0\r\nContent-Length: {}\r\n"},
    {"NoNumber", kPost, "Content-Length: 0x{:x}\r\n"},
    {"UnknownCoding", kPost, "Transfer-Encoding: gzip, chunked\r\n"},
};
INSTANTIATE_TEST_SUITE_P(All, UnclearEnd, testing::ValuesIn(kUnclear),
                         [](const testing::TestParamInfo<Unclear>& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace assay::transport
