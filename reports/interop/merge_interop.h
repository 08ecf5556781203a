// Joins the parts of a matrix that several machines ran.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "reports/interop/interop_result.h"

namespace assay::reports {

// The cells of strangers first, then trials, then those behind gateways, each by server, client,
// transport and era. The result names its parties.
void order_cells(InteropResult& result);

// One matrix with the cells of all parts, settled anew: a trial that several parts made counts
// once. All shards must be there. What changed since earlier runs is told of all parts. Or one
// sentence, when they are not, or the parts do not belong together.
std::variant<InteropResult, std::string> merge_interop(std::span<const InteropResult> parts);

}  // namespace assay::reports
