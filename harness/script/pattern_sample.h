// A text that a regular expression matches, for the patterns that stand in schemas.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::harness {

// The shortest text that follows the pattern from left to right, taking the first of alternatives;
// what may be repeated without end is repeated `more` times more. Nothing for what is not
// understood (looking around, references back) and for what is out of all proportion. A guess: who
// uses it asks the schema whether it will do.
std::optional<std::string> pattern_sample(std::string_view pattern, std::size_t more = 0);

}  // namespace assay::harness
