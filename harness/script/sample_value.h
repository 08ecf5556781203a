// Values that a JSON Schema of a stranger's allows: for the fields of a form, and for the arguments
// of a tool of which nothing else is known.
#pragma once

#include <optional>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

// A value for this schema: what it names itself (const, default, examples, the first of its enum,
// an example in its description), or else a small one of its type, pattern and format, with the
// members that are required. `name` is what it is called, which tells a URI, a date or a city where
// the schema does not. A guess: conditions are not looked at. Bounded in size and depth, whatever
// the schema asks for.
Json sample_value(const Json& schema, std::string_view name = "");

// Arguments for a tool: a sample of each that is required. Nothing where the schema does not allow
// them, as far as anybody can tell, so that no guess would do.
std::optional<Json> sample_arguments(const Json& input_schema);

}  // namespace assay::harness
