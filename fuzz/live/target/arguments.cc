#include "fuzz/live/target/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::fuzz {
namespace {

constexpr std::size_t kDeepest = 6;
constexpr std::size_t kMostMembers = 40;
constexpr std::size_t kLongestText = 4096;

Json member(const Json& object, const char* key) {
  return object.is_object() ? object.value(key, Json()) : Json();
}

// The first type that the schema names; "object" where it only speaks of properties.
std::string type_of(const Json& schema) {
  const Json type = member(schema, "type");
  if (type.is_string()) return type.get<std::string>();
  if (type.is_array() && !type.empty() && type[0].is_string()) return type[0].get<std::string>();
  return member(schema, "properties").is_object() ? "object" : "string";
}

std::optional<double> number(const Json& schema, const char* key) {
  const Json value = member(schema, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Json fitting_number(const Json& schema, bool is_integer, model::Random& random) {
  const double low = number(schema, "minimum").value_or(0);
  const double high = number(schema, "maximum").value_or(low + 10);
  const std::size_t roll = random.below(4);
  const double value = roll == 0 ? low : roll == 1 ? high : low + std::floor((high - low) / 2);
  if (std::abs(value) < 9e15 && (is_integer || value == std::floor(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json fitting_string(const Json& schema, model::Random& random) {
  static constexpr const char* kTexts[] = {"a", "assay", "hello world", "1", "\xC3\xA9"};
  const std::string format = member(schema, "format").is_string()
                                 ? member(schema, "format").get<std::string>()
                                 : std::string();
  if (format == "uri") return "https://example.com/";
  if (format == "date-time") return "2025-01-31T12:00:00Z";
  if (format == "date") return "2025-01-31";
  if (format == "email") return "a@example.com";
  std::string text = random.pick(kTexts);
  const double least = number(schema, "minLength").value_or(0);
  if (least > static_cast<double>(text.size())) {
    text = std::string(static_cast<std::size_t>(std::min(least, double{kLongestText})), 'a');
  }
  return text;
}

// How a value is chosen: any that fits, or all there is and the first of it.
struct Taste {
  model::Random& random;
  bool is_full = false;

  std::size_t below(std::size_t bound) const { return is_full ? 0 : random.below(bound); }
  bool wants(std::size_t percent) const { return is_full || random.chance(percent); }
};

Json fitting(const Json& schema, const Taste& taste, std::size_t depth);

Json fitting_object(const Json& schema, const Taste& taste, std::size_t depth) {
  Json out = Json::object();
  const Json properties = member(schema, "properties");
  if (!properties.is_object()) return out;
  const Json required = member(schema, "required");
  const auto is_required = [&](const std::string& key) {
    return required.is_array() &&
           std::find(required.begin(), required.end(), key) != required.end();
  };
  for (const auto& [key, value] : properties.items()) {
    if (out.size() >= kMostMembers) break;
    if (is_required(key) || taste.wants(50)) out[key] = fitting(value, taste, depth + 1);
  }
  return out;
}

Json fitting(const Json& schema, const Taste& taste, std::size_t depth) {
  if (!schema.is_object() || depth > kDeepest) return nullptr;
  if (schema.contains("const")) return schema["const"];
  const Json choices = member(schema, "enum");
  if (choices.is_array() && !choices.empty()) return choices[taste.below(choices.size())];
  for (const char* key : {"anyOf", "oneOf"}) {
    const Json options = member(schema, key);
    if (options.is_array() && !options.empty()) {
      return fitting(options[taste.below(options.size())], taste, depth + 1);
    }
  }
  if (schema.contains("default") && taste.wants(30)) return schema["default"];
  const std::string type = type_of(schema);
  if (type == "object") return fitting_object(schema, taste, depth);
  if (type == "integer" || type == "number") {
    return fitting_number(schema, type == "integer", taste.random);
  }
  if (type == "boolean") return taste.wants(50);
  if (type == "null") return nullptr;
  if (type == "array") {
    Json out = Json::array();
    const double least = number(schema, "minItems").value_or(0);
    const std::size_t count = static_cast<std::size_t>(std::clamp(least, 0.0, 10.0));
    for (std::size_t i = 0; i < std::max(count, taste.is_full ? 1 : taste.random.below(3)); ++i) {
      out.push_back(fitting(member(schema, "items"), taste, depth + 1));
    }
    return out;
  }
  return fitting_string(schema, taste.random);
}

// A value of another type than the schema asks for.
Json other_type(const Json& schema, model::Random& random) {
  const std::string type = type_of(schema);
  const std::vector<Json> values = {Json(7),
                                    Json("seven"),
                                    Json(true),
                                    Json(nullptr),
                                    Json(7.25),
                                    Json::array({1, "two"}),
                                    Json::object({{"a", 1}})};
  for (std::size_t attempt = 0; attempt < 8; ++attempt) {
    const Json& value = random.pick(values);
    const bool is_same =
        (value.is_number() && (type == "integer" || type == "number")) ||
        (value.is_string() && type == "string") || (value.is_boolean() && type == "boolean") ||
        (value.is_array() && type == "array") || (value.is_object() && type == "object") ||
        (value.is_null() && type == "null");
    if (!is_same) return value;
  }
  return nullptr;
}

// Just outside of what the property's schema allows; nothing where it has no such bound.
std::optional<BadArguments> beyond(const Json& schema, model::Random& random) {
  std::vector<BadArguments> ways;
  if (const auto least = number(schema, "minimum")) ways.push_back({"below-minimum", *least - 1});
  if (const auto most = number(schema, "maximum")) ways.push_back({"above-maximum", *most + 1});
  if (const auto most = number(schema, "maxLength"); most && *most >= 0 && *most < kLongestText) {
    ways.push_back({"too-long", std::string(static_cast<std::size_t>(*most) + 1, 'a')});
  }
  if (const auto least = number(schema, "minLength"); least && *least >= 1) {
    ways.push_back({"too-short", ""});
  }
  if (member(schema, "enum").is_array()) ways.push_back({"not-in-enum", "assay-no-such-choice"});
  if (type_of(schema) == "integer") ways.push_back({"fraction", 1.5});
  if (ways.empty()) return std::nullopt;
  return random.pick(ways);
}

}  // namespace

Json fitting_arguments(const Json& schema, model::Random& random) {
  Json out = fitting(schema, {random}, 0);
  return out.is_object() ? out : Json::object();
}

Json full_arguments(const Json& schema) {
  model::Random random(1);
  Json out = fitting(schema, {random, true}, 0);
  return out.is_object() ? out : Json::object();
}

Json prompt_arguments(const Json& prompt) {
  Json arguments = Json::object();
  const Json listed = member(prompt, "arguments");
  if (!listed.is_array()) return arguments;
  for (const Json& argument : listed) {
    const Json name = member(argument, "name");
    if (name.is_string()) arguments[name.get<std::string>()] = "a";
  }
  return arguments;
}

BadArguments bad_arguments(const Json& schema, model::Random& random) {
  Json value = fitting_arguments(schema, random);
  const Json properties = member(schema, "properties");
  if (!properties.is_object() || properties.empty() || random.chance(10)) {
    const std::size_t roll = random.below(3);
    if (roll == 0) return {"array", Json::array({value})};
    if (roll == 1) return {"string", "assay"};
    value["assay_unknown"] = 1;
    return {"unknown-member", value};
  }
  auto at = properties.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(properties.size())));
  const std::string& key = at.key();
  const std::size_t roll = random.below(4);
  if (roll == 0) {
    value.erase(key);
    return {"drop", value};
  }
  if (roll == 1) {
    value[key] = nullptr;
    return {"null", value};
  }
  if (roll == 2) {
    if (auto outside = beyond(*at, random)) {
      value[key] = outside->value;
      return {outside->label, value};
    }
  }
  value[key] = other_type(*at, random);
  return {"wrong-type", value};
}

}  // namespace assay::fuzz
