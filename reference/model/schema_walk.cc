#include "reference/model/schema_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "reference/model/schema_check.h"
#include "reference/model/schema_keywords.h"
#include "reference/model/validator.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

bool is_type_name(const Json& value) {
  static constexpr std::array<std::string_view, 7> kNames = {"array",  "boolean", "integer", "null",
                                                             "number", "object",  "string"};
  return value.is_string() && std::find(kNames.begin(), kNames.end(),
                                        value.get_ref<const std::string&>()) != kNames.end();
}

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  const double number = value.get<double>();
  return std::isfinite(number) && std::floor(number) == number;
}

enum class Dialect : std::uint8_t { kUnsaid, kNewest, kOlder, kUnknown };

Dialect dialect_of(const Json& schema) {
  if (!schema.is_object()) return Dialect::kUnsaid;
  const auto named = schema.find("$schema");
  if (named == schema.end() || !named->is_string()) return Dialect::kUnsaid;
  const std::string& uri = named->get_ref<const std::string&>();
  const auto says = [&](std::string_view part) { return uri.find(part) != std::string::npos; };
  if (says("json-schema.org/draft/2020-12/schema")) return Dialect::kNewest;
  if (says("json-schema.org/draft/2019-09/schema")) return Dialect::kOlder;
  if (says("json-schema.org/draft-07/schema")) return Dialect::kOlder;
  if (says("json-schema.org/draft-06/schema")) return Dialect::kOlder;
  return Dialect::kUnknown;
}

class Surveyor {
 public:
  explicit Surveyor(const Json& root) : root_(root), dialect_(dialect_of(root)) {}

  SchemaSurvey survey() {
    if (dialect_ == Dialect::kUnknown) {
      survey_.cannot_be_read = "its $schema names a dialect that is not known here";
      return std::move(survey_);
    }
    walk(root_, Path{}, 0);
    for (const Json* target : targets_) {
      if (!schemas_.contains(target)) note("a $ref to what does not stand where a schema stands");
    }
    if (has_ref_ && has_odd_name_) {
      note("property names with '/', '~' or '%' beside references");
    }
    if (has_ref_ && has_inner_id_) note("a $id inside the schema, which references may start from");
    return std::move(survey_);
  }

 private:
  void note(std::string what) {
    if (survey_.cannot_evaluate.empty()) survey_.cannot_evaluate = std::move(what);
  }

  void deviate(const Path& path, std::string expected, const Json& value, bool says_value = false) {
    if (survey_.deviations.size() >= kMostDeviations) return;
    survey_.deviations.push_back({path.pointer(),
                                  std::move(expected),
                                  says_value ? found_value(value) : found_type(value),
                                  Rule::kShape,
                                  Strength::kMust,
                                  {}});
  }

  void walk(const Json& schema, const Path& path, std::size_t depth) {
    if (!survey_.cannot_be_read.empty()) return;
    if (++nodes_ > kMostSchemaNodes || depth > kDeepestSchema) {
      survey_.cannot_be_read = "it is larger or deeper than what is evaluated";
      return;
    }
    schemas_.insert(&schema);
    if (schema.is_boolean()) return;
    if (!schema.is_object()) return deviate(path, "a schema (an object or a boolean)", schema);
    for (const auto& [name, value] : schema.get_ref<const Json::object_t&>()) {
      const Keyword* keyword = find_keyword(name);
      if (keyword == nullptr) continue;  // any other member is an annotation
      const Path here{&path, name};
      if (!check_shape(*keyword, value, here, depth)) continue;
      if (keyword->use == Use::kNotEvaluated) note(fmt::format("the keyword \"{}\"", name));
      look_closer(name, value, schema, here, depth);
    }
  }

  // What the shape alone does not tell.
  void look_closer(std::string_view name, const Json& value, const Json& schema, const Path& path,
                   std::size_t depth) {
    if (name == "$ref") return check_reference(value, schema, path);
    if (name == "$id" && depth > 0) has_inner_id_ = true;
    if (name == "$schema" && depth > 0) note("a $schema inside the schema");
    if (name == "minLength" || name == "maxLength") survey_.has_length = true;
    if (name == "pattern") check_pattern(value.get_ref<const std::string&>());
    if (name == "patternProperties") {
      for (const auto& [pattern, part] : value.items()) check_pattern(pattern);
    }
    if (name == "properties") {
      for (const auto& [property, part] : value.items()) {
        if (property.find_first_of("/~%") != std::string::npos) has_odd_name_ = true;
      }
    }
    if (name == "items" && value.is_array()) note("\"items\" as an array");
  }

  void check_pattern(const std::string& pattern) {
    survey_.has_pattern = true;
    if (pattern_cost(pattern, 1) == kUnbounded)
      note("a pattern that could take very long, or is unusual");
  }

  void check_reference(const Json& value, const Json& schema, const Path& path) {
    has_ref_ = true;
    const std::string& reference = value.get_ref<const std::string&>();
    if (reference != "#" && !reference.starts_with("#/")) {
      return note("a $ref that leads out of the schema, or to an anchor");
    }
    const Json* target = resolve_local(root_, reference);
    if (target == nullptr || !(target->is_object() || target->is_boolean())) {
      if (!root_.contains("$id")) deviate(path, "a reference to a schema", value, true);
      return note("a $ref that leads nowhere");
    }
    targets_.push_back(target);
    if (is_circle(*target)) note("references that only lead to each other");
    if (reference.find_first_of("~%") != std::string::npos || reference.ends_with('/')) {
      note("a $ref with escaped characters");
    }
    if (dialect_ == Dialect::kOlder) return;  // there, siblings of a $ref do not count
    for (const auto& [name, sibling] : schema.items()) {
      const Keyword* keyword = find_keyword(name);
      if (name == "$ref" || keyword == nullptr || keyword->use == Use::kAnnotation) continue;
      note("keywords beside a $ref");
    }
  }

  // Whether a chain of references never comes to a schema; the evaluator would follow it for ever.
  bool is_circle(const Json& first) const {
    constexpr int kLongestChain = 100;
    const Json* at = &first;
    for (int i = 0; i < kLongestChain; ++i) {
      const auto next = at->is_object() ? at->find("$ref") : at->end();
      if (next == at->end() || !next->is_string()) return false;
      at = resolve_local(root_, next->get_ref<const std::string&>());
      if (at == nullptr) return false;
    }
    return true;
  }

  bool check_shape(const Keyword& keyword, const Json& value, const Path& path, std::size_t depth) {
    switch (keyword.shape) {
      case Shape::kSchema:
        walk(value, path, depth + 1);
        return true;
      case Shape::kItems:
        if (value.is_array() && dialect_ != Dialect::kNewest) return walk_all(value, path, depth);
        walk(value, path, depth + 1);
        return true;
      case Shape::kSchemas:
        return expect(value.is_array() && !value.empty(), "a non-empty array of schemas", value,
                      path) &&
               walk_all(value, path, depth);
      case Shape::kSchemaMap:
        return expect(value.is_object(), "an object of schemas", value, path) &&
               walk_members(value, path, depth);
      case Shape::kDependencies:
        return expect(value.is_object(), "an object", value, path);
      case Shape::kTypes:
        return check_types(value, path);
      case Shape::kStrings:
        return check_strings(value, path);
      case Shape::kStringsMap:
        return expect(value.is_object(), "an object of arrays of strings", value, path) &&
               check_strings_of(value, path);
      case Shape::kArray:
        return expect(value.is_array(), "array", value, path);
      case Shape::kCount:
        return expect(value.is_number() && is_whole(value) && value.get<double>() >= 0,
                      "whole number of at least 0", value, path);
      case Shape::kNumber:
        return expect(value.is_number(), "number", value, path);
      case Shape::kPositive:
        return expect(value.is_number() && value.get<double>() > 0, "number above 0", value, path);
      case Shape::kString:
        return expect(value.is_string(), "string", value, path);
      case Shape::kBoolean:
        return expect(value.is_boolean(), "boolean", value, path);
    }
    return true;
  }

  bool expect(bool is_good, std::string_view expected, const Json& value, const Path& path) {
    if (!is_good) deviate(path, std::string(expected), value, value.is_number());
    return is_good;
  }

  bool walk_all(const Json& schemas, const Path& path, std::size_t depth) {
    std::size_t index = 0;
    for (const Json& schema : schemas) walk(schema, Path{&path, {}, index++}, depth + 1);
    return true;
  }

  bool walk_members(const Json& schemas, const Path& path, std::size_t depth) {
    for (const auto& [name, schema] : schemas.get_ref<const Json::object_t&>()) {
      walk(schema, Path{&path, name}, depth + 1);
    }
    return true;
  }

  bool check_types(const Json& value, const Path& path) {
    constexpr std::string_view kExpected =
        "one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\"";
    if (value.is_array()) {
      std::size_t index = 0;
      bool is_good = expect(!value.empty(), "a type, or a non-empty array of types", value, path);
      for (const Json& one : value) {
        const Path here{&path, {}, index++};
        if (is_type_name(one)) continue;
        deviate(here, std::string(kExpected), one, true);
        is_good = false;
      }
      return is_good;
    }
    if (is_type_name(value)) return true;
    deviate(path, std::string(kExpected), value, true);
    return false;
  }

  bool check_strings(const Json& value, const Path& path) {
    if (!expect(value.is_array(), "array of strings", value, path)) return false;
    bool is_good = true;
    std::size_t index = 0;
    for (const Json& one : value) {
      const Path here{&path, {}, index++};
      is_good = expect(one.is_string(), "string", one, here) && is_good;
    }
    return is_good;
  }

  bool check_strings_of(const Json& value, const Path& path) {
    bool is_good = true;
    for (const auto& [name, strings] : value.get_ref<const Json::object_t&>()) {
      is_good = check_strings(strings, Path{&path, name}) && is_good;
    }
    return is_good;
  }

  const Json& root_;
  Dialect dialect_;
  SchemaSurvey survey_;
  std::size_t nodes_ = 0;
  std::set<const Json*> schemas_;     // that were looked at
  std::vector<const Json*> targets_;  // of references
  bool has_ref_ = false;
  bool has_odd_name_ = false;
  bool has_inner_id_ = false;
};

}  // namespace

SchemaSurvey survey_schema(const Json& schema) {
  return Surveyor(schema).survey();
}

const Json* resolve_local(const Json& root, std::string_view reference) {
  if (reference.empty() || reference.front() != '#') return nullptr;
  reference.remove_prefix(1);
  const Json* at = &root;
  while (!reference.empty()) {
    if (reference.front() != '/') return nullptr;
    const std::size_t end = reference.find('/', 1);
    std::string token(reference.substr(1, end == std::string_view::npos ? end : end - 1));
    reference.remove_prefix(end == std::string_view::npos ? reference.size() : end);
    for (std::size_t i = 0; (i = token.find("~1", i)) != std::string::npos; ++i) {
      token.replace(i, 2, "/");
    }
    for (std::size_t i = 0; (i = token.find("~0", i)) != std::string::npos; ++i) {
      token.replace(i, 2, "~");
    }
    if (at->is_object()) {
      const auto found = at->find(token);
      if (found == at->end()) return nullptr;
      at = &*found;
    } else if (at->is_array()) {
      const bool is_index = !token.empty() && token.size() < 8 &&
                            token.find_first_not_of("0123456789") == std::string::npos;
      if (!is_index || std::stoul(token) >= at->size()) return nullptr;
      at = &(*at)[std::stoul(token)];
    } else {
      return nullptr;
    }
  }
  return at;
}

}  // namespace assay::model
