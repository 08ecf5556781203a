#include <algorithm>
#include <set>

#include "reference/server/http_testing.h"

namespace assay::server {
namespace {

using transport::HttpServerOptions;

TEST_F(HttpTest, GivesASessionIdOfVisibleAscii) {
  start();
  const SeenExchange exchange = begin();
  EXPECT_EQ(exchange.status, 200);
  EXPECT_EQ(exchange.type(), "application/json");
  EXPECT_GE(session_id_.size(), 32u);
  EXPECT_TRUE(std::all_of(session_id_.begin(), session_id_.end(),
                          [](char c) { return c >= 0x21 && c <= 0x7E; }));
}

TEST_F(HttpTest, AnswersWithJsonWhereThatIsEnough) {
  start();
  begin();
  const SeenExchange exchange = post(kPing);
  EXPECT_EQ(exchange.status, 200);
  EXPECT_EQ(exchange.type(), "application/json");
  EXPECT_EQ(exchange.body, R"({"jsonrpc":"2.0","id":5,"result":{}})");
}

TEST_F(HttpTest, AnswersAsAWholeWhereARangeIsAskedFor) {
  start();
  begin();
  const SeenExchange exchange = post(kPing, {{"Range", "bytes=0-1"}});
  EXPECT_EQ(exchange.status, 200);
  EXPECT_EQ(exchange.body, R"({"jsonrpc":"2.0","id":5,"result":{}})");
}

TEST_F(HttpTest, AnswersWithAStreamWhereMoreIsSaid) {
  start();
  begin();
  const SeenExchange exchange = post(kLogging);
  EXPECT_EQ(exchange.type(), "text/event-stream");
  const std::vector<Json> messages = exchange.messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0]["method"], "notifications/message");
  EXPECT_EQ(messages[3]["id"], 6);
}

TEST_F(HttpTest, PrimesStreamsInTheRevisionThatAsksForIt) {
  start();
  begin("2025-11-25");
  const wire::SseEvent first = post(kLogging).events.at(0);
  EXPECT_TRUE(first.id.has_value());
  EXPECT_TRUE(first.data.empty());
  session_id_.clear();
  begin("2025-06-18");
  EXPECT_FALSE(post(kLogging).events.at(0).data.empty());
}

TEST_F(HttpTest, AlwaysStreamsWhenToldTo) {
  start({.answers = HttpServerOptions::Answers::kSse});
  EXPECT_EQ(begin().type(), "text/event-stream");
  EXPECT_EQ(post(kPing).messages().at(0)["id"], 5);
}

TEST_F(HttpTest, NeverStreamsWhenToldNotTo) {
  start({.answers = HttpServerOptions::Answers::kJson});
  begin();
  const SeenExchange exchange = post(kLogging);
  EXPECT_EQ(exchange.type(), "application/json");
  EXPECT_EQ(exchange.json()["id"], 6);
}

// Many such calls would take all threads for as long as a client may think.
TEST_F(HttpTest, WaitsForNoClientThatCannotBeAsked) {
  Options impatient;
  impatient.stream_timeout = std::chrono::milliseconds(20);
  start({.answers = HttpServerOptions::Answers::kJson}, {}, impatient);
  begin("2025-11-25", {{"sampling", Json::object()}});
  const SeenExchange exchange =
      post(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_sampling",)"
           R"("arguments":{"prompt":"Hello"}}})");
  EXPECT_NE(exchange.body.find("did not answer in time"), std::string::npos) << exchange.body;
}

TEST_F(HttpTest, AcceptsNotificationsAndResponsesWith202) {
  start();
  begin();
  for (const char* body : {R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
                           R"({"jsonrpc":"2.0","id":99,"result":{}})"}) {
    const SeenExchange exchange = post(body);
    EXPECT_EQ(exchange.status, 202);
    EXPECT_EQ(exchange.body, "");
  }
}

TEST_F(HttpTest, RefusesWhatIsNoMessageWith400) {
  start();
  begin();
  for (const char* body : {"{", "[]", R"({"jsonrpc":"2.0"})", "[1]"}) {
    const SeenExchange exchange = post(body);
    EXPECT_EQ(exchange.status, 400) << body;
    EXPECT_TRUE(exchange.json().contains("error")) << body;
  }
}

TEST_F(HttpTest, AnswersABatchInTheRevisionThatHasThem) {
  start();
  begin("2025-03-26");
  const SeenExchange exchange = post("[" + std::string(kPing) + "]");
  EXPECT_EQ(exchange.status, 200);
  EXPECT_EQ(exchange.json().at(0)["id"], 5);
}

TEST_F(HttpTest, RefusesUnknownAndMissingSessions) {
  start();
  EXPECT_EQ(post(kPing).status, 400);
  EXPECT_EQ(post(kPing, {{"MCP-Session-Id", "nope"}}).status, 404);
  EXPECT_EQ(other("GET").status, 400);
  EXPECT_EQ(other("DELETE").status, 400);
}

TEST_F(HttpTest, EndsASessionOnDelete) {
  start();
  begin();
  EXPECT_EQ(other("DELETE").status, 200);
  EXPECT_EQ(post(kPing).status, 404);
}

TEST_F(HttpTest, ChecksTheProtocolVersionWhereTheRevisionHasTheHeader) {
  start();
  begin("2025-06-18");
  EXPECT_EQ(post(kPing).status, 200);
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "2025-06-18"}}).status, 200);
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "1999-01-01"}}).status, 400);
  session_id_.clear();
  begin("2025-03-26");
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "1999-01-01"}}).status, 200);
}

TEST_F(HttpTest, ServesOnlyOurOwnHostsAndOrigins) {
  start();
  begin();
  EXPECT_EQ(post(kPing, {{"Origin", "http://evil.example.com"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Origin", "http://localhost.evil.example.com"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Origin", "null"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Host", "evil.example.com"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Origin", "http://localhost:3000"}}).status, 200);
  EXPECT_EQ(post(kPing, {{"Origin", "https://[::1]"}}).status, 200);
}

TEST_F(HttpTest, ServesHostsThatItWasToldOf) {
  start({.allowed_hosts = {"mcp.example.com"}});
  begin();
  EXPECT_EQ(post(kPing, {{"Host", "mcp.example.com:8080"}}).status, 200);
}

TEST_F(HttpTest, RefusesFormsItDoesNotSpeak) {
  start();
  begin();
  EXPECT_EQ(post(kPing, {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(post(kPing, {{"Accept", "text/html"}}).status, 406);
  EXPECT_EQ(other("GET", {{"Accept", "application/json"}}).status, 406);
  EXPECT_EQ(other("PUT").status, 405);
  EXPECT_EQ(other("GET", {}, "/elsewhere").status, 404);
}

TEST_F(HttpTest, ForgetsTheSessionUsedLongestAgo) {
  start({.most_sessions = 2});
  begin();
  const std::string first = session_id_;
  for (int i = 0; i < 2; ++i) {
    session_id_.clear();
    begin();
  }
  EXPECT_EQ(post(kPing).status, 200);
  EXPECT_EQ(post(kPing, {{"MCP-Session-Id", first}}).status, 404);
}

TEST_F(HttpTest, ServesTheOlderPair) {
  start();
  const transport::Lane stream =
      start_exchange("GET", "/sse", {{"Accept", "text/event-stream"}}, "");
  const auto endpoint = wait_for_event("endpoint", stream);
  ASSERT_TRUE(endpoint);
  const SeenExchange accepted = finish(start_exchange(
      "POST", endpoint->event->data, {},
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"a","version":"1"}}})"));
  EXPECT_EQ(accepted.status, 202);
  // The pair belongs to 2024-11-05, which is what it offers.
  EXPECT_TRUE(wait_for_event(R"("protocolVersion":"2024-11-05")", stream));
  EXPECT_EQ(finish(start_exchange("POST", "/messages?sessionId=nope", {}, kPing)).status, 404);
}

// What was said on the wire, exchange by exchange, without what a transport adds to heads.
std::multiset<std::string> said(const std::vector<transport::Observation>& seen) {
  std::multiset<std::string> all;
  for (const transport::Observation& each : seen) {
    std::string text(transport::name(each.speaker));
    if (each.kind == transport::Observation::Kind::kHttpRequest) text += " " + each.http->method;
    if (each.http && each.http->status != 0) text += " " + std::to_string(each.http->status);
    if (each.event) text += " event " + each.event->data;
    const bool is_end = each.kind == transport::Observation::Kind::kClosed;
    all.insert(text + (is_end ? " closed" : " " + each.bytes));
  }
  return all;
}

TEST_F(HttpTest, TellsWhatPassesAsTheClientDoes) {
  transport::Recorder server_side;
  start({.observer = &server_side});
  begin();
  post(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_progress",)"
      R"("arguments":{},"_meta":{"progressToken":"t"}}})");
  post("nonsense");
  other("DELETE");
  client_->close(transport::test_deadline());
  http_.reset();
  EXPECT_EQ(said(server_side.all()), said(recorder_.all()));
  EXPECT_GT(server_side.all().size(), 15u);
}

TEST_F(HttpTest, SaysThatAPortIsInUse) {
  start();
  Server server;
  transport::HttpServer second(server, {.port = http_->port()});
  const std::optional<std::string> trouble = second.start();
  ASSERT_TRUE(trouble);
  EXPECT_NE(trouble->find("in use"), std::string::npos) << *trouble;
}

TEST_F(HttpTest, LetsFaultsAtStatusesAndSessions) {
  start({}, {"notification-200", "session-id-short", "delete-ignored"});
  begin();
  EXPECT_EQ(session_id_.size(), 4u);
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/x"})").status, 200);
  other("DELETE");
  EXPECT_EQ(post(kPing).status, 200);
}

TEST_F(HttpTest, LetsFaultsNeglectChecks) {
  start({}, {"origin-unchecked", "unknown-session-accepted", "missing-session-403",
             "bad-version-header-accepted"});
  begin();
  EXPECT_EQ(post(kPing, {{"Origin", "http://evil.example.com"}}).status, 200);
  EXPECT_EQ(post(kPing, {{"MCP-Session-Id", "nope"}}).status, 200);
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "1999-01-01"}}).status, 200);
  session_id_.clear();
  EXPECT_EQ(post(kPing).status, 403);
}

transport::HttpServerOptions guarded() {
  transport::HttpServerOptions options;
  options.protection = protection_of_reference();
  return options;
}

transport::Headers showing(std::string_view token) {
  return {{"Authorization", "Bearer " + std::string(token)}};
}

TEST_F(HttpTest, ASessionIsOfTheUserWhoseTokenOpenedIt) {
  start(guarded());
  const Json initialize = {{"jsonrpc", "2.0"},
                           {"id", 0},
                           {"method", "initialize"},
                           {"params",
                            {{"protocolVersion", "2025-11-25"},
                             {"capabilities", Json::object()},
                             {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}};
  const SeenExchange begun = post(initialize.dump(), showing(kReferenceToken));
  session_id_ = std::string(
      transport::find_header(begun.headers, "MCP-Session-Id").value_or(std::string_view()));
  ASSERT_FALSE(session_id_.empty());
  EXPECT_EQ(post(kPing, showing(kReferenceToken)).status, 200);
  EXPECT_EQ(post(kPing, showing(kNarrowToken)).status, 200);  // the same user's
  EXPECT_EQ(post(kPing, showing(kOtherUsersToken)).status, 404);
  EXPECT_EQ(other("DELETE", showing(kOtherUsersToken)).status, 404);
  EXPECT_EQ(post(kPing).status, 401);
  EXPECT_EQ(post(kPing, showing(kReferenceToken)).status, 200);
}

TEST_F(HttpTest, AToolMayNeedAScopeOfItsOwn) {
  start(guarded());
  const std::string call = R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":")" +
                           std::string(kScopedTool) + R"("}})";
  const auto challenge_to = [&](const std::string& body) {
    const SeenExchange refused = post(body, showing(kNarrowToken));
    EXPECT_EQ(refused.status, 403);
    return std::string(
        transport::find_header(refused.headers, "WWW-Authenticate").value_or(std::string_view()));
  };
  EXPECT_NE(challenge_to(call).find("scope=\"mcp:use tools:text\""), std::string::npos);
  EXPECT_NE(challenge_to("[" + call + "]").find("insufficient_scope"), std::string::npos);
  EXPECT_NE(post(call, showing(kReferenceToken)).status, 403);
}

}  // namespace
}  // namespace assay::server
