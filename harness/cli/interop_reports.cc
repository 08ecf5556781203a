#include "harness/cli/interop_reports.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "reports/escape.h"
#include "reports/interop/interop_json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

std::vector<std::string_view> names_of_matrix_formats() {
  std::vector<std::string_view> names;
  for (const reports::InteropFormat& format : reports::interop_formats()) {
    names.push_back(format.name);
  }
  return names;
}

}  // namespace

std::string interop_report_help() {
  return help_for_formats(names_of_matrix_formats());
}

InteropReports::InteropReports(const std::vector<std::string>& texts, OutputPaths& paths)
    : files_(texts, names_of_matrix_formats(), paths) {}

bool InteropReports::write(const reports::InteropResult& result) const {
  return files_.write([&result](const reports::NamedPath& each) {
    return reports::write_file(each.path,
                               reports::find_interop_format(each.format)->render(result));
  });
}

std::optional<reports::InteropResult> load_interop(const std::string& path) {
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  if (!reports::is_interop_json(file.text)) return std::nullopt;
  auto parsed = reports::parse_interop_json(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", reports::printable_line(path), *error));
  }
  return std::get<reports::InteropResult>(std::move(parsed));
}

int exit_status(const reports::InteropResult& result) {
  if (result.was_interrupted) return kInterrupted;
  if (!reports::was_tested(result)) return kNotTested;
  return reports::has_failed(result) ? kViolations : kConformant;
}

}  // namespace assay::cli
