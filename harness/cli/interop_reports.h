// --report FORMAT=PATH of a matrix.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/frame/report_files.h"
#include "reports/interop/interop_writer.h"

namespace assay::cli {

// Help for --report, with the formats that exist.
std::string interop_report_help();

class InteropReports {
 public:
  // As ReportPaths.
  InteropReports(const std::vector<std::string>& texts, OutputPaths& paths);

  bool uses_standard_output() const { return files_.uses_standard_output(); }
  std::vector<std::string> paths() const { return files_.paths(); }
  bool write(const reports::InteropResult& result) const;

 private:
  ReportPaths files_;
};

// The matrix in that file; nothing for a file of another kind. Throws UsageError for one that
// cannot be read.
std::optional<reports::InteropResult> load_interop(const std::string& path);

// What the matrix comes to, as the exit status.
int exit_status(const reports::InteropResult& result);

}  // namespace assay::cli
