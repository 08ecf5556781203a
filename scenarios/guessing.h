// How much of an id is left to be guessed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::scenarios {

// Fewer ids show no pattern.
inline constexpr std::size_t kFewestIds = 4;

// Even if every character were drawn from all of visible ASCII, fewer hold less than 64 bits, which
// can be tried out.
inline constexpr std::size_t kFewestVaryingCharacters = 10;

// How many characters are left between what all ids begin and end with; `ids` is not empty.
std::size_t varying_characters(const std::vector<std::string>& ids);

}  // namespace assay::scenarios
