// Faults of tools and resources. Specification: server.
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

void each(Departure& d, const char* method, const char* key, void (*spoil)(Json&)) {
  if (!d.is_result_of(method)) return;
  for (Json& item : d.result()[key]) spoil(item);
}

// A refused call whose error says this.
bool refuses(Departure& d, std::string_view words) {
  return d.is_error_of("tools/call", wire::kInvalidParams) &&
         d.json()["error"].value("message", "").find(words) != std::string::npos;
}

void succeed(Departure& d, bool is_error) {
  d.json().erase("error");
  d.json()["result"] = {{"content", Json::array({{{"type", "text"}, {"text", "Done"}}})}};
  if (is_error) d.result()["isError"] = true;
}

// A file of the machine's, where the URI that was refused leads to one by these letters.
void read_by_detour(Departure& d, std::string_view letters) {
  if (!d.is_error_of("resources/read", wire::kResourceNotFound)) return;
  const std::string uri = d.request()->params().value("uri", "");
  if (uri.find(letters) == std::string::npos) return;
  d.json().erase("error");
  d.json()["result"] = {
      {"contents", Json::array({{{"uri", uri}, {"text", "127.0.0.1 localhost"}}})}};
}

void add_schema(Departure& d, Json schema) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool["name"] == "test_simple_text") tool["inputSchema"].update(schema);
  }
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
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             d.result()["tools"].push_back(
                 {{"name", "a tool"}, {"inputSchema", {{"type", "object"}}}});
           }},
      {.id = "tool-listed-twice",
       .description = "Lists two tools of the same name",
       .breaks = {"tools.name-unique"},
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list") && !d.result()["tools"].empty()) {
               d.result()["tools"].push_back(d.result()["tools"][0]);
             }
           }},
      {.id = "unknown-tool-in-result",
       .description = "Refuses unknown tools in a result",
       .breaks = {"tools.unknown-tool-error"},
       .departure =
           [](Departure& d) {
             if (refuses(d, "Unknown tool")) succeed(d, true);
           }},
      {.id = "arguments-unchecked",
       .description = "Calls tools without arguments that they require, or of other types",
       .breaks = {"tools.inputs-validated"},
       .may_break = {"tools.structured-content-conforms"},
       .departure =
           [](Departure& d) {
             const bool is_refusal =
                 d.is_result_of("tools/call") && d.result().value("isError", false) &&
                 d.result()["content"][0].value("text", "").find("argument") != std::string::npos;
             if (is_refusal || refuses(d, "argument")) succeed(d, false);
           }},
      {.id = "tool-names-without-case",
       .description = "Finds a tool by its name in upper case too",
       .breaks = {"tools.name-case-sensitive"},
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             if (refuses(d, "Unknown tool: TEST_")) succeed(d, false);
           }},
      {.id = "unknown-tool-called",
       .description = "Answers calls of unknown tools with a success",
       .breaks = {"tools.unknown-tool-error", "tools.name-case-sensitive"},
       .departure =
           [](Departure& d) {
             if (refuses(d, "Unknown tool")) succeed(d, false);
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
       .departure = erases<result_of<"tools/call">, "/result/content">},
      {.id = "structured-content-against-schema",
       .description = "Gives structured content that its outputSchema does not allow",
       .breaks = {"tools.structured-content-conforms"},
       .concerns = &Revision::has_structured_content,
       .departure =
           [](Departure& d) {
             // Since 2026-07-28 it may also be an array.
             if (d.is_result_of("tools/call") &&
                 member(d.result(), "structuredContent").contains("temperature")) {
               d.result()["structuredContent"]["temperature"] = "warm";
               d.result()["content"][0]["text"] = wire::encode(d.result()["structuredContent"]);
             }
           }},
      {.id = "structured-content-not-as-text",
       .description = "Does not repeat structured content as text",
       .breaks = {"tools.structured-content-as-text"},
       .concerns = &Revision::has_structured_content,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && d.result().contains("structuredContent")) {
               d.result()["content"] = Json::array();
             }
           }},
      {.id = "image-without-mime-type",
       .description = "Gives images without their MIME type",
       .breaks = {"schema.tools-call-result", "schema.prompts-get-result", "prompts.image-encoded"},
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
      {.id = "contents-without-uri",
       .description = "Leaves the URI out of the contents that it reads",
       .breaks = {"schema.resources-read-result"},
       .departure =
           [](Departure& d) {
             each(d, "resources/read", "contents", [](Json& contents) { contents.erase("uri"); });
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
       .breaks = {"resources.updates-only-subscribed"},
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
      {.id = "schema-invalid",
       .description = "Lists a tool whose schema is none",
       .breaks = {"json-schema.valid"},
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             add_schema(d, {{"properties", {{"a", {{"type", 5}}}}}});
           }},
      {.id = "schema-references-ignored",
       .description = "Does not hold arguments to what a schema says by reference",
       .breaks = {"json-schema.2020-12-supported", "json-schema.validated-by-dialect"},
       .concerns = &Revision::has_icons,
       .inside = Switch::kIgnoresReferences},
      {.id = "schema-of-older-dialect",
       .description = "Lists a tool whose schema names an older dialect",
       .breaks = {"json-schema.2020-12-used"},
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             add_schema(d, {{"$schema", "http://json-schema.org/draft-07/schema#"}});
           }},
      {.id = "resource-uri-with-space",
       .description = "Lists a resource whose URI holds a space",
       .breaks = {"resources.custom-scheme-rfc3986", "schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/list")) return;
             d.result()["resources"].push_back({{"uri", "test://a b"}, {"name", "a"}});
           }},
      {.id = "invalid-uri-read",
       .description = "Reads a resource whose name is not a URI",
       .breaks = {"resources.uris-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("resources/read", wire::kResourceNotFound)) return;
             if (d.request()->params().value("uri", "").find("assay") == 0) return;
             d.json().erase("error");
             d.json()["result"] = {
                 {"contents", Json::array({{{"uri", "test://a"}, {"text", "Here"}}})}};
           }},
      {.id = "invalid-uri-subscribed",
       .description = "Lets clients subscribe to something that is not a URI",
       .breaks = {"resources.uris-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("resources/subscribe", wire::kResourceNotFound)) return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "path-traversal",
       .description = "Reads files outside of its directory by a path with '..'",
       .breaks = {"resources.uris-validated"},
       .may_break = {"roots.paths-validated"},
       .departure = [](Departure& d) { read_by_detour(d, "/../"); }},
      {.id = "path-traversal-encoded",
       .description = "Reads files outside of its directory by a path with an encoded '../'",
       .breaks = {"resources.uris-validated"},
       .departure = [](Departure& d) { read_by_detour(d, "..%2F"); }},
      {.id = "unknown-sibling-other-code",
       .description = "Refuses to read what is missing beside what it has with -32603",
       .breaks = {"resources.not-found-error"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("resources/read", wire::kResourceNotFound)) return;
             if (d.request()->params().value("uri", "").starts_with("test://")) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "tool-name-too-long",
       .description = "Lists a tool with a name of 129 characters",
       .breaks = {"tools.name-length"},
       .concerns = &Revision::has_icons,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             d.result()["tools"].push_back(
                 {{"name", std::string(129, 'a')}, {"inputSchema", {{"type", "object"}}}});
           }},
  };
}

}  // namespace assay::server
