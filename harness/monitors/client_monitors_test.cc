// What monitors say of clients.
#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
const std::string kInitializeResult =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";
const std::string kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
const std::string kListed = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})";

class ClientMonitors : public testing::Test {
 protected:
  static constexpr std::string_view kLifecycle = "client_lifecycle_monitor";
  static constexpr std::string_view kRpc = "json_rpc_monitor";
};

TEST_F(ClientMonitors, AWellBehavedClientBreaksNothing) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.sent(kList).came(kListed);
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(traffic.broken(), Rules{});
  EXPECT_EQ(traffic.held(kLifecycle),
            (Rules{"lifecycle.client-initializes", "lifecycle.client-waits-for-initialize-result",
                   "lifecycle.initialize-first", "lifecycle.initialized-notification"}));
  EXPECT_EQ(traffic.held(kRpc), (Rules{"jsonrpc.notification-no-id", "jsonrpc.request-id-not-null",
                                       "jsonrpc.request-id-type", "jsonrpc.request-id-unique",
                                       "jsonrpc.utf8", "jsonrpc.version-2-messages"}));
}

TEST_F(ClientMonitors, WhatIsNoMessageOnStandardInput) {
  Traffic traffic;
  traffic.of_client().handshake().sent("hello").sent(kList);
  EXPECT_EQ(traffic.broken("stdio_monitor"), Rules{"stdio.stdin-only-messages"});
  Traffic spread;
  spread.of_client()
      .handshake()
      .sent("{\"jsonrpc\":\"2.0\",")
      .sent("\"id\":1,\"method\":\"ping\"}");
  EXPECT_EQ(spread.broken("stdio_monitor"), Rules{"stdio.no-embedded-newlines"});
}

TEST_F(ClientMonitors, WhatComesBeforeInitialize) {
  Traffic early;
  early.of_client().sent(kList);
  EXPECT_EQ(early.broken(kLifecycle), Rules{"lifecycle.initialize-first"});
  Traffic probing;
  probing.of_client().sent(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").handshake();
  EXPECT_EQ(probing.broken(), Rules{});
}

TEST_F(ClientMonitors, WhatInitializeLacks) {
  Traffic traffic;
  traffic.of_client().sent(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}})");
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.client-initializes"});
}

TEST_F(ClientMonitors, WhoDoesNotWaitForTheAnswer) {
  Traffic traffic;
  traffic.of_client().sent(kInitialize).sent(kList).came(kInitializeResult);
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.client-waits-for-initialize-result"});
}

TEST_F(ClientMonitors, WhoDoesNotSayThatItIsInitialized) {
  Traffic traffic;
  traffic.of_client().sent(kInitialize).came(kInitializeResult).sent(kList);
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.initialized-notification"});
}

TEST_F(ClientMonitors, WhoCancelsInitialize) {
  Traffic traffic;
  traffic.of_client()
      .sent(kInitialize)
      .sent(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}})");
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"cancellation.initialize-not-cancelled"});
}

TEST_F(ClientMonitors, IdsThatComeAgainAndMessagesThatAreNone) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.sent(kList).came(kListed).sent(kList).sent(R"({"id":9,"method":"ping"})");
  EXPECT_EQ(traffic.broken(kRpc),
            (Rules{"jsonrpc.request-id-unique", "jsonrpc.version-2-messages"}));
}

TEST_F(ClientMonitors, AnswersToWhatTheServerAsks) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.came(R"({"jsonrpc":"2.0","id":"a","method":"ping"})");
  traffic.sent(R"({"jsonrpc":"2.0","id":"b","result":{}})");
  EXPECT_EQ(traffic.broken(kRpc), (Rules{"jsonrpc.response-id", "jsonrpc.result-response-id"}));
}

TEST_F(ClientMonitors, WithoutSessionsAnIdIsFreeOnceItWasAnswered) {
  const std::string request =
      wire::encode(wire::make_request(wire::Id::of(1), "tools/list", Traffic::stateless()));
  Traffic traffic(model::Revision::v2026_07_28);
  traffic.of_client().sent(request).came(
      wire::encode(wire::make_result(wire::Id::of(1), cacheable({{"tools", Json::array()}}))));
  traffic.sent(request);
  EXPECT_EQ(traffic.broken(), Rules{});
  traffic.sent(request);
  EXPECT_EQ(traffic.broken(kRpc), Rules{"jsonrpc.request-id-not-in-use"});
}

TEST_F(ClientMonitors, RequestsThatStandAloneSayWhatTheyNeed) {
  constexpr std::string_view kRequests = "client_request_monitor";
  Traffic traffic(model::Revision::v2026_07_28);
  traffic.of_client().asks("tools/list");
  EXPECT_EQ(traffic.broken(), Rules{});
  EXPECT_TRUE(traffic.held(kRequests).contains("meta.required-fields"));
  traffic.sent(kList);
  EXPECT_EQ(traffic.broken(kRequests), Rules{"meta.required-fields"});
  traffic.sent(R"({"jsonrpc":"2.0","id":"s","result":{}})");
  EXPECT_EQ(traffic.broken(kRequests), (Rules{"meta.required-fields", "stdio.client-no-responses",
                                              "transport.binding-directions"}));
}

class ClientHttpMonitors : public testing::Test {
 protected:
  static constexpr std::string_view kHttp = "client_http_monitor";

  HttpExchange exchange(std::uint64_t number) { return {traffic_, number}; }
  // The first two exchanges of a session.
  void begin() {
    traffic_.of_client();
    exchange(1)
        .request("POST", kInitialize)
        .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
        .body(kInitializeResult);
    exchange(2)
        .request("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", kBoth)
        .head(202);
  }

  const transport::Headers kBoth = {{"Mcp-Session-Id", "s1"},
                                    {"MCP-Protocol-Version", "2025-11-25"}};
  Traffic traffic_{model::Revision::v2025_11_25, TransportKind::kHttp};
};

TEST_F(ClientHttpMonitors, FieldsThatAreThere) {
  begin();
  exchange(3).request("POST", kList, kBoth).head(200, HttpExchange::kJson).body(kListed);
  EXPECT_EQ(traffic_.broken(), Rules{});
  EXPECT_EQ(traffic_.held(kHttp), (Rules{"http.post-accept", "http.session-id-sent",
                                         "http.version-header", "http.version-header-negotiated"}));
}

TEST_F(ClientHttpMonitors, FieldsThatAreMissingOrSaySomethingElse) {
  begin();
  exchange(3).request("POST", kList).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), (Rules{"http.session-id-sent", "http.version-header"}));
  exchange(4)
      .request("POST", kList, {{"Mcp-Session-Id", "s1"}, {"MCP-Protocol-Version", "2025-06-18"}})
      .head(400);
  EXPECT_TRUE(traffic_.broken(kHttp).contains("http.version-header-negotiated"));
}

TEST_F(ClientHttpMonitors, WhatAStatelessRequestRepeats) {
  constexpr std::string_view kRequests = "client_request_monitor";
  Traffic traffic(model::Revision::v2026_07_28, TransportKind::kHttp);
  traffic.of_client();
  const std::string call = wire::encode(
      wire::make_request(wire::Id::of(1), "tools/call", Traffic::stateless({{"name", "look"}})));
  const transport::Headers right = {{"MCP-Protocol-Version", "2026-07-28"},
                                    {"Mcp-Method", "tools/call"},
                                    {"Mcp-Name", "=?base64?bG9vaw==?="}};
  HttpExchange(traffic, 1).request("POST", call, right).head(200);
  EXPECT_EQ(traffic.broken(), Rules{});
  HttpExchange(traffic, 2)
      .request("POST", call, {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/call"}})
      .head(400);
  EXPECT_EQ(traffic.broken(kRequests),
            (Rules{"http.standard-headers", "http.version-header-matches-body"}));
}

}  // namespace
}  // namespace assay::harness
