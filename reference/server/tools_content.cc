// Tools that answer at once: each shows one kind of content.
#include <array>

#include "reference/server/content.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

using model::Revision;

Answer simple_text(ToolDialogue&, const Json&) {
  return tool_text("This is a simple text response for testing.");
}

Answer image(ToolDialogue&, const Json&) {
  return tool_result(Json::array({image_content()}));
}

Answer audio(ToolDialogue&, const Json&) {
  return tool_result(Json::array({audio_content()}));
}

Answer embedded_resource(ToolDialogue&, const Json&) {
  return tool_result(Json::array({embedded_text("test://embedded-resource", "text/plain",
                                                "This is an embedded resource content.")}));
}

Answer multiple_content_types(ToolDialogue&, const Json&) {
  return tool_result(Json::array({text_content("Multiple content types test:"), image_content(),
                                  embedded_text("test://mixed-content-resource", "application/json",
                                                R"({"test":"data","value":123})")}));
}

Answer resource_link(ToolDialogue&, const Json&) {
  return tool_result(Json::array({Json{{"type", "resource_link"},
                                       {"uri", "test://static-text"},
                                       {"name", "static-text"},
                                       {"mimeType", "text/plain"}}}));
}

Answer error_handling(ToolDialogue&, const Json&) {
  return tool_error("This tool intentionally returns an error for testing");
}

Answer protocol_error(ToolDialogue&, const Json&) {
  return Refusal{wire::kInternalError, "This tool intentionally fails with a protocol error"};
}

Answer echo(ToolDialogue&, const Json& arguments) {
  return tool_text(arguments.at("message").get<std::string>());
}

// Structured content is repeated as text, for clients that know nothing of it.
Answer structured_output(ToolDialogue& conversation, const Json& arguments) {
  const Json weather = {
      {"city", arguments.value("city", "Zurich")}, {"temperature", 21.5}, {"conditions", "sunny"}};
  Json result = tool_text(wire::encode(weather));
  if (conversation.context().speaks().has_structured_content()) {
    result["structuredContent"] = weather;
  }
  return result;
}

Answer structured(const Json& content) {
  Json result = tool_text(wire::encode(content));
  result["structuredContent"] = content;
  return result;
}

Answer structured_array(ToolDialogue&, const Json&) {
  return structured(
      Json::array({{{"city", "Zurich"}, {"temperature", 21.5}, {"conditions", "sunny"}},
                   {{"city", "Bergen"}, {"temperature", 12}, {"conditions", "rain"}}}));
}

Answer structured_number(ToolDialogue&, const Json&) {
  return structured(42);
}

Answer structured_null(ToolDialogue&, const Json&) {
  return structured(nullptr);
}

Answer received(ToolDialogue&, const Json& arguments) {
  return tool_text("Received: " + wire::encode(arguments));
}

Json schema_2020_12() {
  return Json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {
      "name": {"type": "string"},
      "address": {"$ref": "#/$defs/address"},
      "contactMethod": {"type": "string", "enum": ["phone", "email"]},
      "phone": {"type": "string"},
      "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false})");
}

// Uses what JSON Schema has had since 2020-12, or calls by another name than draft-07 did.
Json newest_schema() {
  return Json::parse(R"({
    "type": "object",
    "properties": {
      "name": {"type": "string"},
      "card": {"type": "string"},
      "billing": {"type": "string"},
      "version": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}},
    "dependentRequired": {"card": ["billing"]}})");
}

Json typed_schema() {
  Json schema = optional_arguments({{"count", {{"type", "integer"}}},
                                    {"ratio", {{"type", "number"}}},
                                    {"exact", {{"type", "boolean"}}},
                                    {"unit", {{"type", "string"}, {"enum", {"inch", "metre"}}}}});
  schema["required"] = {"count", "unit"};
  return schema;
}

Json weather_schema() {
  return required_arguments({{"city", {{"type", "string"}}},
                             {"temperature", {{"type", "number"}}},
                             {"conditions", {{"type", "string"}}}});
}

}  // namespace

std::vector<Tool> content_tools() {
  return {
      {.name = "test_simple_text",
       .title = "Simple text",
       .description = "Answers with a text",
       .input_schema = no_arguments(),
       .run = simple_text},
      {.name = "test_image_content",
       .title = "Image",
       .description = "Answers with an image",
       .input_schema = no_arguments(),
       .run = image},
      {.name = "test_audio_content",
       .title = "Audio",
       .description = "Answers with audio",
       .input_schema = no_arguments(),
       .run = audio,
       .exists = &Revision::has_audio},
      {.name = "test_embedded_resource",
       .title = "Embedded resource",
       .description = "Answers with an embedded resource",
       .input_schema = no_arguments(),
       .run = embedded_resource},
      {.name = "test_multiple_content_types",
       .title = "Multiple content types",
       .description = "Answers with a text, an image and a resource",
       .input_schema = no_arguments(),
       .run = multiple_content_types},
      {.name = "test_resource_link",
       .title = "Resource link",
       .description = "Answers with a link to a resource",
       .input_schema = no_arguments(),
       .run = resource_link,
       .exists = &Revision::has_resource_links},
      {.name = "test_error_handling",
       .title = "Error",
       .description = "Answers with isError",
       .input_schema = no_arguments(),
       .run = error_handling},
      {.name = "test_protocol_error",
       .title = "Protocol error",
       .description = "Fails with an error of the protocol",
       .input_schema = no_arguments(),
       .run = protocol_error,
       .task_support = TaskSupport::kOptional},
      {.name = "test_echo",
       .title = "Echo",
       .description = "Answers with its message",
       .input_schema = required_arguments({{"message", {{"type", "string"}}}}),
       .run = echo},
      {.name = "test_structured_output",
       .title = "Structured output",
       .description = "Answers with the weather of a city",
       .input_schema = optional_arguments({{"city", {{"type", "string"}}}}),
       .run = structured_output,
       .output_schema = weather_schema()},
      {.name = "test_typed_arguments",
       .title = "Typed arguments",
       .description = "Answers with its arguments, of several types",
       .input_schema = typed_schema(),
       .run = received},
      {.name = "test_newest_schema",
       .title = "Newest schema",
       .description = "Answers with its arguments, whose schema uses the newest keywords",
       .input_schema = newest_schema(),
       .run = received,
       .exists = &Revision::has_json_schema_2020_12},
      {.name = "json_schema_2020_12_tool",
       .title = "JSON Schema 2020-12",
       .description = "Its input schema uses much of JSON Schema 2020-12",
       .input_schema = schema_2020_12(),
       .run = received,
       .exists = &Revision::has_json_schema_2020_12},
      {.name = "test_structured_array",
       .title = "Structured array",
       .description = "Answers with structured content that is an array",
       .input_schema = no_arguments(),
       .run = structured_array,
       .output_schema = {{"type", "array"}, {"items", weather_schema()}},
       .exists = &Revision::has_any_structured_content},
      {.name = "test_structured_number",
       .title = "Structured number",
       .description = "Answers with structured content that is a number",
       .input_schema = no_arguments(),
       .run = structured_number,
       .output_schema = {{"type", "integer"}, {"minimum", 1}},
       .exists = &Revision::has_any_structured_content},
      {.name = "test_structured_null",
       .title = "Structured null",
       .description = "Answers with structured content that is null",
       .input_schema = no_arguments(),
       .run = structured_null,
       .output_schema = {{"type", "null"}},
       .exists = &Revision::has_any_structured_content},
  };
}

}  // namespace assay::server
