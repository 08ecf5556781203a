// Joins reports of one target: shards of a plan, or runs done on several machines.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "reports/result.h"

namespace assay::reports {

// One Result with every run of all parts, ordered by revision and transport (stdio first).
//   - The shards of a run give what the whole plan gives, verdict by verdict (settle.h). All of
//   them
//     must be there.
//   - Another run that several parts hold is joined: of each requirement the weightiest outcome
//     counts (violated, satisfied, inconclusive, not exercised, not applicable).
// Or one sentence, when the parts are not of one target, suite and catalogue, or shards are
// missing.
std::variant<Result, std::string> merge(std::span<const Result> parts);

}  // namespace assay::reports
