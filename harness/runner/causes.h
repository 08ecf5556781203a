// One cause, one verdict: a finding that a more basic breach explains accuses nobody.
//
// What rests on one session is settled here; silence, which a breach in any session of a run can
// explain, is settled by reports::settle().
#pragma once

#include "harness/runner/judgement.h"

namespace assay::harness {

// Marks the breaches after which silence accuses nobody, so that silence in another shard of the
// run is told apart as well. Then turns each breach that another one explains into an inconclusive
// finding that names its cause:
//   - what had no answer because the target ended the connection;
//   - what rests on a message that is itself broken (no JSON-RPC, not of the schema's form);
//   - silence, where answers come that nobody can use, or where not even a ping is answered.
// Where a cause has a cause of its own, the first of all is named.
void name_causes(Judgements& judgements);

}  // namespace assay::harness
