// Reading reports that the command line names.
#pragma once

#include <string>
#include <vector>

#include "reports/result.h"

namespace assay::cli {

// Throws UsageError with the file's name when it cannot be read or is no report.
reports::Result load_report(const std::string& path);
std::vector<reports::Result> load_reports(const std::vector<std::string>& paths);

}  // namespace assay::cli
