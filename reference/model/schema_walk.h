// Reads a stranger's schema without evaluating it: is it well formed, and can it be evaluated?
// Internal to model/; schema_check.h is the public face.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::model {

struct SchemaSurvey {
  Deviations deviations;       // why it is no schema
  std::string cannot_be_read;  // beyond a bound, or of a dialect we do not know; empty if it can be
  std::string cannot_evaluate;  // the first thing the evaluator does not do; empty if there is none
  bool has_pattern = false;
  bool has_length = false;  // minLength or maxLength
};

SchemaSurvey survey_schema(const Json& schema);

// Counts the steps that evaluating `schema` on `value` takes, whatever the verdict. Stops beyond
// `limit`, so that it is bounded itself. References that lead round in a circle on the same part of
// the value count as beyond the limit.
std::size_t count_steps(const Json& schema, const Json& value, std::size_t limit);

// The schema that a "$ref" such as "#/$defs/a" leads to; null if nowhere, or if it is no such
// reference.
const Json* resolve_local(const Json& root, std::string_view reference);

// About how many steps a backtracking matcher takes at most on a text of `length` bytes. kUnbounded
// for a pattern that repeats a group which repeats or branches inside, refers back, looks around,
// or uses what dialects of regular expressions read differently; and for a text that is too long
// for it.
std::size_t pattern_cost(std::string_view pattern, std::size_t length);
inline constexpr std::size_t kUnbounded = static_cast<std::size_t>(-1);

}  // namespace assay::model
