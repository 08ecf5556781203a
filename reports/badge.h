// A badge to show in a README: "MCP 2025-11-25 | conformant".
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

// An SVG with a row for each revision in the Result; with --report badge=PATH-{revision}.svg it is
// one file for each. A revision counts as good as its worst transport. Nothing a target says is in
// it.
std::string render_badge(const Result& result);

}  // namespace assay::reports
