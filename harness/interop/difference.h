// What a gateway changes in a pair of a client and a server.
#pragma once

#include "reports/interop/interop_result.h"

namespace assay::harness {

// A cell through a gateway, with what differs from the cells of `result` without one. These are no
// difference: acts that do not work without the gateway either, and rules that the client and the
// server break by themselves. An act that fails only through the gateway is shown with each rule
// that the gateway broke in the cell: a verdict shows the first message that breaks it, which is
// seldom in the exchange that fails.
reports::PairCell difference_of(reports::PairCell cell, const reports::InteropResult& result);

}  // namespace assay::harness
