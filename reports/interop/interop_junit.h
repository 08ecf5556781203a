// The matrix as JUnit XML: a suite is one cell, a case is one act. What is unsupported or not
// tested is skipped, with the reason; a cell that was not run is one case with an error.
#pragma once

#include <string>

#include "reports/interop/interop_result.h"

namespace assay::reports {

std::string render_interop_junit(const InteropResult& result);

}  // namespace assay::reports
