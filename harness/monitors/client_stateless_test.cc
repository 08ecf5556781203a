// What monitors say of clients whose requests stand alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using testing::Contains;

constexpr std::string_view kHeaders = "client_header_monitor";

std::string request(std::int64_t id, std::string_view method, Json params = nullptr) {
  return wire::encode(
      wire::make_request(wire::Id::of(id), method, Traffic::stateless(std::move(params))));
}

class ClientHeaders : public testing::Test {
 protected:
  ClientHeaders() { traffic_.of_client(); }

  // A request and a result to it.
  void ask(std::string_view method, const Json& params, transport::Headers headers,
           const Json& result = Json::object()) {
    headers.emplace_back("MCP-Protocol-Version", "2026-07-28");
    const std::int64_t id = ++last_;
    HttpExchange(traffic_, static_cast<std::uint64_t>(id))
        .request("POST", request(id, method, params), std::move(headers))
        .head(200, HttpExchange::kJson)
        .body(wire::encode(wire::make_result(wire::Id::of(id), result)));
  }
  void list(const Json& properties) {
    const Json tool = {{"name", "query"},
                       {"inputSchema", {{"type", "object"}, {"properties", properties}}}};
    ask("tools/list", nullptr, {{"Mcp-Method", "tools/list"}},
        {{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}, {"tools", {tool}}});
  }
  void call(const Json& arguments, transport::Headers headers) {
    headers.insert(headers.begin(), {{"Mcp-Method", "tools/call"}, {"Mcp-Name", "query"}});
    ask("tools/call", {{"name", "query"}, {"arguments", arguments}}, std::move(headers));
  }
  Rules broken_by_call(const Json& value, const char* header) {
    list({{"text", {{"type", "string"}, {"x-mcp-header", "Text"}}}});
    transport::Headers headers;
    if (header != nullptr) headers.emplace_back("mcp-param-text", header);
    call(value.is_null() ? Json::object() : Json{{"text", value}}, std::move(headers));
    return traffic_.broken(kHeaders);
  }

  Traffic traffic_{Revision::v2026_07_28, TransportKind::kHttp};
  std::int64_t last_ = 0;
};

const Rules kMissing = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                        "http.call-parameters-inspected", "http.call-parameter-headers"};
Rules unencoded(const char* why) {
  return {"http.parameter-values-encoded", "http.call-parameters-encoded", why};
}

TEST_F(ClientHeaders, ThatSayWhatTheBodySays) {
  list({{"text", {{"type", "string"}, {"x-mcp-header", "Text"}}},
        {"count", {{"type", "integer"}, {"x-mcp-header", "Count"}}},
        {"is_big", {{"type", "boolean"}, {"x-mcp-header", "Big"}}}});
  call({{"text", " padded "}, {"count", 42}, {"is_big", nullptr}},
       {{"Mcp-Param-Text", "=?base64?IHBhZGRlZCA=?="}, {"Mcp-Param-Count", "42.0"}});
  EXPECT_EQ(traffic_.broken(), Rules{});
  for (const char* rule :
       {"http.metadata-headers", "http.call-headers-appended", "http.call-headers-extracted",
        "http.parameter-headers-mirrored", "http.parameter-header-omitted",
        "http.unsafe-value-base64", "http.base64-markers-exact", "tools.header-integer-safe"}) {
    EXPECT_THAT(traffic_.held(kHeaders), Contains(rule));
  }
}

TEST_F(ClientHeaders, ThatLackAParameter) {
  EXPECT_EQ(broken_by_call("eu", nullptr), kMissing);
}
TEST_F(ClientHeaders, ThatSayAnotherValue) {
  EXPECT_EQ(broken_by_call("eu", "us"), kMissing);
}
TEST_F(ClientHeaders, ThatRepeatWhatIsAbsent) {
  EXPECT_EQ(broken_by_call(nullptr, "null"),
            (Rules{"http.parameter-header-omitted", "http.call-parameters-inspected"}));
}
TEST_F(ClientHeaders, ThatHoldAValueAsItIs) {
  EXPECT_EQ(broken_by_call("Gr\u00fczi", "Gr\u00fczi"), unencoded("http.unsafe-value-base64"));
}
TEST_F(ClientHeaders, ThatHoldAValueInOneByteForEachCharacter) {
  EXPECT_EQ(broken_by_call("Gr\u00fczi", "Gr\xfczi"), unencoded("http.unsafe-value-base64"));
}
TEST_F(ClientHeaders, ThatLoseBlanksOnTheWay) {
  EXPECT_EQ(broken_by_call(" padded ", "padded"), unencoded("http.unsafe-value-base64"));
}
TEST_F(ClientHeaders, ThatLookEncodedAndAreNot) {
  EXPECT_EQ(broken_by_call("=?base64?literal?=", "=?base64?literal?="),
            unencoded("http.sentinel-like-value-base64"));
}
TEST_F(ClientHeaders, WhoseMarksAreInCapitals) {
  EXPECT_EQ(broken_by_call(" a", "=?BASE64?IGE=?="), Rules{"http.base64-markers-exact"});
}
// It may be encoded, or not.
TEST_F(ClientHeaders, WithATabInside) {
  EXPECT_EQ(broken_by_call("a\tb", "a\tb"), Rules{});
}
// What has no need of Base64 may stand in it.
TEST_F(ClientHeaders, WithPlainTextInBase64) {
  EXPECT_EQ(broken_by_call("eu", "=?base64?ZXU=?="), Rules{});
}
// A field without a value may get lost.
TEST_F(ClientHeaders, OfAnEmptyText) {
  EXPECT_EQ(broken_by_call("", nullptr), Rules{});
}

TEST_F(ClientHeaders, OfToolsThatNobodyListed) {
  call({{"text", "eu"}}, {});
  EXPECT_EQ(traffic_.broken(), Rules{});
}
TEST_F(ClientHeaders, OfToolsThatAreToBeLeftOut) {
  list({{"text", {{"type", "number"}, {"x-mcp-header", "Text"}}}});
  call({{"text", 1}}, {});
  EXPECT_EQ(traffic_.broken(kHeaders), Rules{});
}

TEST_F(ClientHeaders, OfIntegersThatNoNumberHolds) {
  list({{"count", {{"type", "integer"}, {"x-mcp-header", "Count"}}}});
  call({{"count", 9007199254740992}}, {{"Mcp-Param-Count", "9007199254740992"}});
  EXPECT_EQ(traffic_.broken(kHeaders), Rules{"tools.header-integer-safe"});
}

TEST_F(ClientHeaders, ThatLackANameOrAMethod) {
  const Json params = {{"name", "query"}};
  ask("tools/call", params, {{"Mcp-Method", "tools/call"}});
  EXPECT_EQ(traffic_.broken(kHeaders),
            (Rules{"http.metadata-headers", "http.call-headers-appended"}));
  EXPECT_THAT(traffic_.broken("client_request_monitor"), Contains("http.standard-headers"));
}

TEST_F(ClientHeaders, ThatNameAnother) {
  ask("tools/call", {{"name", "query"}}, {{"Mcp-Method", "tools/call"}, {"Mcp-Name", "other"}});
  EXPECT_EQ(traffic_.broken(kHeaders), Rules{"http.call-headers-extracted"});
}

TEST_F(ClientHeaders, ThatNameSomethingAsItIs) {
  const std::string uri = "file:///Gr\u00fczi";
  ask("resources/read", {{"uri", uri}}, {{"Mcp-Method", "resources/read"}, {"Mcp-Name", uri}});
  EXPECT_EQ(traffic_.broken(), Rules{"http.name-header-encoded"});
}

TEST_F(ClientHeaders, OfMessagesThatAreNotPosted) {
  HttpExchange(traffic_, 1).request("PUT", request(1, "tools/list")).head(405);
  EXPECT_EQ(traffic_.broken(kHeaders), Rules{"http.post-method"});
}

TEST_F(ClientHeaders, OfSeveralMessagesInOneBody) {
  HttpExchange(traffic_, 1)
      .request("POST", "[" + request(1, "tools/list") + "," + request(2, "tools/list") + "]",
               {{"MCP-Protocol-Version", "2026-07-28"}})
      .head(400);
  EXPECT_EQ(traffic_.broken(kHeaders),
            (Rules{"http.message-per-post", "http.post-body-request-or-notification"}));
}

TEST_F(ClientHeaders, OfResponses) {
  HttpExchange(traffic_, 1)
      .request("POST", R"({"jsonrpc":"2.0","id":"a","result":{}})",
               {{"MCP-Protocol-Version", "2026-07-28"}})
      .head(400);
  EXPECT_EQ(traffic_.broken(kHeaders), Rules{"http.post-body-request-or-notification"});
}

TEST_F(ClientHeaders, WithoutBothTypesInAccept) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpRequest;
  observation.speaker = transport::Party::kClient;
  observation.lane = {transport::Lane::Kind::kHttp, 1};
  observation.bytes = request(1, "tools/list");
  observation.http = transport::HttpHead{"POST", "/mcp", 0, {{"Accept", "application/json"}}};
  traffic_.saw(observation);
  EXPECT_EQ(traffic_.broken("client_http_monitor"), Rules{"http.post-accept"});
}

// What the stateless revision does not have is nothing that a client could lack.
TEST_F(ClientHeaders, OfAGetThatAnEarlierRevisionHas) {
  HttpExchange(traffic_, 1).request("GET").head(405);
  list(Json::object());
  EXPECT_EQ(traffic_.broken(), Rules{});
}

TEST(ClientMeta, ItsTracesAndExtensions) {
  constexpr std::string_view kMetas = "meta_value_monitor";
  Traffic traffic(Revision::v2026_07_28);
  traffic.of_client().declares({{"extensions", {{"com.example/ui", Json::object()}}}});
  traffic.asks("tools/list", {{"_meta", {{"baggage", "a=b"}}}});
  EXPECT_EQ(traffic.broken(), Rules{});
  EXPECT_EQ(traffic.held(kMetas),
            (Rules{"meta.trace-context-format", "versioning.extension-identifier"}));
  traffic.declares({{"extensions", {{"ui", Json::object()}}}});
  traffic.asks("tools/list", {{"_meta", {{"traceparent", "00"}}}});
  EXPECT_EQ(traffic.broken(kMetas),
            (Rules{"meta.trace-context-format", "versioning.extension-identifier"}));
}

TEST(ClientCancellation, OfARequestWhoseAnswerHasBeenRead) {
  constexpr std::string_view kCancellation = "cancellation_monitor";
  const auto cancels = [](Traffic& traffic, std::int64_t id) {
    traffic.sent(
        wire::encode(wire::make_notification("notifications/cancelled", {{"requestId", id}})));
  };
  const Json page = {{"resultType", "complete"},
                     {"ttlMs", 0},
                     {"cacheScope", "private"},
                     {"tools", Json::array()},
                     {"nextCursor", "c1"}};
  Traffic crossing(Revision::v2026_07_28);
  crossing.of_client().exchange("tools/list", nullptr, page);
  cancels(crossing, 1);
  EXPECT_EQ(crossing.broken(), Rules{});
  Traffic late(Revision::v2026_07_28);
  late.of_client().exchange("tools/list", nullptr, page);
  late.asks("tools/list", {{"cursor", "c1"}});
  cancels(late, 1);
  EXPECT_EQ(late.broken(kCancellation), Rules{"cancellation.still-in-progress"});
  Traffic strange(Revision::v2026_07_28);
  strange.of_client().asks("tools/list");
  cancels(strange, 1);
  EXPECT_EQ(strange.broken(), Rules{});
  EXPECT_THAT(strange.held(kCancellation), Contains("cancellation.same-direction"));
  cancels(strange, 9);
  EXPECT_EQ(strange.broken(kCancellation), Rules{"cancellation.same-direction"});
}

}  // namespace
}  // namespace assay::harness
