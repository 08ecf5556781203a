#include "reference/server/arguments.h"

#include <algorithm>
#include <string_view>

#include "reference/model/schema_check.h"
#include "reference/server/handlers.h"

namespace assay::server {
namespace {

using Defect = std::optional<std::string>;

bool has_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

// The types that a property may have, as a person reads them: "string or integer". Empty where it
// has one of them, or may have any.
std::string missed_types(const Json& property, const Json& value) {
  const Json& types = member(property, "type");
  std::string missed;
  for (const Json& each : types.is_array() ? types : Json::array({types})) {
    if (!each.is_string()) return "";
    const auto& type = each.get_ref<const std::string&>();
    if (has_type(value, type)) return "";
    missed += (missed.empty() ? "" : " or ") + type;
  }
  return missed;
}

Defect check_required(const Json& schema, const Json& arguments) {
  for (const Json& name : member(schema, "required")) {
    const auto& key = name.get_ref<const std::string&>();
    if (!arguments.contains(key)) return "missing argument: " + key;
  }
  return std::nullopt;
}

Defect check_type(const Options& options, const std::string& name, const Json& property,
                  const Json& value) {
  const std::string missed = missed_types(property, value);
  if (missed.empty()) return std::nullopt;
  if (options.has(Switch::kChecksTextsOnly) && missed != "string") return std::nullopt;
  return "argument " + name + " must be of type " + missed;
}

Defect check_choice(const Options& options, const std::string& name, const Json& property,
                    const Json& value) {
  const Json& choices = member(property, "enum");
  if (!choices.is_array() || options.has(Switch::kIgnoresChoices)) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::nullopt;
  return "argument " + name + " is none of the choices";
}

Defect check_first_items(const std::string& name, const Json& property, const Json& value) {
  const Json& first = member(property, "prefixItems");
  if (!first.is_array() || !value.is_array()) return std::nullopt;
  for (std::size_t i = 0; i < std::min(first.size(), value.size()); ++i) {
    const std::optional<std::string> type = string_member(first[i], "type");
    if (type && !has_type(value[i], *type)) {
      return "argument " + name + " has an item that must be of type " + *type;
    }
  }
  return std::nullopt;
}

Defect check_dependencies(const Json& schema, const Json& arguments) {
  const Json& dependencies = member(schema, "dependentRequired");
  for (const auto& [name, needed] : dependencies.items()) {
    if (!arguments.contains(name)) continue;
    for (const Json& other : needed) {
      const auto& key = other.get_ref<const std::string&>();
      if (!arguments.contains(key)) return "missing argument beside " + name + ": " + key;
    }
  }
  return std::nullopt;
}

// Each that is given, and what is inside of it.
Defect check_properties(const Options& options, const Json& schema, const Json& values) {
  for (const auto& [name, property] : member(schema, "properties").items()) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    if (Defect defect = check_type(options, name, property, *found)) return defect;
    if (Defect defect = check_choice(options, name, property, *found)) return defect;
    if (!options.has(Switch::kIgnoresNewerKeywords)) {
      if (Defect defect = check_first_items(name, property, *found)) return defect;
    }
    if (!found->is_object()) continue;
    if (Defect defect = check_properties(options, property, *found)) return defect;
  }
  return std::nullopt;
}

// By the whole schema, where it refers to definitions of its own.
Defect check_definitions(const Json& schema, const Json& arguments) {
  if (!schema.contains("$defs")) return std::nullopt;
  const model::SchemaVerdict verdict = model::check_against_schema(schema, arguments);
  if (verdict.outcome != model::SchemaOutcome::kInvalid) return std::nullopt;
  return "arguments: " + model::to_text(verdict.deviations.front());
}

}  // namespace

std::optional<std::string> defect_of_arguments(const Options& options, const Json& schema,
                                               const Json& arguments) {
  if (Defect defect = check_required(schema, arguments)) return defect;
  if (Defect defect = check_properties(options, schema, arguments)) return defect;
  if (!options.has(Switch::kIgnoresNewerKeywords)) {
    if (Defect defect = check_dependencies(schema, arguments)) return defect;
  }
  if (options.has(Switch::kIgnoresReferences)) return std::nullopt;
  return check_definitions(schema, arguments);
}

}  // namespace assay::server
