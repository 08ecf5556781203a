// From what was found to verdicts, once everything of a run is known.
//
// A shard of a plan knows only its part: it leaves its candidates in its report, and merge()
// settles the whole again from those of all shards. So a run in shards ends in the very verdicts
// of an unsharded one.
#pragma once

#include <vector>

#include "reports/result.h"

namespace assay::reports {

// A step of a verdict that nobody can tell of (Step::what): that the rule held elsewhere does not
// settle it.
inline constexpr std::string_view kLeftOpen = "left open";

// One verdict for each requirement that a candidate speaks of, sorted by requirement. `candidates`
// stand in the order of the plan, which decides between candidates of one weight.
//   - A breach that another one explains accuses nobody: it becomes inconclusive and names its
//   cause,
//     the first of all where that has one itself. That is what its own session explains, silence in
//     a run where another breach explains silence, and the end of a session over a request that
//     ends others too.
//   - A breach outweighs everything; otherwise what seemed to be a breach, or is left open;
//   otherwise
//     one proof that the rule held is enough; otherwise the strongest reason why it could not be
//     judged.
std::vector<Verdict> settle(std::vector<Candidate> candidates);

// Those that can still count when the candidates of other shards come before or behind these.
std::vector<Candidate> worth_keeping(const std::vector<Candidate>& candidates);

}  // namespace assay::reports
