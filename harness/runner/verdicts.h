// From findings to verdicts: one for each requirement that holds in the run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/finding.h"
#include "harness/script/script.h"
#include "reports/result.h"

namespace assay::harness {

// Merges what scenarios and monitors found. A breach outweighs everything; otherwise one proof that
// the rule held is enough; otherwise the strongest reason why it could not be judged. Rules that
// nobody spoke of are not applicable where the transport or the declared capabilities rule them
// out, and not exercised elsewhere. `server` is the result of `initialize`; null if there was none,
// and then `cause` names why nothing could be judged.
struct VerdictInput {
  model::Revision revision;
  TransportKind transport;
  const Json& server;
  Findings findings;
  std::string cause;          // why nothing more could be judged; empty if all went well
  std::string cause_verdict;  // the requirement whose violation that is; may be empty
  std::function<bool(std::string_view scenario)> wants = [](std::string_view) { return true; };
  int catalogue_version = 0;  // only what this version of the catalogue had; 0: everything
};
std::vector<reports::Verdict> make_verdicts(const VerdictInput& input);

// An event as reports show it, its text cut to a bound.
reports::Evidence make_evidence(const Event& event);

}  // namespace assay::harness
