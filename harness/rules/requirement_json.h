// A requirement of the catalogue as JSON, as `list requirements --json` and `explain --json` print
// it.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/coverage.h"

namespace assay::cli {

nlohmann::ordered_json to_json(const catalogue::Requirement& requirement,
                               const harness::CoverageMap& coverage);

}  // namespace assay::cli
