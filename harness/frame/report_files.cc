#include "harness/frame/report_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "reports/writer.h"

namespace assay::cli {

std::string report_help() {
  std::string names;
  for (const reports::Format& format : reports::formats()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return fmt::format(
      "Write a report (repeatable). Formats: {}. {{revision}} in PATH writes one for each "
      "revision.",
      names);
}

ReportFiles::ReportFiles(const std::vector<std::string>& texts, OutputPaths& paths) {
  for (const std::string& text : texts) {
    const auto parsed = reports::parse_report_request(text);
    if (const auto* error = std::get_if<std::string>(&parsed)) throw UsageError(*error);
    requests_.push_back(std::get<reports::ReportRequest>(parsed));
    if (requests_.back().path == "-" && std::exchange(uses_standard_output_, true)) {
      throw UsageError("only one report can go to standard output ('-')");
    }
    paths.claim(requests_.back().path, {"{revision}"});
  }
}

std::string ReportFiles::path_of(std::string_view format) const {
  for (const reports::ReportRequest& request : requests_) {
    if (request.format->name == format) return request.path;
  }
  return "";
}

std::vector<std::string> ReportFiles::paths() const {
  std::vector<std::string> out;
  for (const reports::ReportRequest& request : requests_) {
    if (request.path != "-") out.push_back(request.path);
  }
  return out;
}

bool ReportFiles::write(const reports::Result& result) const {
  bool all_written = true;
  for (const reports::ReportRequest& request : requests_) {
    const auto error = reports::write_report(request, result);
    if (!error) continue;
    fmt::print(stderr, "mcp-assay: {}\n", *error);
    all_written = false;
  }
  return all_written;
}

}  // namespace assay::cli
