// The JSON report, and the lines of `server --events`, as JSON Schemas: `mcp-assay schema --of
// report` and `--of events`. The types of the npm and Python packages are made from them.
#pragma once

#include <nlohmann/json.hpp>

namespace assay::cli {

nlohmann::json report_schema();
// Of one line.
nlohmann::json events_schema();

}  // namespace assay::cli
