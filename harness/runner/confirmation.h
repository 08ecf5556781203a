// The second look: what rests on something that did not come, or on an order that nothing keeps, is
// reported only when the same rule is broken again, alone, with more patience. One room for
// servers, clients and authorization servers.
#pragma once

#include <string>
#include <string_view>

#include "harness/runner/judgement.h"

namespace assay::harness {

// A breach whose proof asks for it.
bool needs_second_look(const Judgement& judgement);
bool needs_second_look(const Judgements& judgements);

// The rule was broken again: its breach stands, and its history says how that was seen.
void confirm(Judgement& judgement, std::string how);

// What two performances of one scenario prove together.
//   - A breach that was seen stands, in whichever of the two it was.
//   - A breach by absence or order stands if the same rule was broken in both; otherwise it becomes
//     unclear, and tells both sightings.
//   - What held, or could not be told, counts as it was in each.
Judgements confirmed(Judgements first, Judgements second);

// There is no second look, because of `why`: each breach that needs one becomes unclear. One by
// order stands where the same rule was broken in two sessions: those are two sightings.
void settle_without_second_look(Judgements& judgements, std::string_view why);

}  // namespace assay::harness
