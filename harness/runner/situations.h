// Why a rule that nobody spoke of was not exercised, and what would let it be.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace assay::harness {

struct Situation {
  std::string why;   // "the server asked the client for nothing"
  std::string hint;  // what would bring it about; empty if nothing of the user's does
};

// Which scenarios are part of the run.
using Wanted = std::function<bool(std::string_view scenario)>;

// What this rule waits for, as the catalogue says it. Of a
// rule that nobody judges, or only a scenario that was left out, it says so.
Situation situation_of(const catalogue::Requirement& requirement, const Wanted& wants);

}  // namespace assay::harness
