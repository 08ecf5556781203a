// JSON Schemas that strangers write: a tool's inputSchema and outputSchema.
//
// Specification: server/tools ("Output Schema": results MUST conform to it), basic "JSON Schema
// Usage" (2020-12 unless $schema says otherwise).
//
// The schema and the value both come from the peer under test. Nothing is fetched, and time and
// memory are bounded. All keywords of 2020-12, 2019-09, draft-07 and draft-06 are evaluated;
// formats and contents are annotations. The verdict is kInconclusive only where it hangs on what
// cannot be known here, with the reason: a reference to another document, another dialect, a
// pattern that is not understood (pattern.h), a number that is not exact everywhere, a bound that
// is reached. kInvalid is only ever said of what is certain.
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
inline constexpr std::size_t kMostSchemaNodes = 20000;    // objects and booleans that are schemas
inline constexpr std::size_t kDeepestSchema = 64;         // nested schemas
inline constexpr std::size_t kMostSchemaSteps = 500'000;  // keywords and parts they look at
inline constexpr std::size_t kMostPatternSteps = 20'000'000;  // of all matches together

}  // namespace assay::model
