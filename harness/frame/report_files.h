// --report FORMAT=PATH: checked before the work starts, written when it is done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/output_paths.h"
#include "reports/output.h"
#include "reports/result.h"

namespace assay::cli {

// Help for --report, with the formats that exist.
std::string report_help();

class ReportFiles {
 public:
  // Throws UsageError for an unknown format, for a path that cannot be written or that is claimed
  // already, and for two reports on standard output.
  ReportFiles(const std::vector<std::string>& texts, OutputPaths& paths);

  // One report goes to standard output: then nothing else may.
  bool uses_standard_output() const { return uses_standard_output_; }

  // Where the report of that format goes; empty if nowhere.
  std::string path_of(std::string_view format) const;

  // What goes into files, as people name them.
  std::vector<std::string> paths() const;

  // False, after one line on standard error for each, if a report could not be written.
  bool write(const reports::Result& result) const;

 private:
  std::vector<reports::ReportRequest> requests_;
  bool uses_standard_output_ = false;
};

}  // namespace assay::cli
