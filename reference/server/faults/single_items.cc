// Faults of one item alone, the last of those that are listed or given: whoever looks at the first
// only does not see them. Specification: the schema of each revision.
#include <string>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"

namespace assay::server {
namespace {

// The last item of the list that a result of the method holds.
template <Literal kMethod, Literal kList>
struct LastOf {
  static Json* item(Departure& d) {
    const std::string list(kList.text());
    if (!result_of<kMethod>(d) || !d.result().contains(list)) return nullptr;
    Json& items = d.result()[list];
    return items.is_array() && !items.empty() ? &items.back() : nullptr;
  }
  template <auto kSpoil>
  static void spoils(Departure& d) {
    if (Json* const last = item(d)) kSpoil(*last);
  }
  template <Literal kMember, auto kValue>
  static void sets(Departure& d) {
    spoils<[](Json& last) { last[kMember.characters] = kValue; }>(d);
  }
  template <Literal kMember, Literal kText>
  static void sets(Departure& d) {
    spoils<[](Json& last) { last[kMember.characters] = kText.text(); }>(d);
  }
  template <Literal kMember>
  static void erases(Departure& d) {
    spoils<[](Json& last) { last.erase(kMember.characters); }>(d);
  }
};

using LastTool = LastOf<"tools/list", "tools">;
using LastPrompt = LastOf<"prompts/list", "prompts">;
using LastResource = LastOf<"resources/list", "resources">;
using LastTemplate = LastOf<"resources/templates/list", "resourceTemplates">;
using LastBlock = LastOf<"tools/call", "content">;
using LastMessage = LastOf<"prompts/get", "messages">;
using LastContents = LastOf<"resources/read", "contents">;

std::vector<Fault> listed_items() {
  return {
      {.id = "last-tool-without-schema",
       .description = "Lists its last tool without an inputSchema",
       .breaks = {"schema.tools-list-result", "tools.input-schema-object"},
       .departure = LastTool::erases<"inputSchema">},
      {.id = "last-tool-name-number",
       .description = "Gives its last tool a number for a name",
       .breaks = {"schema.tools-list-result"},
       .departure = LastTool::sets<"name", 17>},
      {.id = "last-tool-described-in-a-list",
       .description = "Describes its last tool with an array",
       .breaks = {"schema.tools-list-result"},
       .departure =
           LastTool::spoils<[](Json& item) { item["description"] = Json::array({"words"}); }>},
      {.id = "last-tool-null-description",
       .description = "Gives its last tool a null description",
       .breaks = {"schema.tools-list-result"},
       .departure = LastTool::sets<"description", nullptr>},
      {.id = "last-tool-schema-in-text",
       .description = "Writes the inputSchema of its last tool as a text",
       .breaks = {"schema.tools-list-result", "tools.input-schema-object"},
       .departure = LastTool::sets<"inputSchema", "{}">},
      {.id = "last-tool-requires-a-text",
       .description = "Names the required arguments of its last tool in a text",
       .breaks = {"schema.tools-list-result"},
       .may_break = {"json-schema.valid"},
       .departure = LastTool::spoils<[](Json& item) { item["inputSchema"]["required"] = "all"; }>},
      {.id = "last-prompt-without-name",
       .description = "Lists its last prompt without a name",
       .breaks = {"schema.prompts-list-result"},
       .departure = LastPrompt::erases<"name">},
      {.id = "last-prompt-arguments-by-name",
       .description = "Lists the arguments of its last prompt as an object",
       .breaks = {"schema.prompts-list-result"},
       .departure = LastPrompt::spoils<[](Json& item) {
         item["arguments"] = {{"city", {{"required", true}}}};
       }>},
      {.id = "last-prompt-argument-nameless",
       .description = "Leaves out the name of an argument of its last prompt",
       .breaks = {"schema.prompts-list-result"},
       .departure = LastPrompt::spoils<[](Json& item) {
         item["arguments"] = Json::array({{{"description", "What?"}}});
       }>},
      {.id = "last-resource-type-number",
       .description = "Gives its last resource a number for a MIME type",
       .breaks = {"schema.resources-list-result"},
       .departure = LastResource::sets<"mimeType", 1>},
      {.id = "last-resource-size-in-words",
       .description = "Says the size of its last resource in words",
       .breaks = {"schema.resources-list-result"},
       .departure = LastResource::sets<"size", "small">},
      {.id = "last-resource-described-by-number",
       .description = "Describes its last resource with a number",
       .breaks = {"schema.resources-list-result"},
       .departure = LastResource::sets<"description", 1>},
      {.id = "last-template-without-uri",
       .description = "Lists its last template without a URI template",
       .breaks = {"schema.resources-list-result"},
       .departure = LastTemplate::erases<"uriTemplate">},
      {.id = "last-template-type-null",
       .description = "Gives its last template a null MIME type",
       .breaks = {"schema.resources-list-result"},
       .departure = LastTemplate::sets<"mimeType", nullptr>},
  };
}

std::vector<Fault> given_items() {
  return {
      {.id = "last-block-without-text",
       .description = "Leaves the text out of the last block of a tool's result",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.result-exact", "tasks.result-same-response",
                     "tools.structured-content-as-text"},
       .departure = LastBlock::spoils<[](Json& item) {
         if (item.value("type", "") == "text") item.erase("text");
       }>},
      {.id = "last-block-text-number",
       .description = "Writes the text of the last block of a tool's result as a number",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.result-exact", "tasks.result-same-response",
                     "tools.structured-content-as-text"},
       .departure = LastBlock::spoils<[](Json& item) {
         if (item.value("type", "") == "text") item["text"] = 5;
       }>},
      {.id = "last-block-null-annotations",
       .description = "Gives the last block of a tool's result null annotations",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.result-exact", "tasks.result-same-response"},
       .departure = LastBlock::sets<"annotations", nullptr>},
      {.id = "last-message-content-in-text",
       .description = "Gives the content of a prompt's last message as a text",
       .breaks = {"schema.prompts-get-result"},
       .departure = LastMessage::sets<"content", "Hello">},
      {.id = "last-message-content-in-a-list",
       .description = "Gives the content of a prompt's last message as an array",
       .breaks = {"schema.prompts-get-result"},
       .departure = LastMessage::spoils<[](Json& item) {
         item["content"] = Json::array({item["content"]});
       }>},
      {.id = "last-contents-text-number",
       .description = "Gives the text of the last contents of a resource as a number",
       .breaks = {"schema.resources-read-result"},
       .departure = LastContents::spoils<[](Json& item) {
         if (item.contains("text")) item["text"] = 5;
       }>},
      {.id = "last-contents-type-null",
       .description = "Gives the last contents of a resource a null MIME type",
       .breaks = {"schema.resources-read-result"},
       .departure = LastContents::sets<"mimeType", nullptr>},
  };
}

}  // namespace

std::vector<Fault> single_item_faults() {
  std::vector<Fault> all = listed_items();
  for (Fault& fault : given_items()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
