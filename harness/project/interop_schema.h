// The formats of `mcp-assay interop`, for editors.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace assay::cli {

// JSON Schemas of its file, and of its JSON report.
nlohmann::json interop_schema();
nlohmann::json interop_report_schema();

}  // namespace assay::cli
