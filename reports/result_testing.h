// Sample results for the tests of the writers.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports::testing {

// Everything a hostile target may put into a string: terminal escapes, C0 and C1 controls, markup,
// script, the end of a CDATA section, bidirectional overrides, zero-width characters, invalid
// UTF-8.
std::string hostile_text();
// As hostile_text(), but valid UTF-8, so that a JSON report holds it unchanged.
std::string hostile_utf8();

// One verdict of the given outcome, with nothing but what it must have.
Verdict verdict(const std::string& requirement, Level level, Outcome outcome);
// A violated MUST with evidence, the offending part named by a pointer.
Verdict violation();
// A run with every outcome, the violation() among them.
Run run(const std::string& revision, const std::string& transport);
// Two runs and an unsupported revision.
Result sample();
// As sample(), with hostile_text() wherever a target's words can stand.
Result hostile();
// Five revisions over two transports, `requirements` verdicts in each.
Result full(int requirements);

}  // namespace assay::reports::testing
