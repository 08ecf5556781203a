// One cause, one verdict: a finding that a more basic breach explains accuses nobody.
//
// What one session shows is settled here. What a breach in any session of a run can explain is only
// marked: reports::settle() weighs it, since the sessions may be those of several shards.
#pragma once

#include "harness/runner/judgement.h"

namespace assay::harness {

// Names in each breach that another one explains the requirement of that one (`explained_by`, the
// first where a cause has a cause of its own):
//   - what had no answer because the target ended the connection;
//   - what rests on a message that is itself broken (no JSON-RPC, not of the schema's form).
// Marks for the run as a whole:
//   - the breaches after which silence accuses nobody (`explains_silence`): answers come that
//   nobody
//     can use, or not even a ping is answered;
//   - over which request a session was ended (`ended_over`).
void name_causes(Judgements& judgements);

}  // namespace assay::harness
