// The matrix as one page: clients against servers, act by act, what fails, and what was exchanged.
// It makes no request, and is complete without its script.
#pragma once

#include <string>

#include "reports/interop/interop_result.h"

namespace assay::reports {

std::string render_interop_html(const InteropResult& result);

}  // namespace assay::reports
