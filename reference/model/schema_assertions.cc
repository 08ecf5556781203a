// The keywords that only look at the value, and say in words what they ask for.
#include <fmt/format.h>

#include <algorithm>

#include "reference/model/formats.h"
#include "reference/model/schema_evaluator.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

// So many values of an enumeration are said one by one.
constexpr std::size_t kMostSaidValues = 8;

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "array") return value.is_array();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return is_integer(value);
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "object") return value.is_object();
  return value.is_string();
}

std::string type_words(const Json& types) {
  if (types.is_string()) return types.get<std::string>();
  std::string words;
  for (const Json& one : types) {
    words += (words.empty() ? "" : " or ") + one.get<std::string>();
  }
  return words;
}

std::string value_words(const Json& values) {
  const bool is_said =
      values.size() <= kMostSaidValues && std::ranges::none_of(values, &Json::is_structured);
  if (!is_said || values.empty()) return "one of the values of \"enum\"";
  std::string words;
  for (const Json& one : values) words += (words.empty() ? "" : ", ") + found_value(one);
  return values.size() == 1 ? words : "one of " + words;
}

// A limit as it was written: "3", not "3.0".
std::string number_words(const Json& number) {
  return number.dump();
}

}  // namespace

Truth SchemaEvaluator::assert_it(const Place& place, const SchemaPart& part) {
  switch (part.keyword->duty) {
    case SchemaDuty::kType:
      return type(place, *part.value);
    case SchemaDuty::kConst:
      return constant(place, *part.value);
    case SchemaDuty::kEnum:
      return one_of_values(place, *part.value);
    case SchemaDuty::kPattern:
      return pattern(place, part.value->get_ref<const std::string&>());
    case SchemaDuty::kUniqueItems:
      return *part.value == true ? unique_items(place) : Truth::kYes;
    default:
      return part.keyword->shape == Shape::kCount ? size_limit(place, part)
                                                  : number_limit(place, part);
  }
}

Truth SchemaEvaluator::type(const Place& place, const Json& types) {
  const auto is_it = [&place](const Json& name) {
    return is_of_type(place.value, name.get_ref<const std::string&>());
  };
  const bool is_good = types.is_array() ? std::ranges::any_of(types, is_it) : is_it(types);
  if (is_good) return Truth::kYes;
  // A number where an integer is wanted is wrong by its value.
  const std::string words = type_words(types);
  const bool is_by_value = place.value.is_number() && words.find("integer") != std::string::npos;
  report(place.path, words, is_by_value ? found_value(place.value) : found_type(place.value));
  return Truth::kNo;
}

Truth SchemaEvaluator::constant(const Place& place, const Json& value) {
  const Truth is_it = is_equal(place.value, value, steps_);
  if (is_it == Truth::kMaybe) return unclear("a number is too large to be exact everywhere");
  return tell(is_it, place.path,
              value.is_structured() ? "the value of \"const\"" : found_value(value), place.value);
}

Truth SchemaEvaluator::one_of_values(const Place& place, const Json& values) {
  Truth result = Truth::kNo;
  for (const Json& one : values) {
    result = std::max(result, is_equal(place.value, one, steps_));
    if (result == Truth::kYes) return result;
  }
  if (result == Truth::kMaybe) return unclear("a number is too large to be exact everywhere");
  return tell(result, place.path, value_words(values), place.value);
}

Truth SchemaEvaluator::number_limit(const Place& place, const SchemaPart& part) {
  if (!place.value.is_number()) return Truth::kYes;
  const Json& limit = *part.value;
  Truth is_good = Truth::kYes;
  std::string_view words;
  switch (part.keyword->duty) {
    case SchemaDuty::kMinimum:
      is_good = negated(is_less(place.value, limit));
      words = "at least ";
      break;
    case SchemaDuty::kMaximum:
      is_good = negated(is_less(limit, place.value));
      words = "at most ";
      break;
    case SchemaDuty::kExclusiveMinimum:
      is_good = is_less(limit, place.value);
      words = "more than ";
      break;
    case SchemaDuty::kExclusiveMaximum:
      is_good = is_less(place.value, limit);
      words = "less than ";
      break;
    default:
      is_good = is_multiple(place.value, limit);
      words = "a multiple of ";
  }
  if (is_good == Truth::kMaybe) return unclear("a number is too large to be exact everywhere");
  return tell(is_good, place.path, std::string(words) + number_words(limit), place.value);
}

Truth SchemaEvaluator::size_limit(const Place& place, const SchemaPart& part) {
  const Json& value = place.value;
  std::string_view unit;
  bool is_least = false;
  switch (part.keyword->duty) {
    case SchemaDuty::kMinLength:
    case SchemaDuty::kMaxLength:
      if (!value.is_string()) return Truth::kYes;
      unit = "characters";
      is_least = part.keyword->duty == SchemaDuty::kMinLength;
      break;
    case SchemaDuty::kMinItems:
    case SchemaDuty::kMaxItems:
      if (!value.is_array()) return Truth::kYes;
      unit = "items";
      is_least = part.keyword->duty == SchemaDuty::kMinItems;
      break;
    default:
      if (!value.is_object()) return Truth::kYes;
      unit = "properties";
      is_least = part.keyword->duty == SchemaDuty::kMinProperties;
  }
  std::size_t size = value.size();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!steps_.spend(text.size() / 64)) return unclear("a text is too long to be counted");
    size = text_length(text);
  }
  const double limit = part.value->get<double>();
  const double real = static_cast<double>(size);
  if (is_least ? real >= limit : real <= limit) return Truth::kYes;
  report(
      place.path,
      fmt::format("{} {} {}", is_least ? "at least" : "at most", number_words(*part.value), unit),
      fmt::format("{} {}", size, unit));
  return Truth::kNo;
}

Truth SchemaEvaluator::pattern(const Place& place, const std::string& pattern) {
  if (!place.value.is_string()) return Truth::kYes;
  return tell(matches(pattern, place.value.get_ref<const std::string&>()), place.path,
              "string that matches " + excerpt(pattern), place.value);
}

Truth SchemaEvaluator::unique_items(const Place& place) {
  if (!place.value.is_array()) return Truth::kYes;
  const Truth is_good = are_different(place.value, steps_);
  if (is_good == Truth::kMaybe) return unclear("items that may be equal, and may be not");
  return tell(is_good, place.path, "items that all differ", place.value);
}

}  // namespace assay::model
