// The JSON report as a JSON Schema: `mcp-assay schema --of report`.
#pragma once

#include <nlohmann/json.hpp>

namespace assay::cli {

nlohmann::json report_schema();

}  // namespace assay::cli
