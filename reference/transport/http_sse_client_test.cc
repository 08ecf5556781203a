#include "reference/transport/http_sse_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>

#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"

namespace assay::transport {
namespace {

using Kind = Observation::Kind;

// Offers an endpoint, and sends on the stream what is POSTed there.
class EchoServer {
 public:
  explicit EchoServer(std::string endpoint)
      : endpoint_(std::move(endpoint)),
        server_([this](RawConnection& connection) { serve(connection); }) {}
  ~EchoServer() {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  HttpUrl url() const { return server_.url("/sse"); }

 private:
  void serve(RawConnection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET")) return stream(connection);
      const std::lock_guard lock(mutex_);
      posted_.push_back(request);
      changed_.notify_all();
      connection.write(http_answer(202, "", ""));
    }
  }
  void stream(RawConnection& connection) {
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("event: endpoint\ndata: " + endpoint_ + "\n\n"));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ending_ || !posted_.empty(); });
    if (is_ending_) return;
    const std::string& request = posted_.front();
    connection.write(http_chunk("event: message\ndata: {\"line\":\"" +
                                request.substr(0, request.find('\r')) + "\"}\n\n"));
  }

  std::string endpoint_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::string> posted_;
  bool is_ending_ = false;
  RawServer server_;
};

TEST(HttpSseClient, PostsToTheEndpointAndHearsOnTheStream) {
  EchoServer server("/messages?sessionId=7");
  Recorder recorder;
  HttpSseClient client(server.url(), {}, recorder);
  ASSERT_FALSE(client.open());
  EXPECT_EQ(client.message_endpoint()->target, "/messages?sessionId=7");
  EXPECT_EQ(client.send("{}").text(), "http/2");
  const auto answer = recorder.wait_for([&](const Observation& seen) {
    return seen.lane == client.stream() && seen.message().has_value();
  });
  ASSERT_TRUE(answer);
  EXPECT_THAT(std::string(*answer->message()),
              testing::HasSubstr("POST /messages?sessionId=7 HTTP/1.1"));
  client.close(test_deadline());
}

TEST(HttpSseClient, RefusesAnEndpointOfAnotherOrigin) {
  EchoServer server("http://127.0.0.1:1/messages");
  Recorder recorder;
  HttpSseClient client(server.url(), {}, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kBadAddress);
  client.close(test_deadline());
}

TEST(HttpSseClient, FailsToOpenWhereThereIsNoStream) {
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.write(http_answer(404, "", ""));
  });
  Recorder recorder;
  HttpSseClient client(server.url(), {}, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->detail, testing::HasSubstr("404"));
}

TEST(HttpSseClient, FailsToOpenWhenTheStreamEndsWithoutEndpoint) {
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write("0\r\n\r\n");
  });
  Recorder recorder;
  HttpSseClient client(server.url(), {}, recorder);
  EXPECT_TRUE(client.open());
}

TEST(HttpSseClient, FailsToOpenWhenNoEndpointIsNamedInTime) {
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.wait_for_end();
  });
  Recorder recorder;
  HttpClientOptions options;
  options.limits.answer_timeout = std::chrono::milliseconds(50);
  HttpSseClient client(server.url(), options, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->detail, testing::HasSubstr("no endpoint event"));
}

}  // namespace
}  // namespace assay::transport
