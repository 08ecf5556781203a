#include "harness/cli/interop_reports.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "reports/escape.h"
#include "reports/interop/interop_json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

std::string interop_format_names() {
  std::string names;
  for (const reports::InteropFormat& format : reports::interop_formats()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return names;
}

}  // namespace

std::string interop_report_help() {
  return fmt::format("Write a report (repeatable). Formats: {}", interop_format_names());
}

InteropReports::InteropReports(const std::vector<std::string>& texts, OutputPaths& paths) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const reports::InteropFormat* format = reports::find_interop_format(name);
    if (format == nullptr) {
      throw UsageError(fmt::format("unknown report format '{}'; known: {}",
                                   reports::printable_line(reports::cut(name, 80)),
                                   interop_format_names()));
    }
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw UsageError(fmt::format("'{}' names no file: write {}=PATH", name, name));
    }
    const std::string path = text.substr(equals + 1);
    if (path == "-" && std::exchange(uses_standard_output_, true)) {
      throw UsageError("only one report can go to standard output ('-')");
    }
    paths.claim(path);
    requests_.emplace_back(format, path);
  }
}

std::vector<std::string> InteropReports::paths() const {
  std::vector<std::string> out;
  for (const auto& [format, path] : requests_) {
    if (path != "-") out.push_back(path);
  }
  return out;
}

bool InteropReports::write(const reports::InteropResult& result) const {
  bool all_written = true;
  for (const auto& [format, path] : requests_) {
    const auto error = reports::write_file(path, format->render(result));
    if (!error) continue;
    fmt::print(stderr, "mcp-assay: {}\n", *error);
    all_written = false;
  }
  return all_written;
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
