// One cause, one verdict: a finding that a more basic breach explains accuses nobody.
#pragma once

#include "harness/finding.h"

namespace assay::harness {

// Turns each breach that another one explains into an inconclusive finding that names its cause:
//   - what had no answer because the target ended the connection;
//   - what rests on a message that is itself broken (no JSON-RPC, not of the schema's form);
//   - silence, where answers come that nobody can use, or where not even a ping is answered.
// Where a cause has a cause of its own, the first of all is named.
void name_causes(Findings& findings);

}  // namespace assay::harness
