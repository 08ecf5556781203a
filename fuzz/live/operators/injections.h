// What servers make templates, commands and queries of by mistake: each computes a product, and
// does nothing else.
#pragma once

#include <vector>

#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"

namespace assay::fuzz {

// Bounds on what a target's lists can make of it.
inline constexpr std::size_t kMostInjectionPlaces = 200;

// One message each: in every text argument of tools and prompts, those aside that compute by right.
std::vector<Case> injection_cases(const Vocabulary& words);

}  // namespace assay::fuzz
