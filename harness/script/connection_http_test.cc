// What a connection over HTTP has to see to, where each message travels by itself.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "harness/script/handshake_connection.h"
#include "harness/script/http_script.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_listener.h"
#include "reference/transport/http_url.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using transport::Lane;
using transport::Observation;
using Kind = Observation::Kind;

// How long a notification hangs about, unless a request comes by.
constexpr std::chrono::milliseconds kDawdle{150};

// Requests are answered at once. A notification arrives when a request has overtaken it, or when
// it has dawdled enough.
class DawdlingHttp : public transport::ClientTransport {
 public:
  DawdlingHttp(transport::Observer& observer, std::atomic<int>& overtaken)
      : observer_(observer), overtaken_(overtaken) {}
  ~DawdlingHttp() override { couriers_.clear(); }

  std::optional<transport::Failure> open() override { return std::nullopt; }
  Lane send(std::string_view bytes) override { return send_raw(bytes); }
  void close(transport::Deadline) override { couriers_.clear(); }

  Lane send_raw(std::string_view bytes) override {
    const Lane lane{Lane::Kind::kHttp, ++exchanges_};
    const auto decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message != nullptr && message->kind() == wire::MessageKind::kRequest) {
      answer(lane, *message->id());
    } else {
      {
        const std::lock_guard lock(mutex_);
        ++under_way_;
      }
      couriers_.emplace_back([this, lane] { arrive(lane); });
    }
    return lane;
  }

 private:
  void answer(const Lane& lane, const wire::Id& id) {
    {
      const std::lock_guard lock(mutex_);
      if (under_way_ > 0) ++overtaken_;
      requests_ = true;
    }
    passed_.notify_all();
    const Json result = {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}};
    observe(lane, Kind::kHttpBody, wire::encode(wire::make_result(id, result)));
  }

  void arrive(const Lane& lane) {
    observe(lane, Kind::kHttpResponse, "");  // the body may still say something
    std::unique_lock lock(mutex_);
    requests_ = false;
    passed_.wait_for(lock, kDawdle, [&] { return requests_; });
    --under_way_;
    lock.unlock();
    observe(lane, Kind::kClosed, "end of the response");
  }

  void observe(const Lane& lane, Kind kind, std::string bytes) {
    Observation observation;
    observation.kind = kind;
    observation.lane = lane;
    observation.bytes = std::move(bytes);
    observation.http = transport::HttpHead{.method = "",
                                           .target = "",
                                           .status = 200,
                                           .headers = {{"Content-Type", "application/json"}}};
    observer_.observe(observation);
  }

  transport::Observer& observer_;
  std::atomic<int>& overtaken_;
  std::uint64_t exchanges_ = 0;
  std::mutex mutex_;  // guards all below but the threads
  std::condition_variable passed_;
  int under_way_ = 0;
  bool requests_ = false;
  std::vector<std::jthread> couriers_;
};

TEST(ConnectionOverHttp, ARequestDoesNotOvertakeWhatIsNone) {
  std::atomic<int> overtaken = 0;
  TargetAccess access;
  access.kind = TransportKind::kHttp;
  access.connect = [&](transport::Observer& observer) {
    Link link;
    link.transport = std::make_unique<DawdlingHttp>(observer, overtaken);
    return link;
  };
  HandshakeConnection connection(access, model::Revision::v2025_11_25, Patience());
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.begin().is_result());  // it sends notifications/initialized
  EXPECT_TRUE(connection.request("tools/list").is_result());
  connection.notify("notifications/roots/list_changed");
  EXPECT_TRUE(connection.fence());
  connection.send_line("no message at all");
  EXPECT_TRUE(connection.fence());
  EXPECT_EQ(overtaken, 0);
}

// Its reply is never known.
class NoReply : public transport::LateReply {
 public:
  std::optional<transport::HttpReply> take() override { return std::nullopt; }
  void watch(std::shared_ptr<transport::Waker>) override {}
};

// Many requests of one scenario have a time of their own, however patient the run is.
TEST(ConnectionOverHttp, WaitsNoLongerThanItIsTold) {
  transport::HttpListener silent(transport::HttpListener::Options::for_few(),
                                 [](const transport::HttpHead&, std::string_view) {
                                   transport::HttpReply reply;
                                   reply.later = std::make_shared<NoReply>();
                                   return reply;
                                 });
  ASSERT_EQ(silent.start(), std::nullopt);
  const auto url =
      transport::HttpUrl::parse("http://127.0.0.1:" + std::to_string(silent.port()) + "/mcp");
  TargetAccess access;
  access.kind = TransportKind::kHttp;
  access.connect = [&](transport::Observer& observer) {
    auto client = std::make_unique<transport::HttpClient>(std::get<transport::HttpUrl>(url),
                                                          transport::HttpClientOptions(), observer);
    Link link;
    link.http = client.get();
    link.transport = std::move(client);
    return link;
  };
  Patience patience;
  patience.request = std::chrono::hours(1);
  HandshakeConnection connection(access, model::Revision::v2025_11_25, patience);
  ASSERT_FALSE(connection.open());
  const HttpAnswer answer = post(connection, wire::make_request(connection.next_id(), "ping"), {},
                                 std::chrono::milliseconds(1));
  EXPECT_EQ(answer.status, 0);
  abandon(connection, answer.lane);
  silent.stop();
}

}  // namespace
}  // namespace assay::harness
