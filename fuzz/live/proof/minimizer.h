// Makes a recipe as small as it can be and still show the same: first the sequence, then the fields
// of its messages, then their bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "fuzz/live/proof/prober.h"

namespace assay::fuzz {

struct MinimizeLimits {
  std::size_t trials = 600;
  std::chrono::milliseconds time{20'000};
  std::stop_token stop = {};
};

// `shows` says whether a recipe still shows what it is about; it does for `recipe`. The result
// shows it too, or is `recipe`.
Recipe minimize(Recipe recipe, const std::function<bool(const Recipe&)>& shows,
                const MinimizeLimits& limits);

// For what takes long to see: halves the cases, of which there is at least one, until one is left,
// and if that has several steps, those as well. `shows` says whether cases show it together; it
// does for `suspects`. The result is a guess: where it takes two cases together, it does not show
// it.
Case narrow(std::vector<Case> suspects, const std::function<bool(const std::vector<Case>&)>& shows);

}  // namespace assay::fuzz
