// Clients that read event streams as they may, though otherwise than the reference client does.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/monitors/http_traffic_testing.h"
#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using harness::HttpExchange;
using model::Revision;
using std::chrono::milliseconds;

// A call whose stream ends, and what the client fetches then.
class EndedStream : public ::testing::Test {
 protected:
  // Before the call.
  void listen() {
    listening_.emplace(traffic_, ++lane_);
    listening_->request("GET").head(200, HttpExchange::kEvents).event("", "s-1");
  }
  // We may write down its end late.
  void call(int ended_at = 1) {
    HttpExchange call(traffic_, ++lane_);
    call.request("POST", R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                         R"("params":{"name":"test_reconnection","arguments":{}}})");
    passed_at(traffic_, milliseconds(0));
    call.head(200, HttpExchange::kEvents);
    passed_at(traffic_, milliseconds(0));
    call.event("", "assay-event-1", "", 500);
    passed_at(traffic_, milliseconds(0));
    call.closed();
    passed_at(traffic_, milliseconds(ended_at));
  }
  // Without an id, a stream of its own.
  void fetch(const std::string& last, int at, int status = 200, transport::Headers headers = {}) {
    if (!last.empty()) headers.emplace_back("Last-Event-ID", last);
    HttpExchange fetch(traffic_, ++lane_);
    fetch.request("GET", "", headers);
    passed_at(traffic_, milliseconds(at));
    fetch.head(last.empty() ? 405 : status);
    passed_at(traffic_, milliseconds(at));
    fetch.closed();
    passed_at(traffic_, milliseconds(at));
  }
  // The stream of its own.
  void leave(int at) {
    listening_->closed();
    passed_at(traffic_, milliseconds(at));
  }
  std::set<std::string> all(Finding::Kind kind) const {
    return told("sse-retry", Revision::v2025_11_25, traffic_, kind);
  }

  harness::Traffic traffic_{Revision::v2025_11_25, harness::TransportKind::kHttp};
  std::uint64_t lane_ = 0;
  std::optional<HttpExchange> listening_;
};

constexpr const char* kRight = "assay-event-1";
constexpr const char* kSecond = "assay-event-2";
const std::set<std::string> kNoRule;
const std::set<std::string> kAllRules = {"http.client-polls", "http.resume-with-get",
                                         "http.retry-respected"};

TEST_F(EndedStream, MayBeResumedBehindAnother) {
  call();
  fetch("", 2);
  fetch(kRight, 502);
  EXPECT_EQ(all(Finding::Kind::kHeld), kAllRules);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

// A client may have several.
TEST_F(EndedStream, MayBeResumedBehindAnotherBesideAThird) {
  listen();
  call();
  fetch("", 2);
  fetch(kRight, 502);
  EXPECT_EQ(all(Finding::Kind::kHeld), kAllRules);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

TEST_F(EndedStream, MayBeResumedWhileAnotherIs) {
  listen();
  call();
  leave(2);
  fetch("s-1", 3);
  fetch(kRight, 502);
  EXPECT_EQ(all(Finding::Kind::kHeld), kAllRules);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

TEST_F(EndedStream, MayHaveEndedBeforeWeSayThatItDid) {
  call(/*ended_at=*/100);
  fetch(kRight, 501);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
  // Nor is it seen that the client waited.
  EXPECT_EQ(all(Finding::Kind::kUnclear), std::set<std::string>{"http.retry-respected"});
}

TEST_F(EndedStream, IsNotResumedByWhoSaysThatThereWasNoEvent) {
  call();
  fetch("", 2, 405, {{"Last-Event-ID", ""}});
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
  EXPECT_EQ(all(Finding::Kind::kHeld), kNoRule);
}

// What it kept of an earlier run.
TEST_F(EndedStream, IsNotResumedByWhoAskedForAnotherBefore) {
  call(/*ended_at=*/10);
  fetch("of-yesterday", 5, 405);
  fetch(kRight, 511);
  EXPECT_EQ(all(Finding::Kind::kHeld), kAllRules);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

TEST_F(EndedStream, IsNotResumedByWhoOpensAStreamOfItsOwn) {
  call();
  fetch("", 2);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
  EXPECT_EQ(all(Finding::Kind::kHeld), kNoRule);
}

TEST_F(EndedStream, IsNotResumedByWhoRenewsItsOwn) {
  listen();
  call();
  fetch("", 2);
  leave(3);
  fetch("", 4);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

TEST_F(EndedStream, IsNotToBeLeft) {
  call();
  EXPECT_EQ(all(Finding::Kind::kBroke), std::set<std::string>{"http.client-polls"});
}

TEST_F(EndedStream, IsNotToBeResumedWithoutItsEvent) {
  const std::set<std::string> rule = {"http.resume-with-get"};
  listen();
  call();
  fetch("", 502);
  EXPECT_EQ(all(Finding::Kind::kBroke), rule);
  fetch("no-such-event", 503, 400);
  EXPECT_EQ(all(Finding::Kind::kBroke), rule);
}

// Of two streams that a client has, each goes on from its own last event.
TEST_F(EndedStream, IsNotToBeResumedWithTheEventOfAnotherThatGoesOn) {
  listen();
  call();
  fetch("s-1", 502);
  EXPECT_EQ(all(Finding::Kind::kBroke), std::set<std::string>{"http.resume-with-get"});
  EXPECT_EQ(all(Finding::Kind::kHeld), std::set<std::string>{"http.client-polls"});
}

TEST_F(EndedStream, MayBeForgottenByWhoResumesAnotherThatEndedAsWell) {
  listen();
  call();
  leave(2);
  fetch("s-1", 3);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
  EXPECT_EQ(all(Finding::Kind::kUnclear), std::set<std::string>{"http.client-polls"});
}

// Its answer is of no use any more.
TEST_F(EndedStream, MayBeLeftByWhoCancelledTheCall) {
  call();
  ++lane_;
  HttpExchange(traffic_, lane_)
      .request("POST", R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                       R"("params":{"requestId":1}})")
      .head(202);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
  EXPECT_EQ(all(Finding::Kind::kNotExercised), std::set<std::string>{"http.client-polls"});
}

TEST_F(EndedStream, IsNotToBeResumedAtOnce) {
  call();
  fetch(kRight, 2);
  EXPECT_EQ(all(Finding::Kind::kBroke), std::set<std::string>{"http.retry-respected"});
}

// The stream that resumed it ends as well, and asks for 2500 ms.
TEST_F(EndedStream, MayBeResumedOnceMore) {
  call();
  fetch(kRight, 502);
  fetch(kSecond, 3003);
  EXPECT_EQ(all(Finding::Kind::kHeld), kAllRules);
  EXPECT_EQ(all(Finding::Kind::kBroke), kNoRule);
}

TEST_F(EndedStream, IsNotToBeResumedOnceMoreAfterADelayOfTheClientsOwn) {
  call();
  fetch(kRight, 1002);
  fetch(kSecond, 2004);
  EXPECT_EQ(all(Finding::Kind::kBroke), std::set<std::string>{"http.retry-respected"});
}

constexpr const char* kBothTypes = "application/json, text/event-stream";

// A message that the client sends over HTTP, on a lane of its own.
void send_to(harness::Traffic& traffic, std::uint64_t lane, const char* target,
             const char* accept) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpRequest;
  observation.speaker = transport::Party::kClient;
  observation.lane = {transport::Lane::Kind::kHttp, lane};
  observation.http = transport::HttpHead{"POST", target, 0, {{"Accept", accept}}};
  observation.bytes = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  traffic.saw(observation);
}

class OlderStream : public ::testing::Test {
 protected:
  OlderStream() {
    stream_.request("GET").head(200, HttpExchange::kEvents);
    stream_.event(kEndpoint, std::nullopt, "endpoint");
  }
  bool is_told(Finding::Kind kind) const {
    return !told("http-sse", Revision::v2024_11_05, traffic_, kind).empty();
  }

  static constexpr const char* kEndpoint = "/assay/messages?of=assay&sessionId=1";
  harness::Traffic traffic_{Revision::v2024_11_05, harness::TransportKind::kHttpSse};
  HttpExchange stream_{traffic_, 1};
};

TEST_F(OlderStream, MayBeTriedBesideStreamableHttp) {
  send_to(traffic_, 2, "/mcp", kBothTypes);
  EXPECT_TRUE(is_told(Finding::Kind::kUnclear));
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
}

TEST_F(OlderStream, MayBeLeftForAnotherWire) {
  stream_.closed();
  send_to(traffic_, 2, "/mcp", "*/*");
  EXPECT_TRUE(is_told(Finding::Kind::kNotExercised));
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
}

TEST_F(OlderStream, SaysWhereMessagesGo) {
  send_to(traffic_, 2, kEndpoint, kBothTypes);
  EXPECT_TRUE(is_told(Finding::Kind::kHeld));
  send_to(traffic_, 3, "/mcp", kBothTypes);
  EXPECT_TRUE(is_told(Finding::Kind::kBroke));
}

TEST_F(OlderStream, IsNoPlaceForMessagesItself) {
  send_to(traffic_, 2, "/mcp", "*/*");
  EXPECT_TRUE(is_told(Finding::Kind::kBroke));
}

}  // namespace
}  // namespace assay::scenarios
