// Arguments to try a stranger's tool with, made from its inputSchema.
#pragma once

#include <optional>
#include <vector>

#include "reference/wire/json.h"

namespace assay::harness {

// What is required, with a short time where the tool is told how long to take: who waits for it
// longer than for a moment lets it be. Nothing where no guess fits the schema.
std::optional<Json> quick_arguments(const Json& input_schema);

// A few others: the further choices of an enumeration, each switch turned on (but for those that
// sound as if they did harm), and, where the first have failed, also what is optional.
std::vector<Json> further_arguments(const Json& input_schema, bool have_failed);

}  // namespace assay::harness
