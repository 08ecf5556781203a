// How much of an id is left to be guessed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::scenarios {

// Fewer ids show no pattern.
inline constexpr std::size_t kFewestIds = 4;

// How many characters are left between what all ids begin and end with; `ids` is not empty.
std::size_t varying_characters(const std::vector<std::string>& ids);

}  // namespace assay::scenarios
