// One violation as plain text, for whoever is to mend it: a person, or a program that writes code.
#pragma once

#include <string>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports {

// The rule, what happened, the bytes, the fix and the command. What the target said is escaped,
// set off, and called data: it may be written to mislead whoever reads it.
std::string render_prompt(const Result& result, const RuleFinding& finding);

}  // namespace assay::reports
