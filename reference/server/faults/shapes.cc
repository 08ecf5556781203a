// Faults in the form of what is listed and given: members of another type, missing, or of a later
// revision. Specification: the schema of each revision.
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"

namespace assay::server {
namespace {

using model::Revision;

void each_listed(Departure& d, const char* method, const char* key, void (*spoil)(Json&)) {
  if (!d.is_result_of(method)) return;
  for (Json& item : d.result()[key]) spoil(item);
}

void give_block(Departure& d, Json block) {
  if (d.is_result_of("tools/call") && d.result().contains("content")) {
    d.result()["content"] = Json::array({std::move(block)});
  }
}

std::vector<Fault> listed_shapes() {
  return {
      {.id = "tool-hint-in-words",
       .description = "Writes the hints of tools as texts",
       .breaks = {"schema.tools-list-result"},
       .concerns = &Revision::has_tool_annotations,
       .departure =
           [](Departure& d) {
             each_listed(d, "tools/list", "tools",
                         [](Json& tool) { tool["annotations"]["idempotentHint"] = "yes"; });
           }},
      {.id = "tool-schema-of-a-list",
       .description = "Lists tools whose inputSchema is of an array",
       .breaks = {"schema.tools-list-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "tools/list", "tools", [](Json& tool) {
               if (tool["name"] == "test_simple_text") tool["inputSchema"]["type"] = "array";
             });
           }},
      {.id = "prompt-requirement-in-words",
       .description = "Says in words whether an argument of a prompt is required",
       .breaks = {"schema.prompts-list-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "prompts/list", "prompts", [](Json& prompt) {
               if (!prompt.contains("arguments")) return;
               for (Json& argument : prompt["arguments"]) argument["required"] = "true";
             });
           }},
      {.id = "resource-without-name",
       .description = "Lists resources without their names",
       .breaks = {"schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "resources/list", "resources", [](Json& item) { item.erase("name"); });
           }},
      {.id = "template-without-name",
       .description = "Lists templates of resources without their names",
       .breaks = {"schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "resources/templates/list", "resourceTemplates",
                         [](Json& item) { item.erase("name"); });
           }},
      {.id = "resource-priority-of-ten",
       .description = "Gives resources a priority of ten, where one is the greatest",
       .breaks = {"schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "resources/list", "resources",
                         [](Json& item) { item["annotations"]["priority"] = 10; });
           }},
      {.id = "icons-without-source",
       .description = "Shows icons that do not say where they are",
       .breaks = {"schema.tools-list-result"},
       .concerns = &Revision::has_icons_in_sessions,
       .departure =
           [](Departure& d) {
             each_listed(d, "tools/list", "tools", [](Json& tool) {
               tool["icons"] = Json::array({{{"mimeType", "image/png"}}});
             });
           }},
      {.id = "server-without-version",
       .description = "Leaves its own version out of serverInfo",
       .breaks = {"schema.initialize-result", "lifecycle.initialize-result"},
       .concerns = &Revision::has_server_requests,
       .departure = erases<result_of<"initialize">, "/result/serverInfo/version">},
      {.id = "instructions-in-a-list",
       .description = "Gives its instructions as an array of sentences",
       .breaks = {"schema.initialize-result"},
       .may_break = {"lifecycle.initialize-result"},
       .concerns = &Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) {
               d.result()["instructions"] = Json::array({"Call test_simple_text."});
             }
           }},
  };
}

std::vector<Fault> given_shapes() {
  return {
      {.id = "audio-before-its-time",
       .description = "Gives audio in a revision that has none",
       .breaks = {"schema.tools-call-result"},
       .concerns = &Revision::has_no_audio,
       .departure =
           [](Departure& d) {
             give_block(d, {{"type", "audio"}, {"data", "YXNzYXk="}, {"mimeType", "audio/wav"}});
           }},
      {.id = "resource-link-before-its-time",
       .description = "Gives links to resources in a revision that has none",
       .breaks = {"schema.tools-call-result"},
       .concerns = &Revision::has_no_resource_links,
       .departure =
           [](Departure& d) {
             give_block(d, {{"type", "resource_link"}, {"uri", "test://a"}, {"name", "a"}});
           }},
      {.id = "tool-failure-in-words",
       .description = "Says in words that a tool failed",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tools.errors-in-result", "tools.inputs-validated",
                     "tools.structured-content-conforms", "tasks.result-same-response"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && d.result().value("isError", false)) {
               d.result()["isError"] = "true";
             }
           }},
      {.id = "tool-answers-in-text",
       .description = "Gives the content of a tool's result as a text, and not in blocks",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.result-exact", "tasks.result-same-response"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && d.result().contains("content")) {
               d.result()["content"] = "Done";
             }
           }},
      {.id = "completion-of-numbers-given",
       .description = "Suggests numbers",
       .breaks = {"schema.completion-result"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("completion/complete")) {
               d.result()["completion"]["values"] = Json::array({1, 2});
             }
           }},
      {.id = "completion-total-in-words",
       .description = "Says in words how many values there are to suggest",
       .breaks = {"schema.completion-result"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("completion/complete")) {
               d.result()["completion"]["total"] = "many";
             }
           }},
      {.id = "prompt-of-role-system",
       .description = "Gives messages of the role system in prompts",
       .breaks = {"schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             each_listed(d, "prompts/get", "messages",
                         [](Json& message) { message["role"] = "system"; });
           }},
      {.id = "level-set-answered-in-text",
       .description = "Answers logging/setLevel with a text",
       .breaks = {"schema.other-results"},
       .departure = sets<result_of<"logging/setLevel">, "/result", "ok">},
  };
}

}  // namespace

std::vector<Fault> shape_faults() {
  std::vector<Fault> all = listed_shapes();
  for (Fault& fault : given_shapes()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
