#include "harness/script/header_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <set>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/http_text.h"

namespace assay::harness {
namespace {

// Keywords that hold subschemas, besides `properties`, by which alone a parameter can be reached.
enum class Shape : std::uint8_t { kOne, kList, kMap };
struct Keyword {
  const char* name;
  Shape shape;
  bool is_barred;  // an array, composition or conditional keyword, which the text names
};
constexpr std::array kKeywords = {
    Keyword{"items", Shape::kOne, true},
    Keyword{"items", Shape::kList, true},
    Keyword{"prefixItems", Shape::kList, true},
    Keyword{"additionalItems", Shape::kOne, true},
    Keyword{"unevaluatedItems", Shape::kOne, true},
    Keyword{"contains", Shape::kOne, true},
    Keyword{"oneOf", Shape::kList, true},
    Keyword{"anyOf", Shape::kList, true},
    Keyword{"allOf", Shape::kList, true},
    Keyword{"not", Shape::kOne, true},
    Keyword{"if", Shape::kOne, true},
    Keyword{"then", Shape::kOne, true},
    Keyword{"else", Shape::kOne, true},
    Keyword{"$defs", Shape::kMap, false},
    Keyword{"definitions", Shape::kMap, false},
    Keyword{"additionalProperties", Shape::kOne, false},
    Keyword{"unevaluatedProperties", Shape::kOne, false},
    Keyword{"propertyNames", Shape::kOne, false},
    Keyword{"patternProperties", Shape::kMap, false},
    Keyword{"dependentSchemas", Shape::kMap, false},
};

// Every annotation of a schema. The depth of messages is bounded, and so is that of the walk.
class AnnotationWalk {
 public:
  explicit AnnotationWalk(const Json& root) { visit(root, {}); }
  std::vector<HeaderAnnotation> take() { return std::move(found_); }

 private:
  void visit(const Json& schema, const HeaderAnnotation& place) {
    if (!schema.is_object()) return;
    if (schema.contains(kHeaderAnnotation)) {
      found_.push_back(place);
      found_.back().schema = &schema;
    }
    const Json& properties = member(schema, "properties");
    if (properties.is_object()) {
      for (const auto& [name, property] : properties.items()) {
        HeaderAnnotation inner = below(place, "properties", name);
        inner.property = name;
        visit(property, inner);
      }
    }
    for (const Keyword& keyword : kKeywords) visit_keyword(schema, keyword, place);
  }

  void visit_keyword(const Json& schema, const Keyword& keyword, const HeaderAnnotation& place) {
    const Json& value = member(schema, keyword.name);
    if (keyword.shape == Shape::kOne) {
      HeaderAnnotation inner = past(place, keyword);
      inner.pointer += std::string("/") + keyword.name;
      visit(value, inner);
    } else if (keyword.shape == Shape::kList ? value.is_array() : value.is_object()) {
      for (const auto& [key, each] : value.items()) {
        visit(each, below(past(place, keyword), keyword.name, key));
      }
    }
  }

  static HeaderAnnotation past(HeaderAnnotation place, const Keyword& keyword) {
    place.property.clear();
    place.is_reachable = false;
    place.is_barred = place.is_barred || keyword.is_barred;
    return place;
  }

  static HeaderAnnotation below(HeaderAnnotation place, const char* keyword,
                                const std::string& key) {
    place.pointer += (Json::json_pointer(std::string("/") + keyword) / key).to_string();
    return place;
  }

  std::vector<HeaderAnnotation> found_;
};

bool is_primitive_type(const Json& type) {
  return type == "integer" || type == "string" || type == "boolean";
}

}  // namespace

std::vector<HeaderAnnotation> header_annotations(const Json& input_schema) {
  return AnnotationWalk(input_schema).take();
}

bool has_header_type(const Json& schema) {
  const Json& type = member(schema, "type");
  if (type.is_null()) return true;
  // null leaves the header out.
  const auto fits = [](const Json& one) { return one == "null" || is_primitive_type(one); };
  return type.is_array() ? std::all_of(type.begin(), type.end(), fits) : is_primitive_type(type);
}

std::optional<std::string> header_annotation_trouble(const Json& input_schema) {
  std::set<std::string> names;
  for (const HeaderAnnotation& each : header_annotations(input_schema)) {
    const Json& value = each.value();
    const auto trouble = [&](std::string_view why) {
      return fmt::format("x-mcp-header at '{}' {}", each.pointer, why);
    };
    // Neither an empty name nor one with a control character is a token.
    if (!value.is_string() || !wire::is_token(value.get_ref<const std::string&>())) {
      return trouble("is no name of a header");
    }
    if (!names.insert(lower_case(value.get_ref<const std::string&>())).second) {
      return trouble("has the name of another one");
    }
    if (!each.is_reachable || each.pointer.empty()) {
      return trouble("stands where no chain of properties leads");
    }
    if (!has_header_type(*each.schema)) {
      return trouble("is on no integer, string or boolean");
    }
  }
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace assay::harness
