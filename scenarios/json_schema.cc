// Scenarios about the JSON Schemas of tools, as servers apply them.
//
// Specification: basic, "JSON Schema Usage" (from 2025-11-25).
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/model/schema_check.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kNewest = "json-schema.2020-12-supported";
constexpr RequirementId kByDialect = "json-schema.validated-by-dialect";
// Far from what any schema of a name, an address or a count allows.
constexpr int kOddNumber = 47'110'815;
constexpr const char* kOddText = "assay-no-such-text";

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

// No $schema means 2020-12.
bool is_of_2020_12(const Json& schema) {
  const std::string_view dialect = text_member(schema, "$schema");
  return dialect.empty() || dialect.find("json-schema.org/draft/2020-12/") != dialect.npos;
}
bool is_of_draft_07(const Json& schema) {
  return text_member(schema, "$schema").find("json-schema.org/draft-07/") != std::string::npos;
}

// Arguments that a schema allows, and the same with one that only a certain part of it forbids.
struct SchemaTrial {
  std::string tool;
  Json sound;
  Json broken;
  std::string how;      // "whose argument address breaks $defs"
  Json plainly_broken;  // one that any validator refuses
  bool is_of_2020_12 = true;
};

// The plainly typed properties of a tool, with values.
struct PlainProperties {
  Json arguments = Json::object();
  std::string text;  // one that is a text; empty if there is none
};

PlainProperties plain_properties(const Json& schema) {
  PlainProperties plain;
  const Json& properties = member(schema, "properties");
  if (!properties.is_object()) return plain;
  for (const auto& [name, property] : properties.items()) {
    const std::string_view type = text_member(property, "type");
    const bool is_plain = type == "string" || type == "integer" || type == "number" ||
                          type == "boolean" || !array_member(property, "enum").empty();
    if (!is_plain) continue;
    plain.arguments[name] = sample_value(property, name);
    if (plain.arguments[name].is_string()) plain.text = name;
  }
  return plain;
}

// The schema without keywords that one dialect has and another has not: what is left allows
// arguments that only those keywords forbid.
Json without_keywords(Json schema) {
  schema.erase("dependentRequired");
  schema.erase("dependencies");
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return schema;
  for (Json& property : *properties) {
    if (!property.is_object() || !property.contains("prefixItems")) continue;
    property.erase("prefixItems");
    property.erase("items");
  }
  return schema;
}

// What trials are made of, and where they go.
class SchemaTrials {
 public:
  explicit SchemaTrials(const Json& tool)
      : name_(text_member(tool, "name")),
        schema_(member(tool, "inputSchema")),
        plain_(plain_properties(schema_)) {}

  std::vector<SchemaTrial> take() {
    if (plain_.text.empty()) return {};
    if (is_of_2020_12(schema_)) {
      add_definitions();
      add_dependencies("dependentRequired", true);
      add_first_items();
    } else if (is_of_draft_07(schema_)) {
      add_dependencies("dependencies", false);
    }
    return std::move(trials_);
  }

 private:
  void add(Json sound, Json broken, std::string how, bool is_of_2020_12 = true) {
    Json plainly_broken = sound;
    plainly_broken[plain_.text] = kOddNumber;
    trials_.push_back({name_, std::move(sound), std::move(broken), std::move(how),
                       std::move(plainly_broken), is_of_2020_12});
  }

  // A property whose schema stands in $defs.
  void add_definitions() {
    if (!member(schema_, "$defs").is_object()) return;
    for (const auto& [name, property] : member(schema_, "properties").items()) {
      if (!text_member(property, "$ref").starts_with("#/$defs/")) continue;
      Json broken = plain_.arguments;
      broken[name] = kOddNumber;
      if (!allows(schema_, plain_.arguments) || !forbids(schema_, broken)) continue;
      return add(plain_.arguments, broken, fmt::format("whose argument {} breaks $defs", name));
    }
  }

  // A property beside which another has to stand. Without the keyword the schema allows both, so
  // that the keyword alone forbids one.
  void add_dependencies(const char* keyword, bool is_of_2020_12) {
    const Json without = without_keywords(schema_);
    for (const auto& [name, needed] : member(schema_, keyword).items()) {
      if (!needed.is_array() || needed.empty() || !plain_.arguments.contains(name)) continue;
      Json broken = plain_.arguments;
      bool is_plain = true;
      for (const Json& other : needed) {
        is_plain = is_plain && other.is_string() && broken.erase(other.get<std::string>()) == 1;
      }
      if (!is_plain || !broken.contains(name)) continue;
      if (!allows(schema_, plain_.arguments) || !forbids(schema_, broken)) continue;
      if (!allows(without, broken)) continue;
      return add(plain_.arguments, broken,
                 fmt::format("that has {} without what {} asks for beside it", name, keyword),
                 is_of_2020_12);
    }
  }

  // An array whose first item has a schema of its own.
  void add_first_items() {
    for (const auto& [name, property] : member(schema_, "properties").items()) {
      const Json& first = array_member(property, "prefixItems");
      if (first.empty()) continue;
      const Json without = without_keywords(schema_);
      Json sound = plain_.arguments;
      sound[name] = sample_value(property, name);
      Json broken = sound;
      broken[name][0] = forbids(first[0], kOddNumber) ? Json(kOddNumber) : Json(kOddText);
      if (!allows(schema_, sound) || !forbids(schema_, broken)) continue;
      if (!allows(without, broken)) continue;
      return add(sound, broken, fmt::format("whose argument {} breaks prefixItems", name));
    }
  }

  const std::string name_;
  const Json& schema_;
  const PlainProperties plain_;
  std::vector<SchemaTrial> trials_;
};

// True if something could be said.
bool judge_trial(Script& script, const SchemaTrial& trial) {
  const Reply sane = script.call_tool(trial.tool, trial.sound);
  if (is_refused(sane) || !sane.is_answered()) return false;
  // A server that validates nothing breaks another rule.
  if (!is_refused(script.call_tool(trial.tool, trial.plainly_broken))) return false;
  const Reply reply = script.call_tool(trial.tool, trial.broken);
  if (!reply.is_answered()) return false;
  const std::string detail = fmt::format("a call succeeded {}", trial.how);
  script.check(kByDialect, is_refused(reply), reply, detail);
  if (trial.is_of_2020_12) script.check(kNewest, is_refused(reply), reply, detail);
  return true;
}

// Arguments are held to what their schema says by its dialect: 2020-12, which every server
// supports, or the one that it declares. What the keywords of that dialect forbid is refused.
SCENARIO(json_schema_dialect_is_applied, in_both_eras(),
         in_revisions(&model::Revision::has_json_schema_2020_12),
         judges({"json-schema.2020-12-supported", "json-schema.validated-by-dialect"})) {
  bool is_tried = false;
  bool is_any = false;
  for (const Json& tool : script.survey().tools().items) {
    const std::vector<SchemaTrial> trials = SchemaTrials(tool).take();
    is_any = is_any || !trials.empty();
    if (!script.may_call(text_member(tool, "name"))) continue;
    for (const SchemaTrial& trial : trials) is_tried = judge_trial(script, trial) || is_tried;
  }
  if (is_tried) return;
  for (const RequirementId rule : {kNewest, kByDialect}) {
    if (!is_any && script.survey().tools().is_complete) {
      script.not_applicable(rule, "no tool of the server has a schema by which dialects differ");
      continue;
    }
    script.not_exercised(rule, "no tool that may be called has a schema by which dialects differ",
                         "a tool with readOnlyHint whose inputSchema uses $defs, prefixItems or "
                         "dependentRequired");
  }
}

}  // namespace
}  // namespace assay::scenarios
