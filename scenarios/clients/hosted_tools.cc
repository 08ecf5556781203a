#include "scenarios/clients/hosted_tools.h"

#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using harness::member;
using harness::text_member;

Json hosted_tool(const std::string& name, const std::string& description, Json input_schema) {
  if (input_schema.is_null()) {
    input_schema = {{"type", "object"}, {"properties", Json::object()}};
  }
  return {{"name", name}, {"description", description}, {"inputSchema", std::move(input_schema)}};
}

void list_only(const std::vector<Json>& tools, Json& result) {
  result["tools"] = tools;
  result.erase("nextCursor");
}

void list_little(const wire::Message& request, Json& result) {
  if (request.method() != "tools/list") return;
  list_only({hosted_tool("test_simple_text", "Answers with a text")}, result);
}

Json text_result(const wire::Message& request, const std::string& text) {
  Json result = {{"content", {{{"type", "text"}, {"text", text}}}}};
  const Json& meta = member(request.params(), "_meta");
  if (meta.is_object() && meta.contains("io.modelcontextprotocol/protocolVersion")) {
    result["resultType"] = "complete";
  }
  return result;
}

Json done_result(const wire::Message& request) {
  Json result = text_result(request, "Done");
  if (request.method() == "tools/call") return result;
  result.erase("content");
  if (request.method() == "prompts/get") {
    result["messages"] = Json::array();
  } else {
    result.update({{"contents", Json::array()}, {"ttlMs", 0}, {"cacheScope", "private"}});
  }
  return result;
}

std::string called_tool(const wire::Message& request) {
  return std::string(text_member(request.params(), "name"));
}

}  // namespace assay::scenarios
