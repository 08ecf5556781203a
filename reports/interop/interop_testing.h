// A matrix for the tests of its writers.
#pragma once

#include <string>

#include "reports/interop/interop_result.h"

namespace assay::reports::testing {

// An act that was seen so.
PairAct act(const std::string& id, ActSeen seen);
// A cell over stdio in which these acts were seen.
PairCell cell(const std::string& client, const std::string& server, std::vector<PairAct> acts);
// Two clients and two servers, and ours: each outcome is there. Settled.
InteropResult matrix();
// The same with a gateway before one of the servers, behind which a call fails.
InteropResult matrix_with_gateway();
// The first with hostile_text() wherever a peer's words can stand.
InteropResult hostile_matrix();

}  // namespace assay::reports::testing
