#include "harness/frame/load_report.h"

#include <fmt/format.h>

#include <variant>

#include "harness/frame/command.h"
#include "reports/escape.h"
#include "reports/interop/interop_json.h"
#include "reports/json.h"
#include "reports/load/load_json.h"
#include "reports/output.h"

namespace assay::cli {

reports::Result load_report(const std::string& path) {
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  if (reports::is_interop_json(file.text)) {
    throw UsageError(
        fmt::format("'{}' is a matrix of 'interop', and no report of one target: 'show', 'report', "
                    "'compare' and 'merge' read it",
                    reports::printable_line(path)));
  }
  if (reports::is_load_json(file.text)) {
    throw UsageError(fmt::format("'{}' is a result of 'bench', and no report: 'compare' reads it",
                                 reports::printable_line(path)));
  }
  if (reports::is_limit_json(file.text)) {
    throw UsageError(fmt::format("'{}' is a result of 'bench --find-limit': no subcommand reads it",
                                 reports::printable_line(path)));
  }
  std::variant<reports::Result, std::string> parsed = reports::parse_json(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", reports::printable_line(path), *error));
  }
  return std::get<reports::Result>(std::move(parsed));
}

std::vector<reports::Result> load_reports(const std::vector<std::string>& paths) {
  std::vector<reports::Result> out;
  out.reserve(paths.size());
  for (const std::string& path : paths) out.push_back(load_report(path));
  return out;
}

}  // namespace assay::cli
