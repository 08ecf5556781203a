// The stateless era over HTTP: headers, statuses, streams, and who is served by which era.
#include "reference/server/http_testing.h"
#include "reference/server/stateless_testing.h"
#include "reference/transport/raw_client_testing.h"
#include "reference/transport/request_headers.h"

namespace assay::server {
namespace {

using transport::Headers;
using transport::HttpServerOptions;

Json stateless_request(const std::string& method, Json params = with_meta()) {
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}};
}

// The headers that mirror a request.
Headers mirroring(const Json& request) {
  Headers headers = {{"MCP-Protocol-Version", "2026-07-28"},
                     {"Mcp-Method", request.at("method").get<std::string>()}};
  const Json& params = request.at("params");
  for (const char* source : {"name", "uri"}) {
    if (params.contains(source))
      headers.emplace_back("Mcp-Name", params[source].get<std::string>());
  }
  return headers;
}

// The same with another value, or without the header where it is empty.
Headers with(Headers headers, const std::string& name, const std::string& value) {
  std::erase_if(headers, [&](const auto& header) { return header.first == name; });
  if (!value.empty()) headers.emplace_back(name, value);
  return headers;
}

class StatelessHttpTest : public HttpTest {
 protected:
  SeenExchange send(const Json& request) { return post(request.dump(), mirroring(request)); }
  SeenExchange ask(const std::string& method, Json params = with_meta()) {
    return send(stateless_request(method, std::move(params)));
  }
  // The error code of a reply that has to have this status.
  int refusal(const SeenExchange& exchange, int status) {
    EXPECT_EQ(exchange.status, status) << exchange.body;
    return error_code(exchange.json());
  }
  // A client of a server with one worker calls a tool that takes ten minutes, and hangs up.
  void hang_up_during_call(HttpServerOptions::Answers answers) {
    HttpServerOptions options;
    options.answers = answers;
    Options one_worker;
    one_worker.bounds.workers = 1;
    start(options, {}, one_worker);
    const Json slow = stateless_request(
        "tools/call",
        calling("test_slow", Json::object(), {{"arguments", {{"duration_ms", 600000}}}}));
    transport::RawClient leaving(http_->port());
    ASSERT_TRUE(leaving.write(bytes_of(slow)));
    if (answers == HttpServerOptions::Answers::kAuto) leaving.read_until("\r\n\r\n");
    leaving.close();
  }
  // A whole request as bytes, for a client that hangs up.
  static std::string bytes_of(const Json& request) {
    const std::string body = request.dump();
    std::string text =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n";
    for (const auto& [name, value] : mirroring(request)) text += name + ": " + value + "\r\n";
    return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

TEST_F(StatelessHttpTest, AnswersWithoutASession) {
  start();
  const SeenExchange exchange = ask("server/discover");
  EXPECT_EQ(exchange.status, 200);
  EXPECT_EQ(exchange.type(), "application/json");
  EXPECT_EQ(exchange.json()["id"], 7);
  EXPECT_FALSE(transport::find_header(exchange.headers, "MCP-Session-Id"));
}

TEST_F(StatelessHttpTest, EveryRefusalHasItsStatus) {
  start();
  EXPECT_EQ(refusal(ask("no/such"), 404), -32601);
  EXPECT_EQ(refusal(ask("initialize"), 404), -32601);
  EXPECT_EQ(refusal(ask("ping"), 404), -32601);
  Json params = with_meta();
  params["_meta"].erase(kClientCapabilitiesKey);
  EXPECT_EQ(refusal(ask("tools/list", params), 400), -32602);
  params["_meta"].erase(kProtocolVersionKey);
  EXPECT_EQ(refusal(ask("tools/list", params), 400), -32602);
  EXPECT_EQ(refusal(ask("tools/list", Json::object()), 400), -32602);
  EXPECT_EQ(refusal(ask("tools/call", calling("test_missing_capability")), 400), -32021);
  EXPECT_EQ(refusal(ask("tools/call", calling("no_such_tool")), 200), -32602);
  const Headers headers = {{"MCP-Protocol-Version", "2026-07-28"}};
  EXPECT_EQ(refusal(post("{", headers), 400), -32700);
  EXPECT_EQ(refusal(post("[]", headers), 400), -32600);
  EXPECT_EQ(refusal(post(R"({"jsonrpc":"2.0","id":1,"result":{}})", headers), 400), -32600);
  EXPECT_EQ(refusal(post(R"({"jsonrpc":"2.0","id":1})", headers), 400), -32600);
}

TEST_F(StatelessHttpTest, AnUnknownVersionIsToldWhichThereAre) {
  start();
  Json request = stateless_request("tools/list");
  request["params"]["_meta"][kProtocolVersionKey] = "1900-01-01";
  const SeenExchange exchange =
      post(request.dump(), with(mirroring(request), "MCP-Protocol-Version", "1900-01-01"));
  EXPECT_EQ(refusal(exchange, 400), -32022);
  EXPECT_EQ(exchange.json()["error"]["data"]["supported"][0], "2026-07-28");
}

TEST_F(StatelessHttpTest, HeadersMustSayWhatTheBodySays) {
  start();
  const Json request = stateless_request("tools/call", calling("test_simple_text"));
  const Headers good = mirroring(request);
  EXPECT_EQ(post(request.dump(), good).status, 200);
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    EXPECT_EQ(refusal(post(request.dump(), with(good, name, "")), 400), -32020) << name;
    EXPECT_EQ(refusal(post(request.dump(), with(good, name, "other")), 400), -32020) << name;
  }
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Method", "TOOLS/CALL")), 400), -32020);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Name", "Test_Simple_Text")), 400), -32020);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "MCP-Protocol-Version", "2025-11-25")), 400),
            -32020);
  Headers shouted;
  for (const auto& [name, value] : good) {
    shouted.emplace_back(name, value);
    for (char& c : shouted.back().first) c = static_cast<char>(std::toupper(c));
  }
  EXPECT_EQ(post(request.dump(), shouted).status, 200);
}

TEST_F(StatelessHttpTest, AnEncodedNameIsDecoded) {
  start();
  const Json request = stateless_request("tools/call", calling("test_simple_text"));
  const Headers good = mirroring(request);
  EXPECT_EQ(
      post(request.dump(), with(good, "Mcp-Name", "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?=")).status,
      200);
  for (const char* bad : {"=?base64?dGVzdF9zaW1wbGVfdGV4dA=?=", "=?base64?!!!!?=",
                          "=?BASE64?dGVzdF9zaW1wbGVfdGV4dA==?=",
                          "=?base64?"
                          "?=",
                          "test_simple_te\xC3\xA9"}) {
    EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Name", bad)), 400), -32020) << bad;
  }
}

TEST_F(StatelessHttpTest, MirroredArgumentsAreComparedByTheirValue) {
  start();
  const Json arguments = {
      {"region", "us-west1"}, {"count", 42}, {"exact", true}, {"place", {{"city", "Z\u00fcrich"}}}};
  const Json request = stateless_request(
      "tools/call", calling("test_custom_headers", Json::object(), {{"arguments", arguments}}));
  Headers good = mirroring(request);
  good.emplace_back("mcp-param-region", "us-west1");
  good.emplace_back("Mcp-Param-Count", "42");
  good.emplace_back("Mcp-Param-Exact", "true");
  good.emplace_back("Mcp-Param-City", "=?base64?WsO8cmljaA==?=");
  EXPECT_EQ(post(request.dump(), good).status, 200);
  EXPECT_EQ(post(request.dump(), with(good, "Mcp-Param-Count", "42.0")).status, 200);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Param-Count", "43")), 400), -32020);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Param-Count", "")), 400), -32020);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Param-Exact", "True")), 400), -32020);
  EXPECT_EQ(refusal(post(request.dump(), with(good, "Mcp-Param-City", "Zurich")), 400), -32020);
}

TEST_F(StatelessHttpTest, AnArgumentThatIsNullOrLeftOutHasNoHeader) {
  start();
  for (const Json& arguments : {Json::object(), Json{{"place", Json::object()}}}) {
    const Json request = stateless_request(
        "tools/call", calling("test_custom_headers", Json::object(), {{"arguments", arguments}}));
    EXPECT_EQ(send(request).status, 200);
    EXPECT_EQ(refusal(post(request.dump(), with(mirroring(request), "Mcp-Param-Region", "x")), 400),
              -32020);
  }
}

TEST_F(StatelessHttpTest, SessionsAndResumptionOfOlderClientsAreIgnored) {
  start();
  const Json request = stateless_request("tools/list");
  Headers headers = mirroring(request);
  headers.emplace_back("MCP-Session-Id", "whatever");
  headers.emplace_back("Last-Event-ID", "1-1");
  const SeenExchange exchange = post(request.dump(), headers);
  EXPECT_EQ(exchange.status, 200);
  EXPECT_FALSE(transport::find_header(exchange.headers, "MCP-Session-Id"));
  const Headers version = {{"MCP-Protocol-Version", "2026-07-28"}};
  EXPECT_EQ(other("GET", version).status, 405);
  EXPECT_EQ(other("DELETE", version).status, 405);
}

TEST_F(StatelessHttpTest, AnswersWithJsonAloneRefuseToo) {
  start({.answers = HttpServerOptions::Answers::kJson});
  EXPECT_EQ(refusal(ask("no/such"), 404), -32601);
}

TEST_F(StatelessHttpTest, AServerWithoutHandshakeHasNothingOfIt) {
  HttpServerOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  start(options, {}, stateless_only());
  EXPECT_EQ(other("GET").status, 405);
  EXPECT_EQ(other("DELETE").status, 405);
  EXPECT_EQ(other("GET", {}, "/sse").status, 404);
  EXPECT_EQ(refusal(begin(), 400), -32020);
  EXPECT_NE(begin().body.find("this server speaks 2026-07-28"), std::string::npos);
  EXPECT_EQ(ask("server/discover").status, 200);
}

TEST_F(StatelessHttpTest, BothErasAreServedAtOneEndpoint) {
  start();
  EXPECT_EQ(begin("2025-11-25").status, 200);
  EXPECT_EQ(ask("server/discover").status, 200);  // beside the session's id
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "2025-11-25"}}).status, 200);
}

TEST_F(StatelessHttpTest, AProbeOfAnEraThatIsNotSpokenSaysSo) {
  HttpServerOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  Options handshake;
  handshake.stateless_revisions.clear();
  start(options, {}, handshake);
  const SeenExchange exchange = ask("server/discover");
  EXPECT_EQ(exchange.status, 400);
  EXPECT_NE(error_code(exchange.json()), -32022);
}

TEST_F(StatelessHttpTest, ANotificationIsAccepted) {
  start();
  const SeenExchange exchange =
      post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
           {{"MCP-Protocol-Version", "2026-07-28"}});
  EXPECT_EQ(exchange.status, 202);
  EXPECT_EQ(exchange.body, "");
}

TEST_F(StatelessHttpTest, AStreamCarriesOneRequestAndEnds) {
  start();
  Json params = calling("test_tool_with_logging");
  params["_meta"][kLogLevelKey] = "info";
  const SeenExchange exchange = ask("tools/call", params);
  EXPECT_EQ(exchange.type(), "text/event-stream");
  EXPECT_EQ(transport::find_header(exchange.headers, "X-Accel-Buffering"), "no");
  const std::vector<Json> messages = exchange.messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0]["method"], "notifications/message");
  EXPECT_EQ(messages[3]["id"], 7);
  for (const wire::SseEvent& event : exchange.events) EXPECT_FALSE(event.id.has_value());
}

TEST_F(StatelessHttpTest, AnswersInTheFormThatItIsToldTo) {
  HttpServerOptions options;
  options.answers = HttpServerOptions::Answers::kSse;
  start(options);
  EXPECT_EQ(ask("tools/list").type(), "text/event-stream");
  EXPECT_EQ(ask("no/such").type(), "application/json");
  const Json slow = stateless_request("tools/call", calling("test_tool_with_progress"));
  Headers headers = mirroring(slow);
  headers.emplace_back("Accept", "application/json");
  EXPECT_EQ(post(slow.dump(), headers).type(), "application/json");
}

TEST_F(StatelessHttpTest, WhoClosesItsStreamCancels) {
  hang_up_during_call(HttpServerOptions::Answers::kAuto);
  // The only worker is free again.
  EXPECT_EQ(ask("tools/call", calling("test_tool_with_progress")).status, 200);
}

TEST_F(StatelessHttpTest, WhoDoesNotWaitForItsAnswerCancels) {
  hang_up_during_call(HttpServerOptions::Answers::kJson);
  EXPECT_EQ(ask("tools/call", calling("test_tool_with_progress")).status, 200);
}

TEST_F(StatelessHttpTest, AForeignOriginIsForbidden) {
  start();
  const Json request = stateless_request("tools/list");
  for (const char* origin : {"http://evil.example", "http://localhost.evil.example", "null"}) {
    Headers headers = mirroring(request);
    headers.emplace_back("Origin", origin);
    EXPECT_EQ(post(request.dump(), headers).status, 403) << origin;
  }
}

}  // namespace
}  // namespace assay::server
