#include "reference/model/schema_keywords.h"

#include <algorithm>
#include <iterator>

namespace assay::model {
namespace {

constexpr std::uint8_t kAllDialects = 15;
constexpr std::uint8_t kSince07 = 14;
constexpr std::uint8_t kSince2019 = 12;
constexpr std::uint8_t kUntil07 = 3;
constexpr std::uint8_t kUntil2019 = 7;
constexpr std::uint8_t kOnly2019 = 4;
constexpr std::uint8_t kOnly2020 = 8;

using enum SchemaDuty;

// Sorted by name. A name stands twice where dialects want different values.
constexpr Keyword kKeywords[] = {
    {"$anchor", Shape::kAnchorName, kNothing, kSince2019},
    {"$comment", Shape::kString, kNothing, kSince07},
    {"$defs", Shape::kSchemaMap, kNothing, kSince2019},
    {"$dynamicAnchor", Shape::kAnchorName, kNothing, kOnly2020},
    {"$dynamicRef", Shape::kString, kDynamicRef, kOnly2020},
    {"$id", Shape::kName, kNothing, kSince2019},
    {"$id", Shape::kString, kNothing, kUntil07},
    {"$recursiveAnchor", Shape::kBoolean, kNothing, kOnly2019},
    {"$recursiveRef", Shape::kString, kRecursiveRef, kOnly2019},
    {"$ref", Shape::kString, kRef, kAllDialects},
    {"$schema", Shape::kString, kNothing, kAllDialects},
    {"additionalItems", Shape::kSchema, kNothing, kUntil2019},
    {"additionalProperties", Shape::kSchema, kAdditionalProperties, kAllDialects},
    {"allOf", Shape::kSchemas, kAllOf, kAllDialects},
    {"anyOf", Shape::kSchemas, kAnyOf, kAllDialects},
    {"const", Shape::kAny, kConst, kAllDialects},
    {"contains", Shape::kSchema, kContains, kAllDialects},
    {"contentEncoding", Shape::kString, kNothing, kSince07},
    {"contentMediaType", Shape::kString, kNothing, kSince07},
    {"contentSchema", Shape::kSchema, kNothing, kSince2019},
    {"definitions", Shape::kSchemaMap, kNothing, kAllDialects},
    {"dependencies", Shape::kDependencies, kDependencies, kAllDialects},
    {"dependentRequired", Shape::kStringsMap, kDependentRequired, kSince2019},
    {"dependentSchemas", Shape::kSchemaMap, kDependentSchemas, kSince2019},
    {"deprecated", Shape::kBoolean, kNothing, kSince2019},
    {"description", Shape::kString, kNothing, kAllDialects},
    {"else", Shape::kSchema, kNothing, kSince07},
    {"enum", Shape::kArray, kEnum, kAllDialects},
    {"examples", Shape::kArray, kNothing, kAllDialects},
    {"exclusiveMaximum", Shape::kNumber, kExclusiveMaximum, kAllDialects},
    {"exclusiveMinimum", Shape::kNumber, kExclusiveMinimum, kAllDialects},
    {"format", Shape::kString, kNothing, kAllDialects},
    {"if", Shape::kSchema, kIf, kSince07},
    {"items", Shape::kItems, kItems, kAllDialects},
    {"maxContains", Shape::kCount, kNothing, kSince2019},
    {"maxItems", Shape::kCount, kMaxItems, kAllDialects},
    {"maxLength", Shape::kCount, kMaxLength, kAllDialects},
    {"maxProperties", Shape::kCount, kMaxProperties, kAllDialects},
    {"maximum", Shape::kNumber, kMaximum, kAllDialects},
    {"minContains", Shape::kCount, kNothing, kSince2019},
    {"minItems", Shape::kCount, kMinItems, kAllDialects},
    {"minLength", Shape::kCount, kMinLength, kAllDialects},
    {"minProperties", Shape::kCount, kMinProperties, kAllDialects},
    {"minimum", Shape::kNumber, kMinimum, kAllDialects},
    {"multipleOf", Shape::kPositive, kMultipleOf, kAllDialects},
    {"not", Shape::kSchema, kNot, kAllDialects},
    {"oneOf", Shape::kSchemas, kOneOf, kAllDialects},
    {"pattern", Shape::kString, kPattern, kAllDialects},
    {"patternProperties", Shape::kSchemaMap, kPatternProperties, kAllDialects},
    {"prefixItems", Shape::kSchemas, kPrefixItems, kOnly2020},
    {"properties", Shape::kSchemaMap, kProperties, kAllDialects},
    {"propertyNames", Shape::kSchema, kPropertyNames, kAllDialects},
    {"readOnly", Shape::kBoolean, kNothing, kSince07},
    {"required", Shape::kStrings, kRequired, kAllDialects},
    {"then", Shape::kSchema, kNothing, kSince07},
    {"title", Shape::kString, kNothing, kAllDialects},
    {"type", Shape::kTypes, kType, kAllDialects},
    {"unevaluatedItems", Shape::kSchema, kUnevaluatedItems, kSince2019},
    {"unevaluatedProperties", Shape::kSchema, kUnevaluatedProperties, kSince2019},
    {"uniqueItems", Shape::kBoolean, kUniqueItems, kAllDialects},
    {"writeOnly", Shape::kBoolean, kNothing, kSince07},
};

static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords),
                             [](const Keyword& a, const Keyword& b) { return a.name < b.name; }));

}  // namespace

const Keyword* find_keyword(std::string_view name, SchemaDialect dialect) {
  const auto* at = std::lower_bound(
      std::begin(kKeywords), std::end(kKeywords), name,
      [](const Keyword& keyword, std::string_view wanted) { return keyword.name < wanted; });
  for (; at != std::end(kKeywords) && at->name == name; ++at) {
    if ((at->dialects & static_cast<std::uint8_t>(dialect)) != 0) return at;
  }
  return nullptr;
}

}  // namespace assay::model
