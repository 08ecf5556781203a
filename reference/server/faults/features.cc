// Faults of tools, resources, prompts and completion. Specification: server.
#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

using model::Revision;

bool has_structured_content(Revision revision) {
  return revision.has_structured_content();
}
bool has_icons(Revision revision) {
  return revision.has_icons();
}
bool has_completions(Revision revision) {
  return revision.has_completions_capability();
}

void each(Departure& d, const char* method, const char* key, void (*spoil)(Json&)) {
  if (!d.is_result_of(method)) return;
  for (Json& item : d.result()[key]) spoil(item);
}

}  // namespace

std::vector<Fault> feature_faults() {
  return {
      {.id = "tools-without-input-schema",
       .description = "Lists tools without inputSchema",
       .breaks = {"schema.tools-list-result", "tools.input-schema-object"},
       .departure =
           [](Departure& d) {
             each(d, "tools/list", "tools", [](Json& tool) { tool.erase("inputSchema"); });
           }},
      {.id = "tool-name-with-space",
       .description = "Lists tools whose names hold a space",
       .breaks = {"tools.name-characters", "tools.name-without-special-characters"},
       .concerns = has_icons,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             d.result()["tools"].push_back(
                 {{"name", "a tool"}, {"inputSchema", {{"type", "object"}}}});
           }},
      {.id = "tool-listed-twice",
       .description = "Lists two tools of the same name",
       .breaks = {"tools.name-unique"},
       .concerns = has_icons,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list") && !d.result()["tools"].empty()) {
               d.result()["tools"].push_back(d.result()["tools"][0]);
             }
           }},
      {.id = "unknown-tool-other-code",
       .description = "Refuses unknown tools with -32603",
       .breaks = {"tools.inputs-validated"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("tools/call", wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "unknown-tool-called",
       .description = "Answers calls of unknown tools with a success",
       .breaks = {"tools.inputs-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("tools/call", wire::kInvalidParams)) return;
             d.json().erase("error");
             d.json()["result"] = {
                 {"content", Json::array({{{"type", "text"}, {"text", "Done"}}})}};
           }},
      {.id = "tool-error-as-protocol-error",
       .description = "Reports failures of tools as errors of the protocol",
       .breaks = {"tools.errors-in-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call") || !d.result().value("isError", false)) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInternalError}, {"message", "The tool failed"}};
           }},
      {.id = "tool-result-without-content",
       .description = "Leaves the content out of the results of tools",
       .breaks = {"schema.tools-call-result"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call")) d.result().erase("content");
           }},
      {.id = "structured-content-against-schema",
       .description = "Gives structured content that its outputSchema does not allow",
       .breaks = {"tools.structured-content-conforms"},
       .concerns = has_structured_content,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && d.result().contains("structuredContent")) {
               d.result()["structuredContent"]["temperature"] = "warm";
               d.result()["content"][0]["text"] = wire::encode(d.result()["structuredContent"]);
             }
           }},
      {.id = "structured-content-not-as-text",
       .description = "Does not repeat structured content as text",
       .breaks = {"tools.structured-content-as-text"},
       .concerns = has_structured_content,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && d.result().contains("structuredContent")) {
               d.result()["content"] = Json::array();
             }
           }},
      {.id = "image-without-mime-type",
       .description = "Gives images without their MIME type",
       .breaks = {"schema.tools-call-result", "schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             each(d, "tools/call", "content", [](Json& block) {
               if (block.value("type", "") == "image") block.erase("mimeType");
             });
             each(d, "prompts/get", "messages", [](Json& message) {
               if (message["content"].value("type", "") == "image") {
                 message["content"].erase("mimeType");
               }
             });
           }},
      {.id = "resources-without-uri",
       .description = "Lists resources without their URI",
       .breaks = {"schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             each(d, "resources/list", "resources", [](Json& resource) { resource.erase("uri"); });
           }},
      {.id = "unknown-resource-other-code",
       .description = "Refuses to read unknown resources with -32603",
       .breaks = {"resources.not-found-error"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("resources/read", wire::kResourceNotFound)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "unknown-resource-empty",
       .description = "Reads unknown resources as if they were empty",
       .breaks = {"resources.not-found-error"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("resources/read", wire::kResourceNotFound)) return;
             d.json().erase("error");
             d.json()["result"] = {{"contents", Json::array()}};
           }},
      {.id = "blob-not-base64",
       .description = "Gives binary contents that are not base64",
       .breaks = {"resources.binary-encoded"},
       .departure =
           [](Departure& d) {
             each(d, "resources/read", "contents", [](Json& contents) {
               if (contents.contains("blob")) contents["blob"] = "\x89 PNG, raw";
             });
           }},
      {.id = "updates-after-unsubscribe",
       .description = "Goes on announcing changes of a resource after unsubscribe",
       .breaks = {"lifecycle.respects-negotiated-version"},
       .inside = Switch::kIgnoresUnsubscribe},
      {.id = "list-change-unannounced",
       .description = "Announces no change of a list",
       .breaks = {"tools.list-changed-notified", "prompts.list-changed-notified",
                  "resources.list-changed-notified"},
       .departure =
           [](Departure& d) {
             for (const char* list : {"tools", "prompts", "resources"}) {
               if (d.is_notification("notifications/" + std::string(list) + "/list_changed")) {
                 d.drop();
               }
             }
           }},
      {.id = "unknown-prompt-other-code",
       .description = "Refuses unknown prompts, and missing arguments, with -32603",
       .breaks = {"prompts.unknown-name-error", "prompts.missing-argument-error"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("prompts/get", wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "prompt-message-without-role",
       .description = "Leaves the role out of the messages of prompts",
       .breaks = {"schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             each(d, "prompts/get", "messages", [](Json& message) { message.erase("role"); });
           }},
      {.id = "completion-too-long",
       .description = "Completes with more than 100 values",
       .breaks = {"schema.completion-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("completion/complete")) return;
             Json& values = d.result()["completion"]["values"];
             while (values.size() <= 100) values.push_back("more");
           }},
      {.id = "unknown-completion-other-code",
       .description = "Refuses completion for unknown prompts with -32603",
       .breaks = {"completion.unknown-prompt-error", "completion.missing-argument-error"},
       .concerns = has_completions,
       .departure =
           [](Departure& d) {
             if (d.is_error_of("completion/complete", wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
  };
}

}  // namespace assay::server
