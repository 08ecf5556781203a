#include "harness/script/mirrored_headers.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

Json call(const Json& arguments) {
  return {{"jsonrpc", "2.0"},
          {"id", 1},
          {"method", "tools/call"},
          {"params",
           {{"name", "query"},
            {"arguments", arguments},
            {"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}}}};
}

std::string text_of(const transport::Headers& headers) {
  std::string text;
  for (const auto& [name, value] : headers) text += name + "=" + value + ";";
  return text;
}

TEST(MirroredHeaders, NamesMethodVersionAndWhatIsMeant) {
  EXPECT_EQ(text_of(mirrored_headers(call(Json::object()), {})),
            "MCP-Protocol-Version=2026-07-28;Mcp-Method=tools/call;Mcp-Name=query;");
  EXPECT_EQ(
      text_of(mirrored_headers({{"method", "resources/read"}, {"params", {{"uri", "a:b"}}}}, {})),
      "Mcp-Method=resources/read;Mcp-Name=a:b;");
  EXPECT_EQ(text_of(mirrored_headers({{"method", "tools/list"}}, {})), "Mcp-Method=tools/list;");
}

TEST(MirroredHeaders, RepeatsWhatTheToolSays) {
  MirroredParameters parameters;
  const Json region = {{"type", "string"}, {"x-mcp-header", "Region"}};
  const Json count = {{"type", "integer"}, {"x-mcp-header", "Count"}};
  parameters.note({{"tools",
                    {{{"name", "query"},
                      {"inputSchema",
                       {{"properties",
                         {{"region", region},
                          {"deep", {{"properties", {{"count", count}}}}},
                          {"list", {{"items", count}}}}}}}}}}});
  ASSERT_NE(parameters.of("query"), nullptr);
  EXPECT_EQ(parameters.of("query")->size(), 2u);
  EXPECT_EQ(parameters.of("other"), nullptr);
  const std::string standard =
      "MCP-Protocol-Version=2026-07-28;Mcp-Method=tools/call;Mcp-Name=query;";
  EXPECT_EQ(
      text_of(mirrored_headers(call({{"region", "é"}, {"deep", {{"count", -7}}}}), parameters)),
      standard + "Mcp-Param-Count=-7;Mcp-Param-Region==?base64?w6k=?=;");
  EXPECT_EQ(text_of(mirrored_headers(call({{"region", nullptr}, {"deep", 1}}), parameters)),
            standard);
  parameters.note({{"tools", {{{"name", "query"}, {"inputSchema", Json::object()}}}}});
  EXPECT_EQ(parameters.of("query"), nullptr);
}

}  // namespace
}  // namespace assay::harness
