// The monitors of the HTTP transports on hand-made transcripts: each with what it lets pass, and
// what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr const char* kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";
constexpr const char* kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr const char* kChanged = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
constexpr const char* kCallWithToken = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                                       R"("params":{"name":"a","_meta":{"progressToken":7}}})";
constexpr const char* kProgress = R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                                  R"("params":{"progressToken":7,"progress":1}})";
constexpr const char* kJson = HttpExchange::kJson;
constexpr const char* kEvents = HttpExchange::kEvents;

class OverHttp : public ::testing::Test {
 protected:
  HttpExchange exchange() { return {traffic_, ++lanes_}; }
  HttpExchange stream_of(const char* request) {
    HttpExchange one = exchange();
    one.request("POST", request, {{"MCP-Protocol-Version", "2025-11-25"}}).head(200, kEvents);
    return one;
  }
  Traffic traffic_{Revision::v2025_11_25, TransportKind::kHttp};
  std::uint64_t lanes_ = 0;
};

TEST_F(OverHttp, HttpMonitorLetsSoundAnswersPass) {
  exchange()
      .request("POST", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})")
      .head(200, kJson, {{"Mcp-Session-Id", "f00-bar"}})
      .body(R"({"jsonrpc":"2.0","id":0,"result":{}})")
      .closed();
  exchange().request("POST", kInitialized).head(202).body("").closed();
  exchange().request("POST", kPing).head(200, kJson).body(kPong).closed();
  exchange().request("GET").head(405).closed();
  EXPECT_THAT(traffic_.broken("http_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("http_monitor"),
              IsSupersetOf(Rules{"http.session-id-visible-ascii", "http.accepted-202",
                                 "http.request-answer-type", "http.get-answer"}));
}

TEST_F(OverHttp, HttpMonitorSeesWrongHeadsAndBodies) {
  exchange()
      .request("POST", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})")
      .head(200, "text/plain", {{"Mcp-Session-Id", "with space"}})
      .closed();
  exchange().request("POST", kInitialized).head(200, kJson).body("{}").closed();
  exchange().request("GET").head(200, "text/html").closed();
  EXPECT_EQ(traffic_.broken("http_monitor"),
            (Rules{"http.request-answer-type", "http.session-id-visible-ascii", "http.accepted-202",
                   "http.get-answer"}));
}

TEST_F(OverHttp, SseStreamMonitorLetsAStreamPass) {
  stream_of(kPing).event("", "a-0").event(kPong, "a-1").closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("sse_stream_monitor"),
              IsSupersetOf(Rules{"http.stream-primed", "http.stream-response",
                                 "http.event-id-unique", "http.stream-closed-after-response"}));
}

TEST_F(OverHttp, SseStreamMonitorSeesAStreamThatIsNotPrimedAndEndsWithoutItsAnswer) {
  stream_of(kPing).event(kChanged).closed();
  EXPECT_EQ(traffic_.broken("sse_stream_monitor"),
            (Rules{"http.stream-primed", "http.stream-response"}));
}

// Without the header the server may take the client for one of 2025-03-26.
TEST_F(OverHttp, SseStreamMonitorExpectsNoPrimingWhereNoVersionWasNamed) {
  exchange().request("POST", kPing).head(200, kEvents).event(kPong, "a-1").closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), IsEmpty());
}

TEST_F(OverHttp, SseStreamMonitorLetsAResumedStreamPass) {
  stream_of(kPing).event("", "a-0").broken();
  exchange()
      .request("GET", "", {{"Last-Event-ID", "a-0"}})
      .head(200, kEvents)
      .event(kPong, "a-1")
      .closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("sse_stream_monitor"), Contains("http.resume-replays"));
}

TEST_F(OverHttp, SseStreamMonitorSeesTheAnswerOfAnotherStreamReplayed) {
  stream_of(R"({"jsonrpc":"2.0","id":2,"method":"ping"})").event("", "b-0").broken();
  stream_of(kPing).event("", "a-0").broken();
  exchange()
      .request("GET", "", {{"Last-Event-ID", "a-0"}})
      .head(200, kEvents)
      .event(R"({"jsonrpc":"2.0","id":2,"result":{}})", "b-1")
      .closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), Contains("http.resume-own-stream-only"));
}

TEST_F(OverHttp, SseStreamMonitorSeesAnIdForTheSecondTime) {
  stream_of(kPing).event("", "a").event(kPong, "a").closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), Contains("http.event-id-unique"));
}

// Begins a stream with `first`, and resumes it with `again` under the same id.
class OverHttpResumed : public OverHttp {
 protected:
  Rules broken_by(const char* first, const char* again) {
    stream_of(kCallWithToken).event(first, "a-1").broken();
    exchange()
        .request("GET", "", {{"Last-Event-ID", "a-1"}})
        .head(200, kEvents)
        .event(again, "a-1")
        .event(kPong, "a-2")
        .closed();
    return traffic_.broken("sse_stream_monitor");
  }
};

TEST_F(OverHttpResumed, SseStreamMonitorSeesAnIdThatBeginsAnew) {
  EXPECT_THAT(broken_by(kProgress, kChanged), Contains("http.event-id-unique"));
}

TEST_F(OverHttpResumed, SseStreamMonitorTakesOtherTextOfTheSameMessageForAReplay) {
  EXPECT_THAT(broken_by(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
                        R"({ "method": "notifications/tools/list_changed", "jsonrpc": "2.0" })"),
              Not(Contains("http.event-id-unique")));
}

TEST_F(OverHttp, SseStreamMonitorSeesAnAnswerOnAStreamOpenedWithGet) {
  HttpExchange post = exchange();
  post.request("POST", kPing);
  exchange().request("GET").head(200, kEvents).event(kPong).closed();
  EXPECT_THAT(traffic_.broken("sse_stream_monitor"), Contains("http.get-stream-no-response"));
}

TEST_F(OverHttp, StreamMessagesMonitorLetsMessagesOnTheirStreamPass) {
  HttpExchange get = exchange();
  get.request("GET").head(200, kEvents);
  stream_of(kCallWithToken).event(kProgress).event(kPong).closed();
  get.event(kChanged);
  EXPECT_THAT(traffic_.broken("stream_messages_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("stream_messages_monitor"),
              IsSupersetOf(Rules{"http.stream-messages-before-response", "http.get-stream-messages",
                                 "http.get-stream-unrelated", "http.message-not-broadcast"}));
}

TEST_F(OverHttp, StreamMessagesMonitorSeesARequestOnTwoStreams) {
  const char* const question = R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})";
  HttpExchange get = exchange();
  get.request("GET").head(200, kEvents).event(question);
  stream_of(kPing).event(question);
  EXPECT_EQ(traffic_.broken("stream_messages_monitor"),
            (Rules{"http.message-on-one-stream", "http.message-not-broadcast"}));
}

TEST_F(OverHttp, StreamMessagesMonitorSeesProgressOnTheWrongStream) {
  HttpExchange post = exchange();
  post.request("POST", kCallWithToken);
  exchange().request("GET").head(200, kEvents).event(kProgress);
  EXPECT_EQ(traffic_.broken("stream_messages_monitor"), Rules{"http.get-stream-unrelated"});
}

TEST_F(OverHttp, MonitorsOfOneTransportSayNothingOfAnother) {
  stream_of(kPing).event(kPong).closed();
  EXPECT_THAT(traffic_.held("http_sse_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("stdio_monitor"), IsEmpty());
}

class OverHttpSse : public ::testing::Test {
 protected:
  Traffic traffic_{Revision::v2024_11_05, TransportKind::kHttpSse};
};

TEST_F(OverHttpSse, LetsAStreamThatNamesItsEndpointPass) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event("/messages?id=1", std::nullopt, "endpoint");
  HttpExchange(traffic_, 2).request("POST", kPing).head(202).closed();
  get.event(kPong).closed();
  EXPECT_THAT(traffic_.broken("http_sse_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("http_sse_monitor"),
              IsSupersetOf(Rules{"http-sse.endpoint-event", "http-sse.post-endpoint"}));
}

TEST_F(OverHttpSse, SeesAResponseThatComesInTheAnswerToItsPostAlone) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event("/messages?id=1", std::nullopt, "endpoint");
  HttpExchange(traffic_, 2).request("POST", kPing).head(200, kJson).body(kPong).closed();
  get.closed();
  EXPECT_EQ(traffic_.broken("http_sse_monitor"), Rules{"http-sse.message-events"});
}

TEST_F(OverHttpSse, LetsAResponseThatComesInAnEventComeElsewhereToo) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event("/messages?id=1", std::nullopt, "endpoint");
  HttpExchange(traffic_, 2).request("POST", kPing).head(200, kJson).body(kPong).closed();
  get.event(kPong).closed();
  EXPECT_THAT(traffic_.broken("http_sse_monitor"), IsEmpty());
}

TEST_F(OverHttpSse, TakesNoEndOfASessionForAnEndpointThatIsNone) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event("/messages?id=1", std::nullopt, "endpoint");
  HttpExchange(traffic_, 2).request("POST", kPing).head(202).closed();
  HttpExchange(traffic_, 3).request("POST", kPing).head(404).closed();
  get.closed();
  EXPECT_THAT(traffic_.broken("http_sse_monitor"), IsEmpty());
}

TEST_F(OverHttpSse, SeesAnEndpointThatIsNoneForAWhile) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event("/messages?id=1", std::nullopt, "endpoint");
  HttpExchange(traffic_, 2).request("POST", kPing).head(202).closed();
  HttpExchange(traffic_, 3).request("POST", kPing).head(404).closed();
  HttpExchange(traffic_, 4).request("POST", kPing).head(202).closed();
  EXPECT_THAT(traffic_.broken("http_sse_monitor"), Contains("http-sse.post-endpoint"));
}

TEST_F(OverHttpSse, SeesAStreamThatNamesNoneAndAnEndpointThatIsNone) {
  HttpExchange get(traffic_, 1);
  get.request("GET").head(200, kEvents).event(kChanged);
  HttpExchange(traffic_, 2).request("POST", kPing).head(404).closed();
  get.closed();
  EXPECT_THAT(traffic_.broken("http_sse_monitor"),
              IsSupersetOf(Rules{"http-sse.endpoint-event", "http-sse.post-endpoint"}));
}

}  // namespace
}  // namespace assay::harness
