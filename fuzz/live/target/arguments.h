// Arguments around a tool's own inputSchema: such that fit, and such that just do not.
//
// The schema is the target's: whatever it says, time and size are bounded.
#pragma once

#include <string>

#include "reference/model/random.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

// Meant to fit. Keywords that are not understood are passed over.
Json fitting_arguments(const Json& schema, model::Random& random);

// The same with every member that the schema names, and the first of its choices: the same each
// time.
Json full_arguments(const Json& schema);

// Something for each argument of a prompt, as prompts/list shows it.
Json prompt_arguments(const Json& prompt);

struct BadArguments {
  std::string label;  // "drop", "wrong-type", "below-minimum", ...
  Json value;
};
// Fitting arguments with one thing wrong.
BadArguments bad_arguments(const Json& schema, model::Random& random);

}  // namespace assay::fuzz
