// Whether a result of a tool speaks of a failure, though it does not say isError.
//
// Specification: server/tools, "Error Handling" wants isError there. Many servers refuse a call in
// words alone: to take such a result for a success would accuse them of what they refused.
#pragma once

#include "reference/wire/json.h"

namespace assay::harness {

// `result` is that of tools/call. Words prove nothing: where this is true, a check is inconclusive.
bool speaks_of_failure(const Json& result);

}  // namespace assay::harness
