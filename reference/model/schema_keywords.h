// The keywords of JSON Schema: what the value of each must be, in which dialects it is one, and
// what it is evaluated as. Internal to model/.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::model {

// What we know of $schema. Without one, a schema is of 2020-12.
enum class SchemaDialect : std::uint8_t { kDraft06 = 1, kDraft07 = 2, k2019_09 = 4, k2020_12 = 8 };

// There, what stands beside a $ref does not count.
constexpr bool has_lone_references(SchemaDialect dialect) {
  return dialect == SchemaDialect::kDraft06 || dialect == SchemaDialect::kDraft07;
}

// What a keyword's value must be.
enum class Shape : std::uint8_t {
  kAny,
  kSchema,
  kSchemas,       // a non-empty array of schemas
  kSchemaMap,     // an object of schemas
  kItems,         // a schema; before 2020-12 also an array of schemas
  kTypes,         // a type's name, or an array of them
  kStrings,       // an array of different strings
  kStringsMap,    // an object of arrays of different strings
  kDependencies,  // an object of schemas or arrays of strings
  kArray,
  kCount,  // a whole number, not negative
  kNumber,
  kPositive,
  kString,
  kName,        // a string without a fragment: $id
  kAnchorName,  // a string as XML names things
  kBoolean,
};

// What is to be done for it. What has no entry of its own is an annotation, or read by another:
// `then` by `if`, `minContains` by `contains`, `additionalItems` by `items`.
enum class SchemaDuty : std::uint8_t {
  kNothing,
  kRef,
  kDynamicRef,
  kRecursiveRef,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kIf,
  kType,
  kConst,
  kEnum,
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kMinLength,
  kMaxLength,
  kPattern,
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kPrefixItems,
  kItems,
  kContains,
  kMinProperties,
  kMaxProperties,
  kRequired,
  kProperties,
  kPatternProperties,
  kAdditionalProperties,
  kPropertyNames,
  kDependencies,
  kDependentRequired,
  kDependentSchemas,
  kUnevaluatedItems,
  kUnevaluatedProperties,
};

struct Keyword {
  std::string_view name;
  Shape shape;
  SchemaDuty duty;
  std::uint8_t dialects;
};

// Null for a member that is no keyword in this dialect, which is an annotation.
const Keyword* find_keyword(std::string_view name, SchemaDialect dialect);

}  // namespace assay::model
