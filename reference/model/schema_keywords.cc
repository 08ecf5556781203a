#include "reference/model/schema_keywords.h"

namespace assay::model {
namespace {

constexpr Keyword kKeywords[] = {
    {"$anchor", Shape::kString, Use::kAnnotation},
    {"$comment", Shape::kString, Use::kAnnotation},
    {"$defs", Shape::kSchemaMap, Use::kAnnotation},
    {"$dynamicRef", Shape::kString, Use::kNotEvaluated},
    {"$id", Shape::kString, Use::kAnnotation},
    {"$recursiveRef", Shape::kString, Use::kNotEvaluated},
    {"$ref", Shape::kString, Use::kEvaluated},
    {"$schema", Shape::kString, Use::kAnnotation},
    {"additionalItems", Shape::kSchema, Use::kNotEvaluated},
    {"additionalProperties", Shape::kSchema, Use::kEvaluated},
    {"allOf", Shape::kSchemas, Use::kEvaluated},
    {"anyOf", Shape::kSchemas, Use::kEvaluated},
    {"contains", Shape::kSchema, Use::kEvaluated},
    {"definitions", Shape::kSchemaMap, Use::kAnnotation},
    {"dependencies", Shape::kDependencies, Use::kNotEvaluated},
    {"dependentRequired", Shape::kStringsMap, Use::kNotEvaluated},
    {"dependentSchemas", Shape::kSchemaMap, Use::kNotEvaluated},
    {"deprecated", Shape::kBoolean, Use::kAnnotation},
    {"description", Shape::kString, Use::kAnnotation},
    {"else", Shape::kSchema, Use::kEvaluated},
    {"enum", Shape::kArray, Use::kEvaluated},
    {"examples", Shape::kArray, Use::kAnnotation},
    {"exclusiveMaximum", Shape::kNumber, Use::kEvaluated},
    {"exclusiveMinimum", Shape::kNumber, Use::kEvaluated},
    {"format", Shape::kString, Use::kAnnotation},
    {"if", Shape::kSchema, Use::kEvaluated},
    {"items", Shape::kItems, Use::kEvaluated},
    {"maxContains", Shape::kCount, Use::kNotEvaluated},
    {"maxItems", Shape::kCount, Use::kEvaluated},
    {"maxLength", Shape::kCount, Use::kEvaluated},
    {"maxProperties", Shape::kCount, Use::kEvaluated},
    {"maximum", Shape::kNumber, Use::kEvaluated},
    {"minContains", Shape::kCount, Use::kNotEvaluated},
    {"minItems", Shape::kCount, Use::kEvaluated},
    {"minLength", Shape::kCount, Use::kEvaluated},
    {"minProperties", Shape::kCount, Use::kEvaluated},
    {"minimum", Shape::kNumber, Use::kEvaluated},
    // valijson cuts fractions off before it divides.
    {"multipleOf", Shape::kPositive, Use::kNotEvaluated},
    {"not", Shape::kSchema, Use::kEvaluated},
    {"oneOf", Shape::kSchemas, Use::kEvaluated},
    {"pattern", Shape::kString, Use::kEvaluated},
    {"patternProperties", Shape::kSchemaMap, Use::kEvaluated},
    {"prefixItems", Shape::kSchemas, Use::kNotEvaluated},
    {"properties", Shape::kSchemaMap, Use::kEvaluated},
    // valijson mistakes it for the schema around it when that is behind a reference.
    {"propertyNames", Shape::kSchema, Use::kNotEvaluated},
    {"readOnly", Shape::kBoolean, Use::kAnnotation},
    {"required", Shape::kStrings, Use::kEvaluated},
    {"then", Shape::kSchema, Use::kEvaluated},
    {"title", Shape::kString, Use::kAnnotation},
    {"type", Shape::kTypes, Use::kEvaluated},
    {"unevaluatedItems", Shape::kSchema, Use::kNotEvaluated},
    {"unevaluatedProperties", Shape::kSchema, Use::kNotEvaluated},
    {"uniqueItems", Shape::kBoolean, Use::kEvaluated},
    {"writeOnly", Shape::kBoolean, Use::kAnnotation},
};

}  // namespace

const Keyword* find_keyword(std::string_view name) {
  for (const Keyword& keyword : kKeywords) {
    if (keyword.name == name) return &keyword;
  }
  return nullptr;
}

}  // namespace assay::model
