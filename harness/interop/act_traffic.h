// What the traffic of a cell alone shows of each act.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/interop/act_sights.h"
#include "reports/interop/interop_result.h"

namespace assay::harness {

// One for each of pair_acts(), in their order. Only one side of a gateway is read.
std::vector<ActSight> by_traffic(const CellView& view, const reports::Agreement& agreement);

// The last that the server said to that start of the client.
std::optional<reports::Parting> last_heard(const CellView& view, std::size_t start);

}  // namespace assay::harness
