#include "reference/transport/http_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "reference/transport/http_client.h"
#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"

// How answers are read, seen through the client that asks.
namespace assay::transport {
namespace {

using Kind = Observation::Kind;
using testing::HasSubstr;

constexpr std::string_view kMessage = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";

// Each of these is sound but for how it is written, and the next answer comes on the same
// connection or on another one.
TEST(HttpConnection, ReadsAnswersThatAreOddlyWritten) {
  const std::string_view odds[] = {
      "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 2\n\n{}",
      "HTTP/1.1 200\r\nContent-Type : application/json\r\nContent-Length : 2\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nContent-Type:\r\n application/json\r\nno colon\r\n"
      "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
      "Transfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n",
      "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;x\n{}\n0\n\n",
  };
  for (const std::string_view odd : odds) {
    RawServer server(always(std::string(odd)));
    Recorder recorder;
    HttpClient client(server.url(), {}, recorder);
    for (int i = 0; i < 2; ++i) {
      const Lane lane = client.send(kMessage);
      EXPECT_THAT(wait_for_end(recorder, lane)->bytes, "answered") << odd;
      const auto body = recorder.wait_for([lane](const Observation& seen) {
        return seen.lane == lane && seen.kind == Kind::kHttpBody;
      });
      EXPECT_EQ(body->message(), "{}") << odd;
    }
  }
}

TEST(HttpConnection, ShowsAFoldedFieldAsOneLine) {
  RawServer server(always(http_answer(200, "X-Odd: a\r\n  b\r\n\t c \r\nX-Raw: d\re\r\n", "")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  ASSERT_TRUE(wait_for_end(recorder, client.send(kMessage)));
  const auto answer = recorder.wait_for(Kind::kHttpResponse);
  EXPECT_EQ(find_header(answer->http->headers, "x-odd"), "a b c");
  EXPECT_EQ(find_header(answer->http->headers, "x-raw"), "d\re");
}

TEST(HttpConnection, AsksForAHeadAlone) {
  RawServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  HttpRequest request;
  request.method = "HEAD";
  EXPECT_EQ(wait_for_end(recorder, client.start(request))->kind, Kind::kClosed);
}

TEST(HttpConnection, TellsWhyNothingSensibleCameBack) {
  Recorder recorder;
  {
    RawServer silent([](RawConnection& connection) { connection.read_request(); });
    HttpClient client(silent.url(), {}, recorder);
    EXPECT_THAT(wait_for_end(recorder, client.send(kMessage))->bytes,
                HasSubstr("without an answer"));
  }
  Recorder second;
  RawServer ssh([](RawConnection& connection) {
    connection.write("SSH-2.0-OpenSSH_9.2\r\n");
    connection.read_request();
  });
  HttpClient client(ssh.url(), {}, second);
  EXPECT_THAT(wait_for_end(second, client.send(kMessage))->bytes, HasSubstr("does not speak HTTP"));
}

TEST(HttpConnection, SaysWhatIsWrongWithAnAnswer) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, std::string_view> broken[] = {
      {chunked + "x\r\n", "cannot be read as HTTP: a chunk has no size"},
      {chunked + "2\r\n{}x\r\n", "cannot be read as HTTP: a chunk is longer than its size"},
      {chunked + "2\r\n{}\r\n", "broke off in the middle of the answer"},
      {chunked + "0\r\n" + std::string(1 << 18, 'T'), "the trailer of the answer is longer than"},
      {head + "Content-Length: two\r\n\r\n", "Content-Length is not a plain number"},
      {head + "Content-Length: 3\r\n\r\n{}", "broke off in the middle of the answer"},
      {head, "broke off in the head of the answer"},
  };
  for (const auto& [answer, why] : broken) {
    RawServer server([&answer = answer](RawConnection& connection) {
      connection.read_request();
      connection.write(answer);
    });
    Recorder recorder;
    HttpClient client(server.url(), {}, recorder);
    const auto end = wait_for_end(recorder, client.send(kMessage));
    EXPECT_THAT(end->bytes, HasSubstr(why));
    EXPECT_EQ(end->speaker, Party::kServer);
  }
}

TEST(HttpConnection, SendsNoRequestThatCannotBeWritten) {
  RawServer server([](RawConnection& connection) { connection.wait_for_end(); });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  HttpRequest request;
  request.headers = {{"X-Odd", "a\r\nX-Forged: b"}};
  const auto end = wait_for_end(recorder, client.start(request));
  EXPECT_EQ(end->kind, Kind::kBroken);
  EXPECT_EQ(end->speaker, Party::kClient);
  EXPECT_THAT(end->bytes, HasSubstr("cannot be written in HTTP"));
}

TEST(HttpConnection, BoundsAnEndlessHead) {
  const auto endless = [](std::string start, std::string rest) {
    return [=](RawConnection& connection) {
      connection.read_request();
      connection.write(start);
      while (connection.write(rest)) {
      }
    };
  };
  RawServer line(endless("HTTP/1.1 200 OK\r\nX: ", std::string(4096, 'x')));
  RawServer lines(endless("HTTP/1.1 200 OK\r\n", "X: " + std::string(1000, 'y') + "\r\n"));
  RawServer status(endless("HTTP/1.1 200 ", std::string(4096, 'x')));
  for (const RawServer* server : {&line, &lines, &status}) {
    Recorder recorder;
    HttpClient client(server->url(), {}, recorder);
    const auto end = wait_for_end(recorder, client.send(kMessage));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->kind, Kind::kCutOff);
    EXPECT_THAT(end->bytes, HasSubstr("longer than 131072 bytes"));
  }
}

TEST(HttpConnection, BoundsFieldsAndInterimAnswers) {
  const auto flood = [](std::string begin, std::string more) {
    return [=](RawConnection& connection) {
      connection.read_request();
      connection.write(begin);
      while (connection.write(more)) {
      }
    };
  };
  RawServer fields(flood("HTTP/1.1 200 OK\r\n", "X:\r\n"));
  RawServer interims(flood("", "HTTP/1.1 100 Continue\r\n\r\n"));
  const std::pair<const RawServer*, std::string_view> floods[] = {
      {&fields, "the head of the answer has more than 2000 fields"},
      {&interims, "more than 1000 interim answers"}};
  for (const auto& [server, why] : floods) {
    Recorder recorder;
    HttpClient client(server->url(), {}, recorder);
    const auto end = wait_for_end(recorder, client.send(kMessage));
    EXPECT_EQ(end->kind, Kind::kCutOff);
    EXPECT_THAT(end->bytes, HasSubstr(why));
  }
}

}  // namespace
}  // namespace assay::transport
