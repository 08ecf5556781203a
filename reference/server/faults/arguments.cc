// Faults of how the arguments of tools are held to their schemas. Specification: server/tools
// ("Security Considerations"), basic ("JSON Schema Usage").
#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// The tool whose schema uses what draft-07 says in other words says it in those.
void say_in_draft_07(Departure& d) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    Json& schema = tool["inputSchema"];
    if (!schema.contains("dependentRequired")) continue;
    schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    schema["dependencies"] = schema["dependentRequired"];
    schema.erase("dependentRequired");
  }
}

constexpr std::string_view kTyped = "test_typed_arguments";

// The params of a call of the tool with arguments of several types, or null.
Json* typed_call(Json& request) {
  if (request.value("method", "") != "tools/call") return nullptr;
  Json& params = request["params"];
  const bool is_it = params.is_object() && params.value("name", Json()) == kTyped;
  return is_it && params.contains("arguments") ? &params : nullptr;
}

// Lists that tool with one more argument, of which it knows the type alone.
void add_argument(Departure& d, const char* name, const Json& schema) {
  if (d.is_result_of("tools/list")) {
    for (Json& tool : d.result()["tools"]) {
      if (tool["name"] == kTyped) tool["inputSchema"]["properties"][name] = schema;
    }
  }
  if (!d.is_result_of("tools/call")) return;
  const Json arguments = d.request()->params().value("arguments", Json::object());
  if (!arguments.is_object() || !arguments.contains(name)) return;
  const bool is_of_type =
      schema["type"] == "array" ? arguments[name].is_array() : arguments[name].is_object();
  if (is_of_type) return;
  d.json().erase("result");
  d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "An argument has another type"}};
}

// What is looked at of arguments goes not far enough.
std::vector<Fault> shallow_faults() {
  return {
      {.id = "argument-required-later-unchecked",
       .description = "Wants the first of the arguments that a tool requires, and no other",
       .breaks = {"tools.inputs-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = typed_call(request);
             if (params && (*params)["arguments"].contains("count")) {
               (*params)["arguments"].emplace("unit", "inch");
             }
           }},
      {.id = "argument-null-accepted",
       .description = "Takes null for a number that a tool requires",
       .breaks = {"tools.inputs-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = typed_call(request);
             const Json::json_pointer count("/arguments/count");
             if (params && params->contains(count) && params->at(count).is_null()) {
               params->at(count) = 0;
             }
           }},
      {.id = "arguments-in-a-list-accepted",
       .description = "Calls a tool with an array for its arguments",
       .breaks = {"tools.inputs-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = typed_call(request);
             if (params && (*params)["arguments"].is_array()) {
               (*params)["arguments"] = {{"count", 0}, {"unit", "inch"}};
             }
           }},
      {.id = "argument-items-unchecked",
       .description = "Does not look at the items of an array among its arguments",
       .breaks = {"tools.inputs-validated"},
       .departure =
           [](Departure& d) {
             add_argument(d, "lines", {{"type", "array"}, {"items", {{"type", "string"}}}});
           }},
      {.id = "argument-members-unchecked",
       .description = "Does not look at the members of an object among its arguments",
       .breaks = {"tools.inputs-validated"},
       .departure =
           [](Departure& d) {
             add_argument(d, "size",
                          {{"type", "object"},
                           {"properties", {{"width", {{"type", "integer"}}}}},
                           {"required", Json::array({"width"})}});
           }},
  };
}

std::vector<Fault> unread_faults() {
  return {
      {.id = "argument-types-half-checked",
       .description = "Checks the type of no argument but texts",
       .breaks = {"tools.inputs-validated"},
       .inside = Switch::kChecksTextsOnly},
      {.id = "argument-choices-unchecked",
       .description = "Takes arguments that are none of the choices of their enum",
       .breaks = {"tools.inputs-validated"},
       .inside = Switch::kIgnoresChoices},
      {.id = "schema-read-as-draft-07",
       .description = "Does not know the keywords that JSON Schema has had since draft-07",
       .breaks = {"json-schema.2020-12-supported", "json-schema.validated-by-dialect"},
       .concerns = &model::Revision::has_json_schema_2020_12,
       .inside = Switch::kIgnoresNewerKeywords},
      {.id = "schema-dialect-ignored",
       .description = "Declares draft-07 for a schema and ignores its dependencies",
       .breaks = {"json-schema.validated-by-dialect"},
       .may_break = {"json-schema.2020-12-used"},
       .concerns = &model::Revision::has_json_schema_2020_12,
       .departure = say_in_draft_07,
       .inside = Switch::kIgnoresNewerKeywords},
  };
}

}  // namespace

std::vector<Fault> argument_faults() {
  std::vector<Fault> all = unread_faults();
  for (Fault& fault : shallow_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
