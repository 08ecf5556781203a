// The values that the systematic phase puts into every place: those that handlers fail on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay::fuzz {

struct SweptValue {
  std::string label;
  std::string text;  // one JSON value; empty: the member is left out
};

// How many there are, the large ones last, and each of them: large ones are made when asked for.
std::size_t count_swept_values();
SweptValue swept_value(std::size_t index);

// The few that are tried in two places at once: indexes into the others.
std::span<const std::size_t> paired_values();

}  // namespace assay::fuzz
