#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "harness/surface/schema_difference.h"

namespace assay::harness {
namespace {

constexpr int kDeepest = 6;
constexpr std::size_t kMostOfOnePlace = 40;
constexpr std::size_t kMostItems = 64;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostProperties = 128;

// Makes values for the parts of one schema, whose references lead to places in it.
class SpecimenMaker {
 public:
  explicit SpecimenMaker(const Json& root) : root_(root) {}

  std::vector<Json> make(const Json& referring, std::string_view name, int depth) const;

 private:
  using Values = std::vector<Json>;

  void add_branches(const Json& schema, std::string_view name, int depth, Values& into) const;
  void add_type(std::string_view type, const Json& schema, std::string_view name, int depth,
                Values& into) const;
  void add_objects(const Json& schema, int depth, Values& into) const;
  void add_arrays(const Json& schema, int depth, Values& into) const;

  const Json& root_;
};

void add(std::vector<Json>& values, Json value) {
  if (values.size() < kMostOfOnePlace &&
      std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(std::move(value));
  }
}

std::size_t count_member(const Json& schema, std::string_view name, std::size_t otherwise,
                         std::size_t most) {
  const Json& value = member(schema, name);
  if (!value.is_number_integer() || value < 0) return otherwise;
  return std::min(value.get<std::size_t>(), most);
}

void add_texts(const Json& schema, std::string_view name, std::vector<Json>& into) {
  const Json sample = sample_value(schema, name);
  if (sample.is_string()) add(into, sample);
  add(into, "assay");
  add(into, "");
  for (const char* bound : {"minLength", "maxLength"}) {
    const std::size_t length = count_member(schema, bound, kLongestText, kLongestText);
    if (length >= kLongestText) continue;
    add(into, std::string(length, 'a'));
    add(into, std::string(length + 1, 'a'));
    if (length > 0) add(into, std::string(length - 1, 'a'));
  }
}

void add_numbers(const Json& schema, bool is_integer, std::vector<Json>& into) {
  constexpr double kFar = 1e12;  // beyond it, a step of one need not be exact
  for (const char* bound : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    const Json& limit = member(schema, bound);
    if (!limit.is_number()) continue;
    add(into, limit);
    if (std::abs(limit.get<double>()) > kFar) continue;
    for (const int step : {1, -1}) {
      if (limit.is_number_integer()) {
        add(into, limit.get<std::int64_t>() + step);
      } else {
        add(into, limit.get<double>() + step);
      }
    }
  }
  if (member(schema, "multipleOf").is_number()) add(into, member(schema, "multipleOf"));
  for (const int value : {1, 0, -1, 7}) add(into, value);
  if (!is_integer) add(into, 0.5);
}

void SpecimenMaker::add_arrays(const Json& schema, int depth, Values& into) const {
  const Values items = make(member(schema, "items"), "", depth + 1);
  const std::size_t least = count_member(schema, "minItems", 1, kMostItems);
  Json start = Json::array();
  for (const Json& each : array_member(schema, "prefixItems")) {
    const Values values = make(each, "", depth + 1);
    if (!values.empty() && start.size() < kMostItems) start.push_back(values.front());
  }
  const auto filled = [&](std::size_t size, const Json& item) {
    Json array = start;
    while (array.size() < size) array.push_back(item);
    return array;
  };
  const Json first = items.empty() ? Json("assay") : items.front();
  add(into, filled(std::max<std::size_t>(least, 1), first));
  for (const Json& item : items) add(into, filled(std::max(least, start.size() + 1), item));
  add(into, Json::array());
  if (least > 0) add(into, filled(least - 1, first));
  add(into, filled(2, first));
  const std::size_t most = count_member(schema, "maxItems", kMostItems, kMostItems);
  if (most < kMostItems) {
    add(into, filled(most, first));
    add(into, filled(most + 1, first));
  }
}

void SpecimenMaker::add_objects(const Json& schema, int depth, Values& into) const {
  const Json& properties = member(schema, "properties");
  Json base = Json::object();
  std::vector<std::pair<std::string, Values>> all;
  if (properties.is_object()) {
    for (const auto& [key, property] : properties.items()) {
      if (all.size() >= kMostProperties) break;
      all.emplace_back(key, make(property, key, depth + 1));
    }
  }
  const auto values_of = [&](const std::string& key) -> const Values* {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == key; });
    return found == all.end() ? nullptr : &found->second;
  };
  for (const Json& name : array_member(schema, "required")) {
    if (!name.is_string() || base.size() >= kMostProperties) continue;
    const auto& key = name.get_ref<const std::string&>();
    const Values* values = values_of(key);
    base[key] = values == nullptr || values->empty() ? Json("assay") : values->front();
  }
  into.push_back(base);
  Json whole = base;
  for (const auto& [key, values] : all) {
    if (!values.empty()) whole[key] = values.front();
  }
  into.push_back(whole);
  for (const auto& [key, values] : all) {
    Json without = whole;
    without.erase(key);
    into.push_back(std::move(without));
    for (const Json& value : values) {
      if (into.size() >= kMostSpecimens) return;
      Json with = base;
      with[key] = value;
      into.push_back(std::move(with));
    }
  }
  const Json& others = member(schema, "additionalProperties");
  Json extended = base;
  const Values values = others.is_object() ? make(others, "", depth + 1) : Values{};
  extended["assayExtra"] = values.empty() ? Json("assay") : values.front();
  into.push_back(std::move(extended));
}

void SpecimenMaker::add_type(std::string_view type, const Json& schema, std::string_view name,
                             int depth, Values& into) const {
  if (type == "string") add_texts(schema, name, into);
  if (type == "number" || type == "integer") add_numbers(schema, type == "integer", into);
  if (type == "boolean") {
    add(into, true);
    add(into, false);
  }
  if (type == "null") add(into, nullptr);
  if (type == "array") add_arrays(schema, depth, into);
  if (type == "object") add_objects(schema, depth, into);
}

void SpecimenMaker::add_branches(const Json& schema, std::string_view name, int depth,
                                 Values& into) const {
  Json joined = Json::object();  // what all parts of an allOf ask for together
  for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
    for (const Json& branch : array_member(schema, keyword)) {
      for (Json& value : make(branch, name, depth + 1)) {
        if (value.is_object() && std::string_view(keyword) == "allOf") joined.update(value);
        if (into.size() < kMostSpecimens) into.push_back(std::move(value));
      }
    }
  }
  for (const char* keyword : {"if", "then", "else"}) {
    const Json& branch = member(schema, keyword);
    if (branch.is_null()) continue;
    for (Json& value : make(branch, name, depth + 1)) {
      if (into.size() < kMostSpecimens) into.push_back(std::move(value));
    }
  }
  if (!joined.empty()) into.push_back(std::move(joined));
}

// What the schema says of its type; where it says nothing, what its keywords are about.
std::vector<std::string> types_of(const Json& schema) {
  std::vector<std::string> types;
  const Json& type = member(schema, "type");
  if (type.is_string()) types.push_back(type.get<std::string>());
  for (const Json& each : array_member(schema, "type")) {
    if (each.is_string()) types.push_back(each.get<std::string>());
  }
  if (!types.empty()) return types;
  if (schema.contains("properties") || schema.contains("required")) return {"object"};
  if (schema.contains("items") || schema.contains("prefixItems")) return {"array"};
  return {};
}

std::vector<Json> SpecimenMaker::make(const Json& referring, std::string_view name,
                                      int depth) const {
  static const std::vector<Json> kOneOfEachType = {
      "assay", 1, 0.5, true, nullptr, Json::array(), Json::object()};
  const Json& schema = resolved(root_, referring);
  if (!schema.is_object() || depth > kDeepest) return kOneOfEachType;
  Values values;
  if (schema.contains("const")) add(values, schema["const"]);
  for (const Json& each : array_member(schema, "enum")) add(values, each);
  if (values.empty() && schema.contains("default")) add(values, schema["default"]);
  for (const std::string& type : types_of(schema)) add_type(type, schema, name, depth, values);
  add_branches(schema, name, depth, values);
  for (const Json& other : kOneOfEachType) {
    if (std::find(values.begin(), values.end(), other) == values.end()) values.push_back(other);
  }
  return values;
}

}  // namespace

const Json& resolved(const Json& root, const Json& schema) {
  const Json* at = &schema;
  for (int steps = 0; steps < kDeepest; ++steps) {
    const std::string_view reference = text_member(*at, "$ref");
    if (!reference.starts_with("#/")) return *at;
    try {
      const Json::json_pointer pointer{std::string(reference.substr(1))};
      if (!root.contains(pointer)) return *at;
      at = &root.at(pointer);
    } catch (const Json::exception&) {
      return *at;  // a reference that is no pointer
    }
  }
  return *at;
}

std::vector<Json> specimens(const Json& schema) {
  std::vector<Json> values;
  if (auto arguments = sample_arguments(schema)) values.push_back(*std::move(arguments));
  for (Json& each : SpecimenMaker(schema).make(schema, "", 0)) {
    if (values.size() >= kMostSpecimens) break;
    values.push_back(std::move(each));
  }
  return values;
}

}  // namespace assay::harness
