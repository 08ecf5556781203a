// The monitors of annotations, log messages, answers and `_meta` without a session on hand-made
// transcripts: each with what it lets pass, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class HeaderAnnotations : public ::testing::Test {
 protected:
  Rules broken_by(Json schema) {
    schema["type"] = "object";
    const Json tool = {{"name", "a"}, {"inputSchema", std::move(schema)}};
    Traffic traffic(Revision::v2026_07_28);
    traffic.exchange("tools/list", nullptr, cacheable({{"tools", Json::array({tool})}}));
    held_ = traffic.held("header_annotation_monitor");
    return traffic.broken("header_annotation_monitor");
  }
  Rules broken_by_property(const Json& property) {
    return broken_by({{"properties", {{"p", property}}}});
  }
  static Json named(Json name, const char* type = "string") {
    return {{"type", type}, {"x-mcp-header", std::move(name)}};
  }
  Rules held_;
};

TEST_F(HeaderAnnotations, LetsSoundOnesPass) {
  Json nullable = named("C");
  nullable["type"] = Json::array({"string", "null"});
  Json choice = named("D", "integer");
  choice["enum"] = Json::array({1, -9007199254740991});
  EXPECT_THAT(broken_by({{"properties",
                          {{"a", named("A-1")},
                           {"b", {{"type", "object"}, {"properties", {{"c", nullable}}}}},
                           {"d", choice},
                           {"x-mcp-header", {{"type", "string"}}},
                           {"e", {{"default", {{"x-mcp-header", ""}}}}}}}}),
              IsEmpty());
  EXPECT_THAT(held_, IsSupersetOf(
                         Rules{"tools.header-annotation", "tools.header-name-not-empty",
                               "tools.header-name-token", "tools.header-name-no-control-characters",
                               "tools.header-name-unique", "tools.header-on-primitives",
                               "tools.header-integer-safe", "tools.header-statically-reachable",
                               "tools.header-chain-plain", "tools.header-not-sensitive"}));
}

TEST_F(HeaderAnnotations, HoldsNamesToTokens) {
  EXPECT_EQ(broken_by_property(named("")), Rules{"tools.header-name-not-empty"});
  EXPECT_EQ(broken_by_property(named("a b")), Rules{"tools.header-name-token"});
  EXPECT_EQ(broken_by_property(named(7)), Rules{"tools.header-name-token"});
  EXPECT_EQ(broken_by_property(named("a\r\nb")),
            (Rules{"tools.header-name-token", "tools.header-name-no-control-characters"}));
  EXPECT_EQ(broken_by({{"properties", {{"a", named("Same")}, {"b", named("sAME")}}}}),
            Rules{"tools.header-name-unique"});
}

TEST_F(HeaderAnnotations, HoldsParametersToPrimitives) {
  EXPECT_EQ(broken_by_property(named("A", "number")), Rules{"tools.header-on-primitives"});
  EXPECT_EQ(broken_by_property(named("A", "object")), Rules{"tools.header-on-primitives"});
  EXPECT_THAT(broken_by_property({{"x-mcp-header", "A"}}), IsEmpty());
  Json large = named("A", "integer");
  large["default"] = 9007199254740992;
  EXPECT_EQ(broken_by_property(large), Rules{"tools.header-integer-safe"});
}

TEST_F(HeaderAnnotations, HoldsPlacesToProperties) {
  const Rules both = {"tools.header-statically-reachable", "tools.header-chain-plain"};
  const Json inner = {{"properties", {{"q", named("A")}}}};
  EXPECT_EQ(broken_by_property({{"type", "array"}, {"items", named("A")}}), both);
  EXPECT_EQ(broken_by({{"anyOf", Json::array({inner})}}), both);
  EXPECT_EQ(broken_by({{"then", inner}}), both);
  EXPECT_EQ(broken_by({{"$defs", {{"d", inner}}}}), Rules{"tools.header-statically-reachable"});
  EXPECT_EQ(broken_by({{"patternProperties", {{"^a", named("A")}}}}),
            Rules{"tools.header-statically-reachable"});
}

TEST_F(HeaderAnnotations, TellsSecretsByTheirNames) {
  EXPECT_EQ(broken_by({{"properties", {{"api_key", named("Key")}}}}),
            Rules{"tools.header-not-sensitive"});
}

constexpr std::string_view kLogs = "request_log_monitor";
const Json kLogMessage = {{"level", "info"}, {"data", "x"}};
const Json kWithLevel = {{"name", "a"}, {"_meta", {{"io.modelcontextprotocol/logLevel", "info"}}}};

TEST(RequestLogMonitor, OverStdioHoldsWhatNobodyAskedForAgainstAServer) {
  Traffic traffic(Revision::v2026_07_28);
  traffic.asks("tools/call", kWithLevel);
  traffic.notified("notifications/message", kLogMessage);
  EXPECT_THAT(traffic.held(kLogs), Contains("logging.level-requested"));
  // Whose it is, nobody can tell.
  traffic.asks("tools/call", {{"name", "b"}});
  traffic.notified("notifications/message", kLogMessage);
  EXPECT_THAT(traffic.broken(kLogs), IsEmpty());
  Traffic unasked(Revision::v2026_07_28);
  unasked.asks("tools/call", {{"name", "a"}});
  unasked.notified("notifications/message", kLogMessage);
  EXPECT_EQ(unasked.broken(kLogs), Rules{"logging.level-requested"});
}

class OverStatelessHttp : public ::testing::Test {
 protected:
  HttpExchange exchange(std::int64_t id, std::string_view method, const Json& params = nullptr,
                        transport::Headers more = {}) {
    more.emplace_back("MCP-Protocol-Version", "2026-07-28");
    HttpExchange one(traffic_, static_cast<std::uint64_t>(id));
    one.request(
        "POST",
        wire::encode(wire::make_request(wire::Id::of(id), method, Traffic::stateless(params))),
        std::move(more));
    return one;
  }
  HttpExchange stream(std::int64_t id, std::string_view method, const Json& params = nullptr) {
    HttpExchange one = exchange(id, method, params);
    one.head(200, HttpExchange::kEvents, {{"X-Accel-Buffering", "no"}});
    return one;
  }
  static std::string result(std::int64_t id, const Json& json = complete()) {
    return wire::encode(wire::make_result(wire::Id::of(id), json));
  }
  static std::string log() {
    return wire::encode(wire::make_notification("notifications/message", kLogMessage));
  }
  Traffic traffic_{Revision::v2026_07_28, TransportKind::kHttp};
};
using RequestLogOverHttp = OverStatelessHttp;
using ResponseStreamMonitorTest = OverStatelessHttp;

TEST_F(RequestLogOverHttp, LetsTheRequestsOwnStreamPass) {
  stream(1, "tools/call", kWithLevel).event(log()).event(result(1));
  EXPECT_THAT(traffic_.broken(kLogs), IsEmpty());
  EXPECT_THAT(traffic_.held(kLogs), Contains("logging.on-requesting-stream-only"));
}

TEST_F(RequestLogOverHttp, TellsAMessageThatNobodyAskedFor) {
  stream(1, "tools/call", {{"name", "a"}}).event(log());
  EXPECT_EQ(traffic_.broken(kLogs), Rules{"logging.level-requested"});
}

TEST_F(RequestLogOverHttp, TellsTheStreamsOfOthers) {
  exchange(1, "tools/call", kWithLevel);
  stream(2, "tools/call", {{"name", "b"}}).event(log());
  EXPECT_EQ(traffic_.broken(kLogs), Rules{"logging.on-requesting-stream-only"});
}

TEST_F(RequestLogOverHttp, TellsTheStreamOfASubscription) {
  Json params = {{"notifications", Json::object()}};
  params["_meta"] = kWithLevel["_meta"];
  stream(1, "subscriptions/listen", params).event(log());
  EXPECT_EQ(traffic_.broken(kLogs), Rules{"logging.on-requesting-stream-only"});
}

constexpr std::string_view kStreams = "response_stream_monitor";

TEST_F(ResponseStreamMonitorTest, LetsSoundStreamsPass) {
  stream(1, "tools/call").event(result(1)).closed();
  EXPECT_THAT(traffic_.broken(kStreams), IsEmpty());
  EXPECT_EQ(traffic_.held(kStreams),
            (Rules{"http.no-proxy-buffering", "http.stream-closed-after-response"}));
}

TEST_F(ResponseStreamMonitorTest, WantsTheHeaderForProxies) {
  exchange(1, "tools/call").head(200, HttpExchange::kEvents);
  EXPECT_EQ(traffic_.broken(kStreams), Rules{"http.no-proxy-buffering"});
}

TEST_F(ResponseStreamMonitorTest, WantsNothingBehindTheResponse) {
  stream(1, "tools/call").event(result(1)).event(log());
  EXPECT_EQ(traffic_.broken(kStreams), Rules{"http.stream-closed-after-response"});
}

TEST_F(ResponseStreamMonitorTest, WantsSessionIdsIgnored) {
  const transport::Headers id = {{"Mcp-Session-Id", "s"}};
  // A server that serves older revisions may well know it.
  exchange(1, "tools/list", nullptr, id).head(200, HttpExchange::kJson, id);
  EXPECT_THAT(traffic_.broken(kStreams), IsEmpty());
  exchange(2, "server/discover").head(200, HttpExchange::kJson).body(result(2, discovered()));
  exchange(3, "tools/list", nullptr, id).head(200, HttpExchange::kJson);
  EXPECT_EQ(traffic_.held(kStreams), Rules{"http.old-session-id-ignored"});
  exchange(4, "tools/list", nullptr, id).head(200, HttpExchange::kJson, id);
  EXPECT_EQ(traffic_.broken(kStreams), Rules{"http.old-session-id-ignored"});
}

TEST_F(ResponseStreamMonitorTest, WantsNamesThatHeadersCarry) {
  exchange(1, "prompts/list")
      .head(200, HttpExchange::kJson)
      .body(result(1, cacheable({{"prompts", Json::array({{{"name", "a b"}}})}})));
  EXPECT_EQ(traffic_.held(kStreams), Rules{"http.header-safe-names"});
  exchange(2, "prompts/list")
      .head(200, HttpExchange::kJson)
      .body(result(2, cacheable({{"prompts", Json::array({{{"name", " a"}}})}})));
  EXPECT_EQ(traffic_.broken(kStreams), Rules{"http.header-safe-names"});
}

constexpr std::string_view kMetas = "meta_value_monitor";

Json with_meta(Json meta) {
  return complete({{"_meta", std::move(meta)}});
}
const Json kInfo = {{"io.modelcontextprotocol/serverInfo", {{"name", "s"}, {"version", "1"}}}};

TEST(MetaValueMonitor, WantsTheServerNamedInAllResultsOrNone) {
  Traffic all(Revision::v2026_07_28);
  all.exchange("tools/call", nullptr, with_meta(kInfo));
  EXPECT_THAT(all.held(kMetas), Contains("meta.server-info"));
  Traffic none(Revision::v2026_07_28);
  none.exchange("tools/call", nullptr, complete());
  EXPECT_THAT(none.broken(kMetas), IsEmpty());
  EXPECT_THAT(none.held(kMetas), IsEmpty());
  Traffic some(Revision::v2026_07_28);
  some.exchange("tools/call", nullptr, with_meta(kInfo))
      .exchange("tools/call", nullptr, complete());
  EXPECT_EQ(some.broken(kMetas), Rules{"meta.server-info"});
}

TEST(MetaValueMonitor, KnowsTheFormatsOfTraces) {
  const auto broken_by = [](const char* key, Json value) {
    Traffic traffic(Revision::v2026_07_28);
    traffic.exchange("tools/call", nullptr, with_meta({{key, std::move(value)}}));
    return traffic.broken(kMetas);
  };
  const std::string ids = "0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
  EXPECT_THAT(broken_by("traceparent", "00-" + ids), IsEmpty());
  EXPECT_THAT(broken_by("traceparent", "01-" + ids + "-more"), IsEmpty());
  EXPECT_THAT(broken_by("tracestate", "a=b, c@d=e,"), IsEmpty());
  EXPECT_THAT(broken_by("baggage", "user=ada;p=1,day=2"), IsEmpty());
  for (const std::string& bad : {"00-" + ids + "-more", "ff-" + ids, std::string("00-xyz"),
                                 "00-" + std::string(32, '0') + ids.substr(32)}) {
    EXPECT_EQ(broken_by("traceparent", bad), Rules{"meta.trace-context-format"}) << bad;
  }
  EXPECT_EQ(broken_by("tracestate", "a"), Rules{"meta.trace-context-format"});
  EXPECT_EQ(broken_by("baggage", 1), Rules{"meta.trace-context-format"});
}

TEST(MetaValueMonitor, HoldsIdentifiersOfExtensionsToKeysOfMeta) {
  const auto broken_by = [](const char* identifier) {
    Traffic traffic(Revision::v2026_07_28);
    traffic.exchange("server/discover", nullptr,
                     discovered({{"extensions", {{identifier, Json::object()}}}}));
    return traffic.broken(kMetas);
  };
  EXPECT_THAT(broken_by("com.example/a_b"), IsEmpty());
  for (const char* bad : {"tasks", "/tasks", "1com.example/a", "com.example/a b", "com./a"}) {
    EXPECT_EQ(broken_by(bad), Rules{"versioning.extension-identifier"}) << bad;
  }
}

}  // namespace
}  // namespace assay::harness
