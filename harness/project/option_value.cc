#include "harness/project/option_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/escape.h"

namespace assay::cli {
namespace {

// Of one value, which is a text.
std::string why_not_text(const OptionInfo& option, const std::string& text) {
  // The word of a command line that an empty value makes would take the next one for its value.
  if (text.empty()) return "is empty";
  if (option.range) return why_not_in_range(*option.range, text);
  const bool is_choice =
      option.choices.empty() ||
      std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end();
  if (!is_choice) return fmt::format("is none of {}", fmt::join(option.choices, ", "));
  return "";
}

std::string what_is_wrong(const OptionInfo& option, const nlohmann::ordered_json& value) {
  if (option.placeholder.empty()) return value.is_boolean() ? "" : "is neither true nor false";
  if (value.is_string()) return why_not_text(option, value.get<std::string>());
  if (!value.is_array()) return "is no text";
  if (!option.is_repeatable) return "takes one value, not a list";
  for (const auto& each : value) {
    if (!each.is_string()) return "holds a value that is not text";
    if (std::string wrong = why_not_text(option, each.get<std::string>()); !wrong.empty())
      return "holds a value that " + wrong;
  }
  return "";
}

}  // namespace

std::string why_not_value(const OptionInfo& option, const nlohmann::ordered_json& value) {
  const std::string wrong = what_is_wrong(option, value);
  return wrong.empty() ? "" : option.names.front().substr(2) + " " + wrong;
}

nlohmann::json value_schema(const OptionInfo& option) {
  // A number without quotes is as good a text as any.
  nlohmann::json value = {{"type", {"string", "number"}}, {"minLength", 1}};
  if (option.range) {
    value = {{"type", option.range->is_whole ? "integer" : "number"},
             {"minimum", option.range->minimum},
             {"maximum", option.range->maximum}};
  }
  if (!option.choices.empty()) value = {{"enum", option.choices}};
  if (option.placeholder.empty()) value = {{"type", "boolean"}};
  if (option.is_repeatable) value = {{"anyOf", {value, {{"type", "array"}, {"items", value}}}}};
  value["description"] = option.help;
  return value;
}

}  // namespace assay::cli
