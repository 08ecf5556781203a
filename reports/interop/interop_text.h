// The matrix for a person at a terminal: a line for each cell, with a mark for each act, and an
// account of each act that fails.
#pragma once

#include <string>

#include "reports/interop/interop_result.h"
#include "reports/terminal.h"

namespace assay::reports {

// Of TerminalOptions colour, width, verbose (also cells in which nothing fails), quiet and kept.
std::string render_interop_text(const InteropResult& result, const TerminalOptions& options);

// One character for each outcome: "✓".
std::string_view mark_of(ActOutcome outcome);
// The acts that at least one cell shows something of: the others would be empty columns.
std::vector<const PairActInfo*> shown_acts(const InteropResult& result);

// One act of one cell that fails, with what is known of it.
struct Failure {
  const PairCell* cell = nullptr;
  const PairAct* act = nullptr;
};
// Those with a broken rule first, then by act, client and server. Without the trials.
std::vector<Failure> failures_of(const InteropResult& result);
// "call a tool: fails, and a rule was broken".
std::string failure_title(const PairAct& act);
// "the server broke tools.result-content (MUST)"; a sentence for each broken rule.
std::vector<std::string> blame_of(const PairCell& cell, const PairAct& act);
// The event at which the two parted; null if none is known.
const Evidence* parting_event(const PairCell& cell, const PairAct& act);

}  // namespace assay::reports
