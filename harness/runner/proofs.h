// What is kept of the proofs that many sessions bring for the same.
#pragma once

#include "harness/runner/judgement.h"
#include "reference/wire/budget.h"

namespace assay::harness {

// Leaves the evidence of those judgements of each requirement that come first in the plan. Where
// more than half of the budget is taken, lets go of large events as well: the evidence has what a
// reader sees of them.
void bound_proofs(Judgements& judgements, const wire::BudgetPtr& budget);

}  // namespace assay::harness
