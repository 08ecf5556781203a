#include "reference/transport/http_forwarder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "reference/transport/observed_handler.h"
#include "reference/transport/raw_client_testing.h"
#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"

namespace assay::transport {
namespace {

// A proxy in front of a server that says exactly what a test wants said.
class ForwarderTest : public testing::Test {
 protected:
  using HostField = HttpForwarder::HostField;

  void start(RawServer::Handler handler, HostField host = HostField::kOfServer) {
    server_ = std::make_unique<RawServer>(std::move(handler));
    open(server_->url(), host);
  }
  void open(const HttpUrl& url, HostField host = HostField::kOfServer) {
    forwarder_ = std::make_unique<HttpForwarder>(url, ConnectOptions{}, host);
    listener_ = std::make_unique<HttpListener>(HttpListener::Options{.threads = 2},
                                               observed(forwarder_->handler(), seen_));
    ASSERT_EQ(listener_->start(), std::nullopt);
    client_ = std::make_unique<RawClient>(listener_->port());
  }
  void TearDown() override {
    client_.reset();
    listener_.reset();
    forwarder_.reset();
    server_.reset();
  }

  bool has_seen(Observation::Kind kind) const {
    const std::vector<Observation> all = seen_.all();
    return std::any_of(all.begin(), all.end(), [=](const auto& each) { return each.kind == kind; });
  }

  Recorder seen_;
  std::unique_ptr<RawServer> server_;
  std::unique_ptr<HttpForwarder> forwarder_;
  std::unique_ptr<HttpListener> listener_;
  std::unique_ptr<RawClient> client_;
};

constexpr std::string_view kPost =
    "POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\nX-b: 2\r\nx-A:  1\r\nConnection: X-Drop\r\n"
    "X-Drop: 1\r\nAccept-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}";

TEST_F(ForwarderTest, PassesFieldsInTheirOrderAndWhatIsOfOneConnectionNot) {
  std::promise<std::string> asked;
  start([&](RawConnection& connection) {
    asked.set_value(connection.read_request());
    connection.write(http_answer(418, "X-z: 9\r\nKeep-Alive: 5\r\nMcp-Session-Id: s\r\n", "body"));
    connection.wait_for_end();
  });
  client_->write(kPost);
  const std::string answer = client_->read_until("body");
  EXPECT_EQ(asked.get_future().get(),
            fmt::format("POST /mcp?a=b HTTP/1.1\r\nHost: {}\r\nX-b: 2\r\nx-A: 1\r\n"
                        "Content-Length: 2\r\n\r\n{{}}",
                        server_->url().authority()));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 418")) << answer;
  EXPECT_NE(answer.find("X-z: 9\r\nMcp-Session-Id: s\r\n"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("Keep-Alive"), std::string::npos) << answer;
}

TEST_F(ForwarderTest, ShowsTheHostOfTheClientWhereThatIsWanted) {
  std::promise<std::string> asked;
  start(
      [&](RawConnection& connection) {
        asked.set_value(connection.read_request());
        connection.write(http_answer(200, "", "body"));
        connection.wait_for_end();
      },
      HostField::kOfClient);
  client_->write(kPost);
  client_->read_until("body");
  EXPECT_TRUE(
      asked.get_future().get().starts_with("POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\n"));
}

TEST_F(ForwarderTest, PassesEventsAsTheyCome) {
  std::promise<void> has_come;
  start([&](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("data: one\n\n"));
    has_come.get_future().wait();
    connection.write(http_chunk("data: two\n\n"));
    connection.write("0\r\n\r\n");
    connection.wait_for_end();
  });
  client_->write(kPost);
  EXPECT_NE(client_->read_until("data: one\n\n").find("one"), std::string::npos);
  has_come.set_value();
  EXPECT_NE(client_->read_until("0\r\n\r\n").find("two"), std::string::npos);
}

TEST_F(ForwarderTest, LeavesTheServerWhenTheClientLeaves) {
  std::promise<void> has_left;
  start([&](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("data: one\n\n"));
    connection.wait_for_end();
    has_left.set_value();
  });
  client_->write(kPost);
  client_->read_until("one");
  client_->close();
  has_left.get_future().wait();
}

TEST_F(ForwarderTest, KeepsConnectionsOpen) {
  start(always(http_answer(200, kJsonType, "{}")));
  for (int i = 0; i < 3; ++i) {
    client_->write(kPost);
    EXPECT_NE(client_->read_until("{}").find("200"), std::string::npos);
    client_->forget();
  }
}

TEST_F(ForwarderTest, AnswersWhereTheServerDoesNot) {
  open(std::get<HttpUrl>(HttpUrl::parse("http://127.0.0.1:1/mcp")));
  client_->write(kPost);
  EXPECT_TRUE(client_->read_until("no answer").starts_with("HTTP/1.1 502"));
}

// What we say in place of the server is not the server's.
TEST_F(ForwarderTest, TellsOfNoAnswerWhereTheServerGivesNone) {
  open(std::get<HttpUrl>(HttpUrl::parse("http://127.0.0.1:1/mcp")));
  client_->write(kPost);
  EXPECT_TRUE(client_->read_until("no answer").starts_with("HTTP/1.1 502"));
  EXPECT_TRUE(has_seen(Observation::Kind::kBroken));
  EXPECT_FALSE(has_seen(Observation::Kind::kHttpResponse));
}

TEST_F(ForwarderTest, TellsOfAStreamThatBreaksOff) {
  start([&](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("data: one\n\n"));
  });
  client_->write(kPost);
  const std::string answer = client_->read_to_end();
  EXPECT_NE(answer.find("one"), std::string::npos);
  EXPECT_EQ(answer.find("\r\n0\r\n"), std::string::npos);
  EXPECT_TRUE(has_seen(Observation::Kind::kSseEvent));
  EXPECT_TRUE(has_seen(Observation::Kind::kBroken));
  EXPECT_FALSE(has_seen(Observation::Kind::kClosed));
}

// A page that has its name resolved to this machine must not get through.
TEST_F(ForwarderTest, RefusesOtherNames) {
  start(always(http_answer(200, kJsonType, "{}")));
  client_->write("POST /mcp HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_TRUE(client_->read_until("machine").starts_with("HTTP/1.1 403"));
}

}  // namespace
}  // namespace assay::transport
