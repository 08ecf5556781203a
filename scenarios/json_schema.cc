// Scenarios about the JSON Schemas of tools, as servers apply them.
//
// Specification: basic, "JSON Schema Usage" (from 2025-11-25).
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/model/schema_check.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// A value of a plainly typed property; null for any other.
Json plain_value(const Json& property) {
  const Json& choices = array_member(property, "enum");
  if (!choices.empty()) return choices.front();
  const std::string_view type = text_member(property, "type");
  if (type == "string") return "assay";
  if (type == "integer" || type == "number") return 1;
  if (type == "boolean") return true;
  return nullptr;
}

// Refused in either of the two ways that tools have.
bool is_refused(const Reply& reply) {
  return reply.is_error() || member(reply.result(), "isError") == true;
}

bool allows(const Json& schema, const Json& arguments) {
  return model::check_against_schema(schema, arguments).outcome == model::SchemaOutcome::kValid;
}
bool forbids(const Json& schema, const Json& arguments) {
  return model::check_against_schema(schema, arguments).outcome == model::SchemaOutcome::kInvalid;
}

// Arguments that a schema allows, and the same with one that only its $defs forbid.
struct SchemaTrial {
  std::string tool;
  Json sound;
  Json broken;
  std::string property;
  Json plainly_broken;  // one that any validator refuses
};

std::optional<SchemaTrial> trial_of(const Json& tool) {
  const Json& schema = member(tool, "inputSchema");
  const Json& properties = member(schema, "properties");
  if (!member(schema, "$defs").is_object() || !properties.is_object()) return std::nullopt;
  SchemaTrial trial{std::string(text_member(tool, "name")), Json::object(), nullptr, "", nullptr};
  std::string plain;
  for (const auto& [name, property] : properties.items()) {
    const Json value = plain_value(property);
    if (!value.is_null()) trial.sound[name] = value;
    if (value.is_string()) plain = name;
    if (text_member(property, "$ref").starts_with("#/$defs/")) trial.property = name;
  }
  trial.broken = trial.sound;
  trial.broken[trial.property] = 47'110'815;
  trial.plainly_broken = trial.sound;
  trial.plainly_broken[plain] = 47'110'815;
  const bool is_sharp = !plain.empty() && !trial.property.empty() && allows(schema, trial.sound) &&
                        forbids(schema, trial.broken);
  return is_sharp ? std::optional(trial) : std::nullopt;
}

// Arguments are held to what a schema of 2020-12 says in its $defs.
SCENARIO(json_schema_definitions_are_applied,
         in_revisions(&model::Revision::has_json_schema_2020_12),
         judges({"json-schema.2020-12-supported", "json-schema.validated-by-dialect"})) {
  bool is_tried = false;
  for (const Json& tool : script.survey().tools().items) {
    const auto trial = trial_of(tool);
    if (!trial || !script.may_call(trial->tool)) continue;
    const Reply sane = script.call_tool(trial->tool, trial->sound);
    if (is_refused(sane) || !sane.is_answered()) continue;
    // A server that validates nothing breaks another rule.
    if (!is_refused(script.call_tool(trial->tool, trial->plainly_broken))) continue;
    const Reply reply = script.call_tool(trial->tool, trial->broken);
    if (!reply.is_answered()) continue;
    is_tried = true;
    for (const RequirementId rule : {RequirementId("json-schema.2020-12-supported"),
                                     RequirementId("json-schema.validated-by-dialect")}) {
      script.check(rule, is_refused(reply), reply,
                   fmt::format("a call succeeded whose argument {} breaks its schema, which "
                               "stands in $defs",
                               trial->property));
    }
  }
  if (is_tried) return;
  for (const RequirementId rule : {RequirementId("json-schema.2020-12-supported"),
                                   RequirementId("json-schema.validated-by-dialect")}) {
    script.not_exercised(rule, "no tool that may be called has a schema with definitions",
                         "a tool with readOnlyHint whose inputSchema refers to its $defs");
  }
}

}  // namespace
}  // namespace assay::scenarios
