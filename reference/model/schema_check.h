// JSON Schemas that strangers write: a tool's inputSchema and outputSchema.
//
// Specification: server/tools ("Output Schema": results MUST conform to it), basic "JSON Schema
// Usage" (2020-12 unless $schema says otherwise).
//
// The schema and the value both come from the peer under test. Nothing is fetched, and time and
// memory are bounded: what could be expensive is counted before it is tried. Where the evaluator
// (valijson) does not know a keyword, or the bounds do not suffice, the verdict is kInconclusive
// with the reason; kInvalid is only ever said of what is certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::model {

enum class SchemaOutcome : std::uint8_t { kValid, kInvalid, kInconclusive };

struct SchemaVerdict {
  SchemaOutcome outcome = SchemaOutcome::kValid;
  Deviations deviations = {};  // of kInvalid
  std::string reason = {};     // of kInconclusive, as a phrase; quotes only printable ASCII
};

// Whether `schema` is a JSON Schema: every keyword's value is of the type it must have, and every
// reference into the schema itself leads somewhere. Pointers are into the schema.
SchemaVerdict check_schema(const Json& schema);

// Whether `value` conforms to `schema`. Pointers are into the value. A schema that check_schema()
// refuses makes the verdict kInconclusive: its own fault is another finding.
SchemaVerdict check_against_schema(const Json& schema, const Json& value);

// Bounds, each with what is beyond it being inconclusive.
inline constexpr std::size_t kMostSchemaNodes = 20000;  // objects and booleans that are schemas
inline constexpr std::size_t kDeepestSchema = 64;       // nested schemas
inline constexpr std::size_t kDeepestInstance = 64;     // nested arrays and objects of the value
inline constexpr std::size_t kMostSchemaSteps =
    500000;                                          // pairs of a schema and a part of the value
inline constexpr std::size_t kLongestPattern = 256;  // bytes of a regular expression
inline constexpr std::size_t kLongestMatchedText = 2000;      // bytes of a text beside a pattern
inline constexpr std::size_t kMostPatternSteps = 20'000'000;  // of all matches together

}  // namespace assay::model
