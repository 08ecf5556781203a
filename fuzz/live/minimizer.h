// Makes a recipe as small as it can be and still show the same: first the sequence, then the fields
// of its messages, then their bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "fuzz/live/prober.h"

namespace assay::fuzz {

struct MinimizeLimits {
  std::size_t trials = 600;
  std::chrono::milliseconds time{20'000};
};

// `shows` says whether a recipe still shows what it is about; it does for `recipe`. The result
// shows it too, or is `recipe`.
Recipe minimize(Recipe recipe, const std::function<bool(const Recipe&)>& shows,
                const MinimizeLimits& limits);

}  // namespace assay::fuzz
