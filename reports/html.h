// The HTML report: one file, no request, readable without JavaScript.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

std::string render_html(const Result& result);

}  // namespace assay::reports
