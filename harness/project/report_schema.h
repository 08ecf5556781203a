// The JSON report, and the lines of `server --events`, as JSON Schemas: `mcp-assay schema --of
// report` and `--of events`. The types of the npm and Python packages are made from them.
#pragma once

#include <nlohmann/json.hpp>

namespace assay::cli {

nlohmann::json report_schema();
// Of one line.
nlohmann::json events_schema();
// Verdicts and their evidence, as $defs of a report of another run.
nlohmann::json verdict_schemas();

}  // namespace assay::cli
