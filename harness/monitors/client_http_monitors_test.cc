// What the monitors of HTTP say of clients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
const std::string kInitializeResult =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";
const std::string kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
const std::string kListed = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})";

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
  EXPECT_EQ(traffic_.held(kHttp),
            (Rules{"http.message-per-post", "http.post-accept", "http.post-body-single",
                   "http.post-method", "http.session-id-sent", "http.version-header",
                   "http.version-header-negotiated"}));
}

TEST_F(ClientHttpMonitors, HowMessagesArePosted) {
  begin();
  exchange(3).request("PUT", kList, kBoth).head(405);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.post-method"});
  exchange(4).request("POST", kList + "\n" + kList, kBoth).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), (Rules{"http.message-per-post", "http.post-method"}));
  exchange(5).request("POST", "[" + kList + "]", kBoth).head(400);
  EXPECT_EQ(traffic_.broken(kHttp),
            (Rules{"http.message-per-post", "http.post-body-single", "http.post-method"}));
  EXPECT_TRUE(traffic_.broken("json_rpc_monitor").contains("schema.no-batches"));
}

// A body that is not a message may have several lines, and may be sent with any method.
TEST_F(ClientHttpMonitors, ABodyThatIsNoMessage) {
  begin();
  exchange(3).request("PUT", "hello", kBoth).head(405);
  exchange(4).request("POST", "hello\nworld", kBoth).head(400);
  exchange(5).request("POST", "{\n\"jsonrpc\":\"2.0\"", kBoth).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{});
}

TEST_F(ClientHttpMonitors, BatchesOfOneKind) {
  Traffic traffic(model::Revision::v2025_03_26, TransportKind::kHttp);
  traffic.of_client();
  const std::string answer = R"({"jsonrpc":"2.0","id":9,"result":{}})";
  HttpExchange(traffic, 1).request("POST", "[" + kList + "," + kList + "]").head(200);
  HttpExchange(traffic, 2).request("POST", "[" + answer + "," + answer + "]").head(202);
  EXPECT_EQ(traffic.broken(kHttp), Rules{});
  HttpExchange(traffic, 3).request("POST", "[" + kList + "," + answer + "]").head(200);
  EXPECT_EQ(traffic.broken(kHttp), Rules{"http.post-body-forms"});
}

// A version that does not exist was not negotiated, so no request can name it.
TEST_F(ClientHttpMonitors, NoFieldIsMissedForAVersionThatDoesNotExist) {
  traffic_.of_client();
  std::string answer(kInitializeResult);
  answer.replace(answer.find("2025-11-25"), 10, "1999-12-31");
  exchange(1)
      .request("POST", kInitialize)
      .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
      .body(answer);
  exchange(2).request("DELETE", "", {{"Mcp-Session-Id", "s1"}}).head(200);
  EXPECT_EQ(traffic_.broken(), Rules{});
}

// Who cannot speak the version that was answered looks for the older transport.
TEST_F(ClientHttpMonitors, AStreamOfTheOlderTransportBelongsToNoSession) {
  traffic_.of_client();
  exchange(1)
      .request("POST", kInitialize)
      .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
      .body(kInitializeResult);
  exchange(3).request("GET", "", {{"Accept", "text/event-stream"}}).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{});
  exchange(4).request("POST", kList, kBoth).head(200, HttpExchange::kJson).body(kListed);
  exchange(5).request("GET", "", {{"Accept", "text/event-stream"}}).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.session-id-sent"});
}

// Its request for a stream was sent before initialize was answered, on a connection of its own.
TEST_F(ClientHttpMonitors, AStreamMayHaveBeenAskedForBeforeThereWasASession) {
  begin();
  const transport::Headers events = {{"Accept", "text/event-stream"}};
  exchange(3).request("GET", "", events).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.session-id-sent"});
  transport::Headers with_id = kBoth;
  with_id.insert(with_id.end(), events.begin(), events.end());
  exchange(4).request("GET", "", with_id).head(200, HttpExchange::kEvents);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{});
  exchange(5).request("GET", "", events).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.session-id-sent"});
}

// Only what follows from the answer to initialize is certain to have been sent after it.
TEST_F(ClientHttpMonitors, ARequestWithoutASessionMayHaveCrossedTheAnswer) {
  const auto needs_second_look = [&] {
    for (const Finding& finding : traffic_.findings()) {
      const bool is_it = finding.kind == Finding::Kind::kBroke &&
                         finding.requirement.text() == "http.session-id-sent";
      if (is_it) return finding.proof.needs_second_look();
    }
    ADD_FAILURE();
    return false;
  };
  traffic_.of_client();
  exchange(1)
      .request("POST", kInitialize)
      .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
      .body(kInitializeResult);
  exchange(2).request("POST", kList).head(400);
  EXPECT_TRUE(needs_second_look());
}

// A ping may be sent before initialize is answered, and come late on a connection of its own.
TEST_F(ClientHttpMonitors, APingWithoutASessionIsLateIfItsIdIsNot) {
  begin();
  const auto ping = [](int id) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id);
  };
  exchange(3).request("POST", R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})", kBoth);
  exchange(4).request("POST", ping(6)).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{});
  exchange(5).request("POST", ping(8)).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.session-id-sent"});
}

TEST_F(ClientHttpMonitors, ANotificationOfASessionNamesIt) {
  traffic_.of_client();
  exchange(1)
      .request("POST", kInitialize)
      .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
      .body(kInitializeResult);
  exchange(2)
      .request("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
      .head(400);
  for (const Finding& finding : traffic_.findings()) {
    if (finding.kind != Finding::Kind::kBroke) continue;
    EXPECT_EQ(finding.requirement.text(), "http.session-id-sent");
    EXPECT_FALSE(finding.proof.needs_second_look());
  }
}

TEST_F(ClientHttpMonitors, FieldsThatAreMissingOrSaySomethingElse) {
  begin();
  exchange(3).request("POST", kList).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{"http.session-id-sent"});
  exchange(4).request("POST", kList, {{"Mcp-Session-Id", "s1"}}).head(400);
  EXPECT_EQ(traffic_.broken(kHttp), (Rules{"http.session-id-sent", "http.version-header"}));
  exchange(5)
      .request("POST", kList, {{"Mcp-Session-Id", "s1"}, {"MCP-Protocol-Version", "2025-06-18"}})
      .head(400);
  EXPECT_TRUE(traffic_.broken(kHttp).contains("http.version-header-negotiated"));
}

TEST_F(ClientHttpMonitors, OnePostMayOvertakeAnother) {
  constexpr std::string_view kLifecycle = "client_lifecycle_monitor";
  traffic_.of_client();
  exchange(1)
      .request("POST", kInitialize)
      .head(200, HttpExchange::kJson, {{"Mcp-Session-Id", "s1"}})
      .body(kInitializeResult);
  exchange(2).request("POST", kList, kBoth).head(200, HttpExchange::kJson).body(kListed);
  EXPECT_EQ(traffic_.broken(kLifecycle), Rules{});
  exchange(3).request("POST", R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})", kBoth);
  EXPECT_EQ(traffic_.broken(kLifecycle), Rules{"lifecycle.initialized-notification"});
  exchange(4).request("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", kBoth);
  EXPECT_EQ(traffic_.broken(kLifecycle), Rules{});
}

TEST(OlderPair, LetsOnePostOvertakeAnother) {
  constexpr std::string_view kLifecycle = "client_lifecycle_monitor";
  Traffic traffic(model::Revision::v2024_11_05, TransportKind::kHttpSse);
  traffic.of_client();
  HttpExchange stream(traffic, 1);
  stream.request("GET").head(200, HttpExchange::kEvents).event("/m", std::nullopt, "endpoint");
  HttpExchange(traffic, 2).request("POST", kInitialize).head(202).closed();
  stream.event(kInitializeResult);
  HttpExchange(traffic, 3).request("POST", kList).head(202).closed();
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{});
  stream.event(kListed);
  HttpExchange(traffic, 4).request("POST", R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.initialized-notification"});
}

// It may be another client's first, or in the other era.
TEST_F(ClientHttpMonitors, ARequestOfNoSessionNeedNotBeALaterOne) {
  traffic_.of_client();
  exchange(1).request("POST", kInitialize).head(200, HttpExchange::kJson).body(kInitializeResult);
  exchange(2).request("POST", kList).head(200, HttpExchange::kJson).body(kListed);
  EXPECT_EQ(traffic_.broken(kHttp), Rules{});
}

TEST_F(ClientHttpMonitors, WhatAcceptFieldsList) {
  constexpr auto judged = [](const char* method, const transport::Headers& headers) {
    Traffic traffic(model::Revision::v2025_11_25, TransportKind::kHttp);
    traffic.of_client();
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kHttpRequest;
    observation.speaker = transport::Party::kClient;
    observation.lane = {transport::Lane::Kind::kHttp, 1};
    observation.http = transport::HttpHead{method, "/mcp", 0, headers};
    const std::string body = *method == 'P' ? kInitialize : "";
    observation.bytes = body;
    traffic.saw(observation);
    Rules held = traffic.held(kHttp);
    std::erase_if(held, [](const std::string& rule) { return !rule.ends_with("-accept"); });
    return std::pair(held, traffic.broken(kHttp));
  };
  const std::pair met(Rules{"http.post-accept"}, Rules{});
  const std::pair unmet(Rules{}, Rules{"http.post-accept"});
  const std::pair open(Rules{}, Rules{});
  EXPECT_EQ(judged("POST", {{"Accept", "Text/Event-Stream;q=0.9 , application/json"}}), met);
  EXPECT_EQ(judged("POST", {{"Accept", "application/json"}, {"accept", "text/event-stream"}}), met);
  EXPECT_EQ(judged("POST", {{"Accept", "*/*"}}), open);
  EXPECT_EQ(judged("POST", {{"Accept", "application/*, text/*;q=0.5"}}), open);
  EXPECT_EQ(judged("POST", {{"Accept", "application/*"}}), unmet);
  EXPECT_EQ(judged("POST", {{"Accept", "application/json"}}), unmet);
  EXPECT_EQ(judged("POST", {}), unmet);
  EXPECT_EQ(judged("GET", {{"Accept", "text/event-stream"}}).first, Rules{"http.get-accept"});
  EXPECT_EQ(judged("GET", {{"Accept", "text/html"}}).second, Rules{"http.get-accept"});
  EXPECT_EQ(judged("GET", {{"Accept", "text/*"}}), open);
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
