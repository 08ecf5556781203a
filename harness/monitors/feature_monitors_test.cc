// The monitors of what servers offer and ask for on hand-made transcripts: each with what it lets
// pass, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

const Json kAnyObject = {{"type", "object"}};

Json tool(Json name, Json input_schema = kAnyObject) {
  return {{"name", std::move(name)}, {"inputSchema", std::move(input_schema)}};
}

Json listed(Json tools) {
  return {{"tools", std::move(tools)}};
}

TEST(ToolNamesMonitor, TellsGoodNamesFromOthers) {
  Traffic good;
  good.exchange("tools/list", nullptr, listed({tool("a_b-c.1"), tool("b")}));
  EXPECT_THAT(good.broken("tool_names_monitor"), IsEmpty());
  EXPECT_THAT(good.held("tool_names_monitor"), Contains("tools.name-unique"));
  // Fifty characters are not too many, however many bytes they take.
  std::string foreign;
  for (int i = 0; i < 50; ++i) foreign += "\xe5\xb7\xa5";
  Traffic in_other_letters;
  in_other_letters.exchange("tools/list", nullptr, listed({tool(foreign)}));
  EXPECT_FALSE(in_other_letters.broken("tool_names_monitor").contains("tools.name-length"));
  Traffic bad;
  bad.exchange("tools/list", nullptr,
               listed({tool("a b"), tool("twin"), tool("twin"), tool(std::string(129, 'a'))}));
  EXPECT_EQ(bad.broken("tool_names_monitor"),
            (Rules{"tools.name-characters", "tools.name-without-special-characters",
                   "tools.name-unique", "tools.name-length"}));
}

class StructuredContent : public ::testing::Test {
 protected:
  Rules broken_by(const Json& result) {
    Json weather = tool("weather");
    weather["outputSchema"] = {{"type", "object"},
                               {"properties", {{"celsius", {{"type", "number"}}}}},
                               {"required", Json::array({"celsius"})}};
    Traffic traffic;
    traffic.exchange("tools/list", nullptr, listed(Json::array({weather})));
    traffic.exchange("tools/call", {{"name", "weather"}}, result);
    return traffic.broken("structured_content_monitor");
  }
  static Json text(const char* words) { return Json::array({{{"type", "text"}, {"text", words}}}); }
};

TEST_F(StructuredContent, LetsWhatConformsPass) {
  EXPECT_THAT(broken_by({{"content", text(R"({ "celsius": 21.5 })")},
                         {"structuredContent", {{"celsius", 21.5}}}}),
              IsEmpty());
  EXPECT_THAT(broken_by({{"content", text("It failed")}, {"isError", true}}), IsEmpty());
}

TEST_F(StructuredContent, SeesWhatDoesNotConformIsMissingOrNotRepeated) {
  EXPECT_EQ(broken_by({{"content", text(R"({"celsius":"warm"})")},
                       {"structuredContent", {{"celsius", "warm"}}}}),
            Rules{"tools.structured-content-conforms"});
  EXPECT_EQ(broken_by({{"content", text("warm")}}), Rules{"tools.structured-content-conforms"});
  EXPECT_EQ(broken_by({{"content", text("warm")}, {"structuredContent", {{"celsius", 21.5}}}}),
            Rules{"tools.structured-content-as-text"});
}

// A schema whose keywords only 2020-12 has, with references by name, and a part that nobody can
// read.
TEST(StructuredContentMonitor, JudgesByEveryKeywordOf2020_12) {
  const Json schema = Json::parse(R"({
      "type": "object", "$dynamicAnchor": "node",
      "properties": {
        "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false},
        "child": {"$dynamicRef": "#node"}, "size": {"$ref": "#count"}, "other": {"$ref": "other.json"},
        "words": {"contains": {"type": "string"}, "minContains": 2, "unevaluatedItems": false}},
      "dependentRequired": {"pair": ["size"]},
      "dependentSchemas": {"words": {"properties": {"total": {"multipleOf": 0.1}}}},
      "unevaluatedProperties": false,
      "$defs": {"count": {"$anchor": "count", "type": "integer", "minimum": 0}}})");
  const auto show = [&schema](Traffic& traffic, const Json& structured) {
    Json weather = tool("weather");
    weather["outputSchema"] = schema;
    traffic.exchange("tools/list", nullptr, listed(Json::array({weather})));
    traffic.exchange("tools/call", {{"name", "weather"}},
                     {{"content", Json::array({{{"type", "text"}, {"text", structured.dump()}}})},
                      {"structuredContent", structured}});
  };
  const auto held_by = [&](const char* structured) {
    Traffic traffic;
    show(traffic, Json::parse(structured));
    return traffic.held("structured_content_monitor");
  };
  const auto broken_by = [&](const char* structured) {
    Traffic traffic;
    show(traffic, Json::parse(structured));
    return traffic.broken("structured_content_monitor");
  };
  const char* const kConforms = "tools.structured-content-conforms";
  EXPECT_THAT(held_by(R"({"pair": ["a", 1], "size": 2, "child": {"size": 0}})"),
              Contains(kConforms));
  EXPECT_THAT(held_by(R"({"words": ["a", "b"], "total": 0.3})"), Contains(kConforms));
  for (const char* const bad :
       {R"({"pair": [1, "a"], "size": 2})", R"({"pair": ["a"]})", R"({"size": -1})",
        R"({"child": {"child": {"size": "much"}}})", R"({"words": ["a"]})",
        R"({"words": ["a", "b", 3]})", R"({"words": ["a", "b"], "total": 0.35})", R"({"total": 1})",
        R"({"other": 1, "size": "much"})"}) {
    EXPECT_EQ(broken_by(bad), Rules{kConforms}) << bad;
  }
  // It hangs on what stands elsewhere.
  EXPECT_THAT(held_by(R"({"other": 1})"), Not(Contains(kConforms)));
  EXPECT_THAT(broken_by(R"({"other": 1})"), IsEmpty());
}

TEST(JsonSchemaMonitor, TellsSchemasFromOthers) {
  Traffic good;
  good.exchange("tools/list", nullptr, listed(Json::array({tool("a")})));
  EXPECT_THAT(good.broken("json_schema_monitor"), IsEmpty());
  EXPECT_EQ(good.held("json_schema_monitor"),
            (Rules{"json-schema.valid", "json-schema.2020-12-used"}));
  Traffic bad;
  bad.exchange("tools/list", nullptr,
               listed({tool("a", {{"type", "object"}, {"properties", {{"a", {{"type", 5}}}}}}),
                       tool("b", {{"type", "object"},
                                  {"$schema", "http://json-schema.org/draft-07/schema#"}})}));
  EXPECT_EQ(bad.broken("json_schema_monitor"),
            (Rules{"json-schema.valid", "json-schema.2020-12-used"}));
}

TEST(JsonSchemaMonitor, TakesASchemaWithoutDialectForOneOf2020_12) {
  const auto judged = [](const char* schema) {
    Traffic traffic;
    traffic.exchange("tools/list", nullptr, listed(Json::array({tool("a", Json::parse(schema))})));
    return traffic.broken("json_schema_monitor");
  };
  EXPECT_EQ(judged(R"({"type": "object", "properties": {"a": {"items": [{}]}}})"),
            Rules{"json-schema.valid"});
  EXPECT_EQ(judged(R"({"type": "object", "required": ["a", "a"]})"), Rules{"json-schema.valid"});
  EXPECT_THAT(judged(R"({"type": "object", "properties": {"a": {"prefixItems": [{}]}},
                         "unevaluatedProperties": false, "dependentSchemas": {"a": true}})"),
              IsEmpty());
}

TEST(SchemaMonitor, TellsFormsFromOthers) {
  Traffic good;
  good.handshake().exchange("ping", nullptr, Json::object());
  good.notified("notifications/message", {{"level", "info"}, {"data", 1}});
  EXPECT_THAT(good.broken("schema_monitor"), IsEmpty());
  EXPECT_THAT(good.held("schema_monitor"),
              IsSupersetOf(Rules{"schema.initialize-result", "ping.empty-result",
                                 "schema.server-notifications"}));
  Traffic bad;
  bad.exchange("ping", nullptr, {{"pong", true}});
  bad.exchange("tools/list", nullptr, listed(Json::array({{{"name", 5}}})));
  bad.notified("notifications/message", {{"level", "loud"}, {"data", 1}});
  bad.asked("sampling/createMessage", Json::object());
  EXPECT_THAT(bad.broken("schema_monitor"),
              IsSupersetOf(Rules{"ping.empty-result", "schema.tools-list-result",
                                 "schema.server-notifications", "schema.server-requests"}));
}

Json prompt_of(const Json& content) {
  return {{"messages", Json::array({{{"role", "user"}, {"content", content}}})}};
}

TEST(PromptContentMonitor, TellsSoundContentFromOther) {
  Traffic good;
  good.exchange("prompts/get", {{"name", "a"}},
                prompt_of({{"type", "image"}, {"data", "AAAA"}, {"mimeType", "image/png"}}));
  good.exchange(
      "prompts/get", {{"name", "a"}},
      prompt_of({{"type", "resource"},
                 {"resource", {{"uri", "test://a"}, {"mimeType", "text/plain"}, {"text", "a"}}}}));
  EXPECT_THAT(good.broken("prompt_content_monitor"), IsEmpty());
  EXPECT_THAT(good.held("prompt_content_monitor"), Contains("prompts.embedded-contents"));
  Traffic bad;
  bad.exchange("prompts/get", {{"name", "a"}},
               prompt_of({{"type", "image"}, {"data", "no base64!"}, {"mimeType", "image/png"}}));
  bad.exchange("prompts/get", {{"name", "a"}},
               prompt_of({{"type", "audio"}, {"data", "AAAA"}, {"mimeType", "loud"}}));
  bad.exchange("prompts/get", {{"name", "a"}},
               prompt_of({{"type", "resource"}, {"resource", {{"uri", "a b"}}}}));
  EXPECT_EQ(bad.broken("prompt_content_monitor"),
            (Rules{"prompts.image-encoded", "prompts.audio-encoded", "prompts.embedded-uri-valid",
                   "prompts.embedded-mime-type", "prompts.embedded-contents"}));
}

TEST(PromptContentMonitor, TellsMimeTypesByWhatTheMediaCanBe) {
  const auto broken_by = [](const char* type, const char* mime) {
    Traffic traffic;
    traffic.exchange("prompts/get", {{"name", "a"}},
                     prompt_of({{"type", type}, {"data", "AAAA"}, {"mimeType", mime}}));
    return traffic.broken("prompt_content_monitor");
  };
  for (const char* mime : {"image/svg+xml", "IMAGE/PNG", "image/png ; q=1", "application/pdf"}) {
    EXPECT_THAT(broken_by("image", mime), IsEmpty()) << mime;
  }
  for (const char* mime : {"image/ png", " image/png", "image/", "text/plain", "audio/wav"}) {
    EXPECT_EQ(broken_by("image", mime), Rules{"prompts.image-encoded"}) << mime;
  }
  EXPECT_THAT(broken_by("audio", "application/ogg"), IsEmpty());
  EXPECT_EQ(broken_by("audio", "text/plain"), Rules{"prompts.audio-encoded"});
}

TEST(ResourceUriMonitor, TellsUrisFromOthers) {
  Traffic good;
  good.handshake({{"resources", Json::object()}});
  good.exchange("resources/list", nullptr,
                {{"resources", Json::array({{{"uri", "test://a%20b"}, {"name", "a"}}})}});
  EXPECT_THAT(good.broken("resource_uri_monitor"), IsEmpty());
  EXPECT_THAT(good.held("resource_uri_monitor"), Contains("resources.custom-scheme-rfc3986"));
  Traffic bad;
  bad.handshake();
  bad.exchange("resources/list", nullptr,
               {{"resources", Json::array({{{"uri", "test://a b"}, {"name", "a"}}})}});
  bad.exchange(
      "tools/call", {{"name", "a"}},
      {{"content",
        Json::array({{{"type", "resource"}, {"resource", {{"uri", "test://a"}, {"text", ""}}}}})}});
  EXPECT_EQ(bad.broken("resource_uri_monitor"),
            (Rules{"resources.custom-scheme-rfc3986", "tools.embedding-declares-resources"}));
}

Json said(const char* role, Json content) {
  return {{"role", role}, {"content", std::move(content)}};
}
const Json kUse = {{"type", "tool_use"}, {"id", "u"}, {"name", "add"}, {"input", Json::object()}};

Json result_of(const char* id, const Json& structured) {
  return {{"type", "tool_result"},
          {"toolUseId", id},
          {"content", Json::array()},
          {"structuredContent", structured}};
}

Json sampling_with(Json messages) {
  return {{"messages", std::move(messages)},
          {"maxTokens", 1},
          {"tools", Json::array({{{"name", "add"},
                                  {"inputSchema", kAnyObject},
                                  {"outputSchema",
                                   {{"type", "object"}, {"required", Json::array({"sum"})}}}}})}};
}

TEST(SamplingMonitor, LetsToolUsesAndTheirResultsPass) {
  Traffic traffic;
  traffic.handshake(Json::object(), {{"sampling", {{"tools", Json::object()}}}});
  traffic.asked(
      "sampling/createMessage",
      sampling_with({said("assistant", kUse), said("user", result_of("u", {{"sum", 7}}))}));
  EXPECT_THAT(traffic.broken("sampling_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("sampling_monitor"),
              IsSupersetOf(Rules{"sampling.tool-result-conforms", "sampling.tool-use-answered"}));
}

TEST(SamplingMonitor, SeesResultsAgainstTheirSchemaAndToolsUndeclared) {
  Traffic traffic;
  traffic.handshake(Json::object(), {{"sampling", Json::object()}});
  Json params =
      sampling_with({said("assistant", kUse), said("user", result_of("u", {{"product", 7}}))});
  params["includeContext"] = "thisServer";
  traffic.asked("sampling/createMessage", params);
  EXPECT_EQ(traffic.broken("sampling_monitor"),
            (Rules{"sampling.tool-result-conforms", "sampling.tools-only-if-declared",
                   "sampling.context-values-avoided", "sampling.context-only-if-declared"}));
}

TEST(SamplingMonitor, ReadsWhatTheClientDeclaredFromTheInitializeThatWasAccepted) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"none",
      "capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");
  traffic.came(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such version"}})");
  traffic.handshake(Json::object(), {{"sampling", {{"tools", Json::object()}}}});
  traffic.asked(
      "sampling/createMessage",
      sampling_with({said("assistant", kUse), said("user", result_of("u", {{"sum", 7}}))}));
  EXPECT_THAT(traffic.broken("sampling_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("sampling_monitor"), Contains("sampling.tools-only-if-declared"));
}

TEST(SamplingMonitor, SeesResultsOfNothingAndUsesWithoutResult) {
  Traffic traffic;
  traffic.handshake(Json::object(), {{"sampling", {{"tools", Json::object()}}}});
  traffic.asked(
      "sampling/createMessage",
      sampling_with({said("user", result_of("never", Json::object())), said("assistant", kUse)}));
  EXPECT_EQ(traffic.broken("sampling_monitor"),
            (Rules{"sampling.tool-result-id", "sampling.tool-use-answered"}));
}

TEST(FreedomMonitor, NotesWhatATargetMakesUseOf) {
  Traffic traffic;
  traffic.handshake();
  traffic.notified("notifications/message", {{"level", "info"}, {"data", 1}});
  traffic.exchange("tools/call", {{"name", "a"}, {"_meta", {{"progressToken", 1}}}},
                   {{"content", Json::array({{{"type", "resource_link"}, {"uri", "a:b"}}})}});
  traffic.notified("notifications/progress", {{"progressToken", 1}, {"progress", 1}});
  EXPECT_EQ(traffic.held("freedom_monitor"),
            (Rules{"jsonrpc.result-any-object", "logging.default-level-free",
                   "progress.notification-content", "progress.total-omitted",
                   "tools.resource-links-returned"}));
  EXPECT_THAT(traffic.broken("freedom_monitor"), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
