// Joins reports of one target: shards of a plan, or runs done on several machines.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "reports/result.h"

namespace assay::reports {

// One Result with every run of all parts, ordered by revision and transport (stdio first). A run
// that several parts hold is joined: of each requirement the weightiest outcome counts (violated,
// satisfied, inconclusive, not exercised, not applicable), so that shards give what the whole plan
// gives. Or one sentence, when the parts are not of one target, suite and catalogue.
std::variant<Result, std::string> merge(std::span<const Result> parts);

}  // namespace assay::reports
