// The keywords of JSON Schema: what the value of each must be, and whether we can evaluate it.
// Internal to model/.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::model {

// What a keyword's value must be.
enum class Shape : std::uint8_t {
  kSchema,
  kSchemas,       // a non-empty array of schemas
  kSchemaMap,     // an object of schemas
  kItems,         // a schema; before 2020-12 also an array of schemas
  kTypes,         // a type's name, or an array of them
  kStrings,       // an array of strings
  kStringsMap,    // an object of arrays of strings
  kDependencies,  // an object of schemas or arrays of strings
  kArray,
  kCount,  // a whole number, not negative
  kNumber,
  kPositive,
  kString,
  kBoolean,
};

// Whether valijson 1.0 does with it what JSON Schema 2020-12 asks.
enum class Use : std::uint8_t { kEvaluated, kAnnotation, kNotEvaluated };

struct Keyword {
  std::string_view name;
  Shape shape;
  Use use;
};

// Null for a member that is no keyword, which is an annotation.
const Keyword* find_keyword(std::string_view name);

}  // namespace assay::model
