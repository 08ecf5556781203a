// Faults of schemas that tools show, of structured results, and of data in base64.
// Specification: basic, "JSON Schema Usage"; server/tools; server/resources.
#include <string>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// Lists a tool with this property among those of its inputSchema.
void show_property(Departure& d, const Json& property) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool["name"] == "test_simple_text") tool["inputSchema"]["properties"]["a"] = property;
  }
}

Fault invalid_schema(std::string_view id, std::string_view description, void (*spoil)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = {"json-schema.valid"},
          .may_break = {"schema.tools-list-result"},
          .concerns = &model::Revision::has_json_schema_2020_12,
          .departure = spoil};
}

void show_output(Departure& d, void (*spoil)(Json& schema)) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool["name"] == "test_structured_output") spoil(tool["outputSchema"]);
  }
}

std::vector<Fault> schema_faults_of_tools() {
  return {
      invalid_schema("schema-required-by-property", "Marks properties as required one by one",
                     [](Departure& d) {
                       show_property(d, {{"type", "string"}, {"required", true}});
                     }),
      invalid_schema(
          "schema-items-in-a-list", "Describes the items of an array as draft-07 did",
          [](Departure& d) {
            show_property(d, {{"type", "array"}, {"items", Json::array({{{"type", "string"}}})}});
          }),
      invalid_schema("schema-exclusive-yes-or-no", "Writes exclusiveMinimum as draft-04 did",
                     [](Departure& d) {
                       show_property(d, {{"type", "integer"}, {"exclusiveMinimum", true}});
                     }),
      invalid_schema("schema-type-in-capitals", "Names types with a capital letter",
                     [](Departure& d) {
                       show_property(d, {{"type", "String"}});
                     }),
      invalid_schema("schema-length-negative", "Lists a tool with a length below zero",
                     [](Departure& d) {
                       show_property(d, {{"type", "string"}, {"minLength", -1}});
                     }),
      invalid_schema("output-schema-invalid", "Lists a tool whose outputSchema is none",
                     [](Departure& d) {
                       show_output(d, [](Json& schema) {
                         schema["properties"]["temperature"] = {{"type", "float"}};
                       });
                     }),
      {.id = "output-schema-of-older-dialect",
       .description = "Lists a tool whose outputSchema names an older dialect",
       .breaks = {"json-schema.2020-12-used"},
       .concerns = &model::Revision::has_json_schema_2020_12,
       .departure =
           [](Departure& d) {
             show_output(d, [](Json& schema) {
               schema["$schema"] = "http://json-schema.org/draft-07/schema#";
             });
           }},
  };
}

std::vector<Fault> structured_faults() {
  return {
      {.id = "structured-content-missing",
       .description = "Gives no structured content where a tool has an outputSchema",
       .breaks = {"tools.structured-content-conforms"},
       .concerns = &model::Revision::has_structured_content,
       .departure = erases<result_of<"tools/call">, "/result/structuredContent">},
      {.id = "structured-content-incomplete",
       .description = "Leaves a required member out of structured content",
       .breaks = {"tools.structured-content-conforms"},
       .concerns = &model::Revision::has_structured_content,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call") ||
                 !member(d.result(), "structuredContent").contains("conditions")) {
               return;
             }
             d.result()["structuredContent"].erase("conditions");
             d.result()["content"][0]["text"] = wire::encode(d.result()["structuredContent"]);
           }},
      {.id = "structured-content-otherwise-as-text",
       .description = "Repeats structured content as text with another value",
       .breaks = {"tools.structured-content-as-text"},
       .concerns = &model::Revision::has_structured_content,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call")) return;
             Json other = member(d.result(), "structuredContent");
             if (!other.is_object()) return;
             other["conditions"] = "hail";
             d.result()["content"][0]["text"] = wire::encode(other);
           }},
  };
}

// Another text for the same bytes in each blob of a resource that is read.
void respell_blobs(Departure& d, const char* text) {
  if (!d.is_result_of("resources/read")) return;
  for (Json& contents : d.result()["contents"]) {
    if (contents.contains("blob")) contents["blob"] = text;
  }
}

std::vector<Fault> base64_faults() {
  return {
      {.id = "blob-in-url-letters",
       .description = "Gives binary contents in the base64 that is made for URLs",
       .breaks = {"resources.binary-encoded"},
       .may_break = {"schema.resources-read-result"},
       .departure = [](Departure& d) { respell_blobs(d, "_-_-"); }},
      {.id = "blob-without-padding",
       .description = "Gives binary contents in base64 without its padding",
       .breaks = {"resources.binary-encoded"},
       .may_break = {"schema.resources-read-result"},
       .departure = [](Departure& d) { respell_blobs(d, "YXNzYXk"); }},
      {.id = "blob-over-lines",
       .description = "Gives binary contents in lines of base64",
       .breaks = {"resources.binary-encoded"},
       .may_break = {"schema.resources-read-result"},
       .departure = [](Departure& d) { respell_blobs(d, "YXNz\r\nYXk="); }},
      {.id = "blob-as-data-url",
       .description = "Gives binary contents as a data URL",
       .breaks = {"resources.binary-encoded"},
       .may_break = {"schema.resources-read-result"},
       .departure = [](Departure& d) { respell_blobs(d, "data:text/plain;base64,YXNzYXk="); }},
      {.id = "image-of-tool-as-data-url",
       .description = "Gives the images of tools as data URLs",
       .breaks = {"schema.tools-call-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call")) return;
             for (Json& block : d.result()["content"]) {
               if (block.value("type", "") != "image") continue;
               block["data"] = "data:image/png;base64," + block["data"].get<std::string>();
             }
           }},
  };
}

}  // namespace

std::vector<Fault> schema_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() : {schema_faults_of_tools, structured_faults, base64_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
