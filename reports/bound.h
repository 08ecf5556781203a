// Bounds what a target can put into a report.
#pragma once

#include "reports/result.h"

namespace assay::reports {

// A name or version, one sentence that quotes the target, the end of standard error, a command, and
// one piece of evidence: more than a reader reads, and little enough for a report of thousands.
inline constexpr std::size_t kLongestName = 1'000;
inline constexpr std::size_t kLongestDetail = 4'000;
inline constexpr std::size_t kLongestReason = 20'000;
inline constexpr std::size_t kLongestCommand = 20'000;
inline constexpr std::size_t kLongestEvidenceText = 8'000;
// The same of one whose offending part stands far behind its beginning.
inline constexpr std::size_t kLongestMarkedText = 32'000;

// Cuts every text of the target's to these, each with a notice (escape.h, cut()). A command is left
// out instead: a part of one is of no use.
void bound(Result& result);
// The same of one verdict.
void bound(Verdict& verdict);

}  // namespace assay::reports
