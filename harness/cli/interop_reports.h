// --report FORMAT=PATH of a matrix.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/frame/output_paths.h"
#include "reports/interop/interop_writer.h"

namespace assay::cli {

// Help for --report, with the formats that exist.
std::string interop_report_help();

class InteropReports {
 public:
  // Throws UsageError for an unknown format, for a path that cannot be written or that is claimed
  // already, and for two reports on standard output.
  InteropReports(const std::vector<std::string>& texts, OutputPaths& paths);

  bool uses_standard_output() const { return uses_standard_output_; }
  // What goes into files, as people name them.
  std::vector<std::string> paths() const;
  // False, after one line on standard error for each, if a report could not be written.
  bool write(const reports::InteropResult& result) const;

 private:
  std::vector<std::pair<const reports::InteropFormat*, std::string>> requests_;
  bool uses_standard_output_ = false;
};

// The matrix in that file; nothing for a file of another kind. Throws UsageError for one that
// cannot be read.
std::optional<reports::InteropResult> load_interop(const std::string& path);

// What the matrix comes to, as the exit status.
int exit_status(const reports::InteropResult& result);

}  // namespace assay::cli
