#include "reference/model/schema_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "reference/model/words.h"

namespace assay::model {
namespace {

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  const double number = value.get<double>();
  return std::isfinite(number) && std::floor(number) == number;
}

// ^[A-Za-z_][-A-Za-z0-9._]*$, as the meta-schema says it.
bool is_anchor_name(std::string_view text) {
  const auto is_first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_later = [&](char c) {
    return is_first(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && is_first(text.front()) && std::ranges::all_of(text, is_later);
}

// An empty one at the end is allowed.
bool has_no_fragment(std::string_view text) {
  return text.substr(0, text.find('#')).size() + 1 >= text.size();
}

class ShapeChecker {
 public:
  explicit ShapeChecker(Deviations& deviations) : deviations_(deviations) {}

  bool expect(bool is_good, std::string_view expected, const Json& value, const Path& path,
              bool says_value = false) {
    if (!is_good) {
      add_deviation(deviations_, path, std::string(expected),
                    says_value || value.is_number() ? found_value(value) : found_type(value));
    }
    return is_good;
  }

  bool check_types(const Json& value, const Path& path) {
    if (!value.is_array()) return check_type_name(value, path);
    bool is_good = expect(!value.empty(), "a type, or a non-empty array of types", value, path);
    std::size_t index = 0;
    for (const Json& one : value) {
      is_good = check_type_name(one, Path{&path, {}, index++}) && is_good;
    }
    return is_good && check_different(value, "an array of different types", path);
  }

  bool check_strings(const Json& value, const Path& path) {
    if (!expect(value.is_array(), "array of strings", value, path)) return false;
    bool is_good = true;
    std::size_t index = 0;
    for (const Json& one : value) {
      is_good = expect(one.is_string(), "string", one, Path{&path, {}, index++}) && is_good;
    }
    return is_good && check_different(value, "an array of different strings", path);
  }

  bool check_strings_of(const Json& value, const Path& path) {
    if (!expect(value.is_object(), "an object of arrays of strings", value, path)) return false;
    bool is_good = true;
    for (const auto& [name, strings] : value.get_ref<const Json::object_t&>()) {
      is_good = check_strings(strings, Path{&path, name}) && is_good;
    }
    return is_good;
  }

  bool check_dependencies(const Json& value, const Path& path) {
    if (!expect(value.is_object(), "an object", value, path)) return false;
    bool is_good = true;
    for (const auto& [name, one] : value.get_ref<const Json::object_t&>()) {
      if (one.is_array()) is_good = check_strings(one, Path{&path, name}) && is_good;
    }
    return is_good;
  }

 private:
  bool check_type_name(const Json& value, const Path& path) {
    return expect(is_type_name(value),
                  "one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", "
                  "\"string\"",
                  value, path, true);
  }

  bool check_different(const Json& strings, std::string_view expected, const Path& path) {
    std::set<std::string_view> seen;
    const bool is_good = std::ranges::all_of(strings, [&seen](const Json& one) {
      return seen.insert(one.get_ref<const std::string&>()).second;
    });
    if (!is_good) add_deviation(deviations_, path, std::string(expected), "the same one twice");
    return is_good;
  }

  Deviations& deviations_;
};

}  // namespace

bool is_type_name(const Json& value) {
  static constexpr std::array<std::string_view, 7> kNames = {"array",  "boolean", "integer", "null",
                                                             "number", "object",  "string"};
  return value.is_string() && std::find(kNames.begin(), kNames.end(),
                                        value.get_ref<const std::string&>()) != kNames.end();
}

void add_deviation(Deviations& deviations, const Path& path, std::string expected,
                   std::string found) {
  if (deviations.size() >= kMostDeviations) return;
  deviations.push_back(
      {path.pointer(), std::move(expected), std::move(found), Rule::kShape, Strength::kMust, {}});
}

bool check_shape(const Keyword& keyword, SchemaDialect dialect, const Json& value, const Path& path,
                 Deviations& deviations) {
  ShapeChecker checker(deviations);
  switch (keyword.shape) {
    case Shape::kAny:
    case Shape::kSchema:
      return true;
    case Shape::kItems:
      if (!value.is_array()) return true;
      return dialect == SchemaDialect::k2020_12
                 ? checker.expect(false, "a schema (an object or a boolean)", value, path)
                 : checker.expect(!value.empty(), "a schema, or a non-empty array of schemas",
                                  value, path);
    case Shape::kSchemas:
      return checker.expect(value.is_array() && !value.empty(), "a non-empty array of schemas",
                            value, path);
    case Shape::kSchemaMap:
      return checker.expect(value.is_object(), "an object of schemas", value, path);
    case Shape::kDependencies:
      return checker.check_dependencies(value, path);
    case Shape::kTypes:
      return checker.check_types(value, path);
    case Shape::kStrings:
      return checker.check_strings(value, path);
    case Shape::kStringsMap:
      return checker.check_strings_of(value, path);
    case Shape::kArray:
      return checker.expect(value.is_array(), "array", value, path);
    case Shape::kCount:
      return checker.expect(value.is_number() && is_whole(value) && value.get<double>() >= 0,
                            "whole number of at least 0", value, path);
    case Shape::kNumber:
      return checker.expect(value.is_number(), "number", value, path);
    case Shape::kPositive:
      return checker.expect(value.is_number() && value.get<double>() > 0, "number above 0", value,
                            path);
    case Shape::kString:
      return checker.expect(value.is_string(), "string", value, path);
    case Shape::kName:
      return checker.expect(
          value.is_string() && has_no_fragment(value.get_ref<const std::string&>()),
          "a URI reference without a fragment", value, path, true);
    case Shape::kAnchorName:
      return checker.expect(
          value.is_string() && is_anchor_name(value.get_ref<const std::string&>()),
          "a name of letters, digits, '-', '.' and '_'", value, path, true);
    case Shape::kBoolean:
      return checker.expect(value.is_boolean(), "boolean", value, path);
  }
  return true;
}

}  // namespace assay::model
