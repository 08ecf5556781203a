// TAP 13, a test point for each requirement of each run.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

// A violation that fails nothing is "not ok # TODO", what was not judged is "ok # SKIP".
std::string render_tap(const Result& result);

}  // namespace assay::reports
