// What a person sees at the end of a run.
//
// Violations come by weight (findings.h); a rule broken in several runs is told once: what the
// target did, the rule, how to fix it, the runs it was broken in, and the evidence of the newest
// revision. Then a table of the runs, the conclusion, and what to do next. Colour only repeats what
// the words say.
#pragma once

#include <string>
#include <vector>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports {

struct TerminalOptions {
  bool color = false;
  int width = 100;       // columns; long lines are wrapped
  bool verbose = false;  // also what was not exercised or inconclusive, and every piece of evidence
  bool quiet = false;    // one line per failure, never wrapped, and the conclusion
  std::vector<std::string> kept = {};  // where the reports of this result are
  bool next_step = true;               // what to run next, on a command line
};

std::string render_terminal(const Result& result, const TerminalOptions& options);
// One violation of the result, as it is shown there.
std::string render_violation(const Result& result, const RuleFinding& finding,
                             const TerminalOptions& options);

}  // namespace assay::reports
