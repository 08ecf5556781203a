// SARIF 2.1.0 for code scanning, in the subset that GitHub reads.
//
// A rule is a requirement, a result is a violation in one revision over one transport. A live
// server has no source file, so every result is located in the report "mcp-assay.json"; the logical
// location says which run. Fingerprints depend on requirement, revision and transport alone, so
// that an alert stays the same from run to run. Expected failures are suppressed with their reason.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

std::string render_sarif(const Result& result);

}  // namespace assay::reports
