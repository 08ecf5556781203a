// What `mcp-assay fuzz` prints at the end of a run.
#pragma once

#include <cstddef>
#include <string>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/proof/finding.h"

namespace assay::fuzz {

struct Summary {
  const RunFacts& facts;
  const FuzzOutcome& done;
  std::string folder;              // where the findings are
  std::size_t most_suspected = 0;  // open questions that do not fail the run
  bool is_quiet = false;
};

// Hangs and lost answers that were seen more than once, and for whose proof there was no time.
std::size_t open_questions(const FuzzOutcome& done);

// What was suspected and not proved is said in the last line.
void print_summary(const Summary& summary);

}  // namespace assay::fuzz
