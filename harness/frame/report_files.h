// --report FORMAT=PATH: checked before the work starts, written when it is done.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/output_paths.h"
#include "reports/output.h"
#include "reports/result.h"

namespace assay::cli {

// The files, whatever is reported.
class ReportPaths {
 public:
  // `formats`: the names of all. Throws UsageError for an unknown format, for a path that cannot be
  // written or that is claimed already, and for two reports on standard output. `placeholders`: see
  // OutputPaths.
  ReportPaths(const std::vector<std::string>& texts, const std::vector<std::string_view>& formats,
              OutputPaths& paths, const std::vector<std::string>& placeholders = {});

  // One report goes to standard output: then nothing else may.
  bool uses_standard_output() const { return uses_standard_output_; }

  // Where the report of that format goes; empty if nowhere.
  std::string path_of(std::string_view format) const;

  // What goes into files, as people name them.
  std::vector<std::string> paths() const;

  // Writes one, and returns what went wrong.
  using WriteOne = std::function<std::optional<std::string>(const reports::NamedPath&)>;
  // False, after one line on standard error for each, if a report could not be written.
  bool write(const WriteOne& write_one) const;

 private:
  std::vector<reports::NamedPath> requests_;
  bool uses_standard_output_ = false;
};

// Help for --report, with the formats that exist.
std::string report_help();
// The same of any formats.
std::string help_for_formats(const std::vector<std::string_view>& formats);

// Reports of a result.
class ReportFiles {
 public:
  // As ReportPaths.
  ReportFiles(const std::vector<std::string>& texts, OutputPaths& paths);

  bool uses_standard_output() const { return files_.uses_standard_output(); }
  std::string path_of(std::string_view format) const { return files_.path_of(format); }
  std::vector<std::string> paths() const { return files_.paths(); }
  bool write(const reports::Result& result) const;

 private:
  ReportPaths files_;
};

}  // namespace assay::cli
