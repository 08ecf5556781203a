#include "reference/server/offered_tool.h"

#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/tools.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

Json look_up(const Json& use) {
  const Json answer = {{"length", string_member(member(use, "input"), "word").value_or("").size()}};
  return {{"type", "tool_result"},
          {"toolUseId", string_member(use, "id").value_or("")},
          {"content", Json::array({text_content(wire::encode(answer))})},
          {"structuredContent", answer}};
}

}  // namespace

Json offered_tool() {
  return {{"name", "look_up"},
          {"description", "Tells the length of a word"},
          {"inputSchema", required_arguments({{"word", {{"type", "string"}}}})},
          {"outputSchema", required_arguments({{"length", {{"type", "integer"}}}})}};
}

Json tool_results(const Json& said) {
  const Json content = said.value("content", Json(nullptr));
  Json results = Json::array();
  for (const Json& block : content.is_array() ? content : Json::array({content})) {
    if (string_member(block, "type") == "tool_use") results.push_back(look_up(block));
  }
  return results;
}

std::string sampled_text(const Json& result) {
  const Json content = result.value("content", Json(nullptr));
  for (const Json& block : content.is_array() ? content : Json::array({content})) {
    if (!block.is_object() || !block.contains("text")) continue;
    return block["text"].is_string() ? block["text"].get<std::string>()
                                     : wire::encode(block["text"]);
  }
  return "(no text)";
}

}  // namespace assay::server
