#include "harness/script/sample_value.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "harness/script/canary.h"
#include "harness/script/json_member.h"
#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

// Schemas of strangers may ask for any length; no honest one needs more than these.
constexpr std::size_t kLongestSample = 1024;
constexpr std::size_t kMostSampleItems = 16;
constexpr int kDeepestSample = 8;

std::size_t bounded(const Json& wish, std::size_t least, std::size_t most) {
  if (!wish.is_number_integer() || wish < 0) return least;
  return std::min(std::max(wish.get<std::size_t>(), least), most);
}

bool ends_in_word(std::string_view name, std::string_view word) {
  if (name.size() < word.size()) return false;
  const std::string_view end = name.substr(name.size() - word.size());
  return std::equal(end.begin(), end.end(), word.begin(), [](char one, char other) {
    return std::tolower(static_cast<unsigned char>(one)) == other;
  });
}

std::string sample_text(const Json& schema, std::string_view name) {
  const std::string_view format = text_member(schema, "format");
  if (format == "email" || (format.empty() && ends_in_word(name, "email"))) {
    return std::string(kPersonalAddress);
  }
  if (format == "uri" || format == "url") return "https://example.com/";
  if (format == "date") return "2025-01-31";
  if (format == "date-time") return "2025-01-31T12:00:00Z";
  if (format == "time") return "12:00:00Z";
  if (format == "uuid") return "123e4567-e89b-42d3-a456-426614174000";
  if (format == "ipv4") return "127.0.0.1";
  if (format == "hostname") return "example.com";
  if (ends_in_word(name, "url") || ends_in_word(name, "uri")) return "https://example.com/";
  const std::string word = "assay";
  const std::size_t least = bounded(member(schema, "minLength"), 0, kLongestSample);
  const std::size_t most = bounded(member(schema, "maxLength"), 0, kLongestSample);
  if (member(schema, "maxLength").is_number_integer() && most < word.size()) {
    return word.substr(0, most);
  }
  return least <= word.size() ? word : word + std::string(least - word.size(), 'y');
}

Json sample_number(const Json& schema) {
  for (const char* bound : {"minimum", "maximum"}) {
    if (member(schema, bound).is_number()) return member(schema, bound);
  }
  const Json& above = member(schema, "exclusiveMinimum");
  if (above.is_number_integer() && above < 1'000'000'000) return above.get<std::int64_t>() + 1;
  return 1;
}

Json sample(const Json& schema, std::string_view name, int depth);

Json sample_object(const Json& schema, int depth) {
  Json object = Json::object();
  for (const Json& name : array_member(schema, "required")) {
    if (!name.is_string() || object.size() >= kMostSampleItems) continue;
    const auto& key = name.get_ref<const std::string&>();
    object[key] = sample(member(member(schema, "properties"), key), key, depth + 1);
  }
  return object;
}

Json sample_array(const Json& schema, int depth) {
  const std::size_t count = bounded(member(schema, "minItems"), 1, kMostSampleItems);
  Json array = Json::array();
  const Json& first = array_member(schema, "prefixItems");
  while (array.size() < count) {
    const bool has_own = array.size() < first.size();
    array.push_back(sample(has_own ? first[array.size()] : member(schema, "items"), "", depth + 1));
  }
  return array;
}

std::string_view type_of_schema(const Json& schema) {
  const Json& types = array_member(schema, "type");
  if (!types.empty() && types[0].is_string()) return types[0].get_ref<const std::string&>();
  const std::string_view type = text_member(schema, "type");
  if (!type.empty()) return type;
  if (member(schema, "properties").is_object()) return "object";
  return member(schema, "items").is_null() ? "string" : "array";
}

Json sample(const Json& schema, std::string_view name, int depth) {
  if (!schema.is_object() || depth > kDeepestSample) return "assay";
  for (const char* given : {"default", "const"}) {
    if (schema.contains(given)) return schema[given];
  }
  for (const char* given : {"enum", "examples"}) {
    if (const Json& choices = array_member(schema, given); !choices.empty()) return choices[0];
  }
  for (const char* given : {"oneOf", "anyOf"}) {
    const Json& choices = array_member(schema, given);
    if (!choices.empty()) return sample(choices[0], name, depth + 1);
  }
  const std::string_view type = type_of_schema(schema);
  if (type == "boolean") return true;
  if (type == "integer" || type == "number") return sample_number(schema);
  if (type == "array") return sample_array(schema, depth);
  if (type == "object") return sample_object(schema, depth);
  if (type == "null") return nullptr;
  return sample_text(schema, name);
}

}  // namespace

Json sample_value(const Json& schema, std::string_view name) {
  return sample(schema, name, 0);
}

std::optional<Json> sample_arguments(const Json& input_schema) {
  Json arguments = sample_object(input_schema, 0);
  const auto outcome = model::check_against_schema(input_schema, arguments).outcome;
  if (outcome == model::SchemaOutcome::kInvalid) return std::nullopt;
  return arguments;
}

}  // namespace assay::harness
