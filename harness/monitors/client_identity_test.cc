// Ids and progress tokens of clients: whose they are, and when they are free again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/trace.h"
#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

constexpr std::string_view kTokenIsUnique = "progress.token-unique";
constexpr std::string_view kIdIsUnique = "jsonrpc.request-id-unique";

const transport::Headers kOfSession = {{"Mcp-Session-Id", "s"}};
const std::string kPingOfSession = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";
const std::string kPongOfSession = R"({"jsonrpc":"2.0","id":7,"result":{}})";

// The beginning of a session of that id.
void begin_session(Traffic& traffic) {
  HttpExchange(traffic, 100)
      .request("POST",
               R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
               R"("2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})")
      .head(200, HttpExchange::kJson, kOfSession)
      .body(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",)"
            R"("capabilities":{},"serverInfo":{"name":"s","version":"1"}}})");
}

std::string call_with_token(int id, const std::string& token) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":)" + token + "}}}";
}

bool is_left_unclear(const Traffic& traffic, std::string_view rule) {
  const Findings findings = traffic.findings();
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.kind == Finding::Kind::kUnclear && finding.requirement.text() == rule;
  });
}

bool is_seen_broken(const Traffic& traffic, std::string_view rule) {
  return traffic.broken().contains(std::string(rule));
}

TEST(ClientIdentity, OverHttpAnIdIsASessionsOwn) {
  Traffic named(model::Revision::v2025_11_25, TransportKind::kHttp);
  named.of_client();
  begin_session(named);
  HttpExchange(named, 1)
      .request("POST", kPingOfSession, kOfSession)
      .head(200, "application/json")
      .body(kPongOfSession);
  HttpExchange(named, 2).request("POST", kPingOfSession, kOfSession);
  EXPECT_TRUE(is_seen_broken(named, kIdIsUnique));
  // Without a session id they may be two clients'.
  Traffic unnamed(model::Revision::v2025_11_25, TransportKind::kHttp);
  unnamed.of_client();
  begin_session(unnamed);
  HttpExchange(unnamed, 1)
      .request("POST", kPingOfSession)
      .head(200, "application/json")
      .body(kPongOfSession);
  HttpExchange(unnamed, 2).request("POST", kPingOfSession);
  EXPECT_FALSE(is_seen_broken(unnamed, kIdIsUnique));
}

TEST(ClientIdentity, TheSameRequestMayComeAgainBehindALostExchange) {
  Traffic lost(model::Revision::v2025_11_25, TransportKind::kHttp);
  lost.of_client();
  begin_session(lost);
  HttpExchange(lost, 1).request("POST", kPingOfSession, kOfSession).broken();
  HttpExchange(lost, 2).request("POST", kPingOfSession, kOfSession);
  EXPECT_FALSE(is_seen_broken(lost, kIdIsUnique));
  Traffic refused(model::Revision::v2025_11_25, TransportKind::kHttp);
  refused.of_client();
  begin_session(refused);
  HttpExchange(refused, 1).request("POST", kPingOfSession, kOfSession).head(503).closed();
  HttpExchange(refused, 2).request("POST", kPingOfSession, kOfSession);
  EXPECT_FALSE(is_seen_broken(refused, kIdIsUnique));
  // Another request under that id is another matter.
  Traffic other(model::Revision::v2025_11_25, TransportKind::kHttp);
  other.of_client();
  begin_session(other);
  HttpExchange(other, 1).request("POST", kPingOfSession, kOfSession).broken();
  HttpExchange(other, 2).request("POST", R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})",
                                 kOfSession);
  EXPECT_TRUE(is_seen_broken(other, kIdIsUnique));
}

TEST(ClientIdentity, ATokenIsFreeOnceItsRequestWasCancelled) {
  Traffic traffic;
  traffic.of_client().handshake({{"tools", Json::object()}});
  traffic.sent(call_with_token(1, "\"a\""));
  traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  traffic.sent(call_with_token(2, "\"a\""));
  EXPECT_FALSE(is_seen_broken(traffic, kTokenIsUnique));
  traffic.sent(call_with_token(3, "\"a\""));
  EXPECT_TRUE(is_seen_broken(traffic, kTokenIsUnique));
}

TEST(ClientIdentity, OverHttpATokenIsASessionsOwn) {
  Traffic traffic(model::Revision::v2025_11_25, TransportKind::kHttp);
  traffic.of_client();
  HttpExchange(traffic, 1).request("POST", call_with_token(1, "5"), kOfSession);
  HttpExchange(traffic, 2).request("POST", call_with_token(2, "5"), kOfSession);
  EXPECT_TRUE(is_seen_broken(traffic, kTokenIsUnique));
}

TEST(ClientIdentity, NullIsATokenOfTheWrongType) {
  Traffic client;
  client.of_client().handshake().sent(call_with_token(1, "null"));
  EXPECT_TRUE(is_seen_broken(client, "progress.token-type"));
  Traffic server;
  server.handshake();
  server.asked("roots/list", {{"_meta", {{"progressToken", nullptr}}}});
  EXPECT_TRUE(is_seen_broken(server, "progress.token-type"));
}

// What could not be read may have been the request.
TEST(ClientIdentity, ACancelledRequestMayBeInALineThatCannotBeRead) {
  constexpr std::string_view kRule = "cancellation.same-direction";
  Traffic traffic;
  traffic.of_client().handshake().sent("{\"jsonrpc\":\"2.0\",\"id\":\"b-1\",\"method\":");
  traffic.sent(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b-1"}})");
  EXPECT_FALSE(is_seen_broken(traffic, kRule));
  EXPECT_TRUE(is_left_unclear(traffic, kRule));
  traffic.sent(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c-1"}})");
  EXPECT_TRUE(is_seen_broken(traffic, kRule));
}

// The header field repeats what the body says, and does not decide.
TEST(ClientIdentity, TheBodySaysWhichRevisionIsSpoken) {
  Traffic traffic(model::Revision::v2026_07_28, TransportKind::kHttp);
  HttpExchange(traffic, 1)
      .request(
          "POST",
          wire::encode(wire::make_request(wire::Id::of(1), "tools/list", Traffic::stateless())),
          {{"MCP-Protocol-Version", "2025-11-25"}});
  const auto events = traffic.transcript().events();
  EXPECT_EQ(revision_of(events), model::Revision::v2026_07_28);
}

TEST(ClientIdentity, WhatAResultAskedForHasTheFormOfAResult) {
  const auto answered = [](const Json& response) {
    Traffic traffic(model::Revision::v2026_07_28);
    traffic.of_client();
    traffic.exchange(
        "tools/call", {{"name", "t"}},
        input_required(
            {{"who", {{"method", "elicitation/create"}, {"params", {{"message", "Who?"}}}}}}));
    traffic.asks("tools/call", {{"name", "t"}, {"inputResponses", {{"who", response}}}});
    return traffic.broken("client_schema_monitor");
  };
  EXPECT_EQ(answered({{"action", "decline"}}), Rules{});
  EXPECT_EQ(answered({{"action", "ok"}}), Rules{"schema.client-results"});
  EXPECT_EQ(answered({{"content", Json::object()}}), Rules{"schema.client-results"});
}

// In a union with a task, what was not asked to be a task is judged as what it is.
TEST(ClientIdentity, AResultIsExplainedByWhatWasAskedFor) {
  Traffic traffic;
  traffic.of_client().handshake(Json::object(), {{"elicitation", Json::object()}});
  traffic.came(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?",)"
               R"("requestedSchema":{"type":"object","properties":{}}}})");
  traffic.sent(R"({"jsonrpc":"2.0","id":"q","result":{}})");
  for (const Finding& finding : traffic.findings()) {
    if (finding.kind != Finding::Kind::kBroke) continue;
    EXPECT_EQ(finding.requirement.text(), "schema.client-results");
    EXPECT_NE(finding.detail.find("/result/action"), std::string::npos) << finding.detail;
  }
  EXPECT_EQ(traffic.broken(), Rules{"schema.client-results"});
}

}  // namespace
}  // namespace assay::harness
