// What a person sees at the end of a run.
//
// Violations come by weight, what fails the run and MUST before SHOULD, and within that by area; a
// rule broken in several runs is told once, with the runs it was broken in and the evidence of the
// newest revision. Then a table of the runs, the conclusion, and what to do next. Colour only
// repeats what the words say.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

struct TerminalOptions {
  bool color = false;
  int width = 100;       // columns; long lines are wrapped
  bool verbose = false;  // also what was not exercised or inconclusive, and every piece of evidence
  bool quiet = false;    // one line per failure, and the conclusion
};

std::string render_terminal(const Result& result, const TerminalOptions& options);

}  // namespace assay::reports
