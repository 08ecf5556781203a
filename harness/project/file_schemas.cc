#include "harness/project/file_schemas.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/profile/ability.h"
#include "harness/profile/act.h"
#include "harness/project/interop_schema.h"
#include "harness/project/project.h"
#include "harness/project/report_schema.h"

namespace assay::cli {
namespace {

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

// What a few words of the schemas below stand for.
Json definitions() {
  return Json::parse(R"({
      "text": {"type": "string", "minLength": 1},
      "texts": {"anyOf": [{"$ref": "#/$defs/text"},
                          {"type": "array", "items": {"$ref": "#/$defs/text"}}]}})");
}

// How a client is started: with words, of which some may come once for each argument of a call.
void define_ways(Json& definitions) {
  definitions["word"] = {{"type", {"string", "number", "boolean"}}};
  definitions["words"] = Json::parse(R"({"type": "array", "items": {"$ref": "#/$defs/word"}})");
  definitions["words-of-call"] = Json::parse(R"({
      "type": "array",
      "items": {"anyOf": [{"$ref": "#/$defs/word"},
                          {"$ref": "#/$defs/words", "description": "Once for each argument"}]}})");
  for (const auto& [way, words] : {std::pair("way", "words"), std::pair("call", "words-of-call")}) {
    const Json some = {{"$ref", fmt::format("#/$defs/{}", words)}};
    Json parts = Json::parse(R"({
        "type": "object", "additionalProperties": false,
        "properties": {
          "command": {"description": "In place of the command", "minItems": 1,
                      "prefixItems": [{"$ref": "#/$defs/word", "minLength": 1}]},
          "environment": {"type": "object", "propertyNames": {"pattern": "^[^=]+$"},
                          "additionalProperties": {"$ref": "#/$defs/word"}}},
        "not": {"required": ["append", "command"]}})");
    parts["properties"]["append"] = some;
    parts["properties"]["command"].update(some);
    definitions[way] = {{"anyOf", {{{"type", "null"}}, some, parts}}};
  }
}

Json profile_schema() {
  Json schema = Json::parse(R"({
      "title": "A profile: what is known of an MCP server beyond what it lists, and of a client",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "name": {"$ref": "#/$defs/text", "description": "For people"},
        "about": {"$ref": "#/$defs/text", "description": "For people"},
        "detect": {
          "description": "Use the profile only for these servers",
          "type": "object", "additionalProperties": false,
          "properties": {
            "server": {"$ref": "#/$defs/texts", "description": "serverInfo.name is one of these"},
            "tools": {"type": "integer", "minimum": 1,
                      "description": "So many of the profile's tools are listed"}}},
        "tools": {
          "description": "By name: how a tool is called, several ways as a list, or never",
          "type": "object",
          "additionalProperties": {"anyOf": [
            {"type": "null"}, {"const": "never"}, {"$ref": "#/$defs/use"},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/use"}}]}},
        "prompts": {
          "type": "object",
          "additionalProperties": {
            "type": ["object", "null"], "additionalProperties": false,
            "properties": {"arguments": {"type": ["object", "null"],
                                         "additionalProperties": {"type": "string"}}}}},
        "resources": {
          "type": "object", "additionalProperties": false,
          "properties": {
            "read": {"$ref": "#/$defs/texts", "description": "URIs to read, listed or not"},
            "skip": {"$ref": "#/$defs/texts", "description": "URIs not to read"}}},
        "completions": {
          "type": "array",
          "items": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "prompt": {"$ref": "#/$defs/text"},
              "resource": {"$ref": "#/$defs/text", "description": "A URI template"},
              "argument": {"$ref": "#/$defs/text"}, "value": {"type": "string"}},
            "required": ["argument"],
            "oneOf": [{"required": ["prompt"]}, {"required": ["resource"]}]}},
        "scopes": {
          "type": "object",
          "description": "The scopes that a broader scope of tokens includes",
          "additionalProperties": {"anyOf": [
            {"$ref": "#/$defs/word"},
            {"type": "array", "items": {"$ref": "#/$defs/word"}}]}},
        "client": {
          "description": "How a client is started to do one thing",
          "type": "object", "additionalProperties": false, "minProperties": 1,
          "properties": {}}}})");
  Json abilities = Json::array();
  for (const harness::Ability each : harness::abilities()) {
    abilities.push_back(harness::name(each));
  }
  schema["$defs"] = definitions();
  for (const harness::Act each : harness::acts()) {
    schema["properties"]["client"]["properties"][std::string(harness::name(each))] = {
        {"$ref", has_arguments(each) ? "#/$defs/call" : "#/$defs/way"},
        {"description", fmt::format("The client {}", words(each))}};
  }
  schema["$defs"]["ability"] = {{"enum", abilities}};
  define_ways(schema["$defs"]);
  schema["$defs"]["use"] = Json::parse(R"({
      "type": "object", "additionalProperties": false,
      "properties": {
        "arguments": {"type": ["object", "null"]},
        "does": {"description": "What the tool does when it is called so",
                 "anyOf": [{"$ref": "#/$defs/ability"},
                           {"type": "array", "items": {"$ref": "#/$defs/ability"}}]},
        "resource": {"$ref": "#/$defs/text", "description": "That updates-resource changes"},
        "scopes": {
          "description": "A token needs all of these for such a call",
          "anyOf": [{"$ref": "#/$defs/word"},
                    {"type": "array", "items": {"$ref": "#/$defs/word"}}]}},
      "if": {"properties": {"does": {"anyOf": [
               {"const": "updates-resource"},
               {"type": "array", "contains": {"const": "updates-resource"}}]}},
             "required": ["does"]},
      "then": {"required": ["resource"]},
      "else": {"not": {"required": ["resource"]}}})");
  return schema;
}

Json expected_failures_schema() {
  Json schema = Json::parse(R"({
      "title": "Known violations that do not fail a run",
      "type": ["object", "null"],
      "additionalProperties": false,
      "properties": {"server": {"$ref": "#/$defs/entries"}, "client": {"$ref": "#/$defs/entries"},
                     "authorization": {"$ref": "#/$defs/entries"}}})");
  schema["$defs"] = definitions();
  schema["$defs"]["entries"] = Json::parse(R"({
      "type": ["array", "null"],
      "items": {"anyOf": [{"$ref": "#/$defs/requirement"}, {"$ref": "#/$defs/entry"}]}})");
  schema["$defs"]["requirement"] = {
      {"type", "string"}, {"minLength", 1}, {"description", "Its id, or a glob with * and ?"}};
  schema["$defs"]["entry"] = Json::parse(R"({
      "type": "object", "additionalProperties": false, "required": ["requirement"],
      "properties": {
        "requirement": {"$ref": "#/$defs/requirement"},
        "revision": {"$ref": "#/$defs/some", "description": "Default: every revision"},
        "transport": {"$ref": "#/$defs/some", "description": "Default: every transport"},
        "reason": {"$ref": "#/$defs/text"},
        "since": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                  "description": "The day when it was listed"}}})");
  schema["$defs"]["some"] = Json::parse(R"({
      "anyOf": [{"$ref": "#/$defs/text"},
                {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/text"}}]})");
  schema["$defs"].erase("texts");
  return schema;
}

struct FileSchema {
  std::string_view name;
  Json (*make)();
};

constexpr FileSchema kFileSchemas[] = {
    {"events", events_schema},   {"expected-failures", expected_failures_schema},
    {"interop", interop_schema}, {"interop-report", interop_report_schema},
    {"profile", profile_schema}, {"project", project_schema},
    {"report", report_schema},
};

}  // namespace

std::vector<std::string> file_schema_names() {
  std::vector<std::string> names;
  for (const FileSchema& each : kFileSchemas) names.emplace_back(each.name);
  return names;
}

Json file_schema(std::string_view name) {
  for (const FileSchema& each : kFileSchemas) {
    if (each.name != name) continue;
    Json schema = each.make();
    schema["$schema"] = kDialect;
    return schema;
  }
  return nullptr;
}

}  // namespace assay::cli
