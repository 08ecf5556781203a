// The matrix for a pull request comment or a CI job summary: what fails, details folded.
#pragma once

#include <string>

#include "reports/interop/interop_result.h"

namespace assay::reports {

// At most kMaxMarkdownBytes (markdown.h).
std::string render_interop_markdown(const InteropResult& result);

}  // namespace assay::reports
