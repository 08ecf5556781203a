#include "harness/frame/report_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "reports/writer.h"

namespace assay::cli {
namespace {

std::vector<std::string_view> names_of_report_formats() {
  std::vector<std::string_view> names;
  for (const reports::Format& format : reports::formats()) names.push_back(format.name);
  return names;
}

}  // namespace

std::string help_for_formats(const std::vector<std::string_view>& formats) {
  std::string names;
  for (const std::string_view format : formats) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format);
  }
  return fmt::format("Write a report (repeatable). Formats: {}", names);
}

std::string report_help() {
  return help_for_formats(names_of_report_formats()) +
         ". {revision} in PATH writes one for each revision.";
}

ReportPaths::ReportPaths(const std::vector<std::string>& texts,
                         const std::vector<std::string_view>& formats, OutputPaths& paths,
                         const std::vector<std::string>& placeholders) {
  for (const std::string& text : texts) {
    const auto parsed = reports::parse_named_path(text, formats);
    if (const auto* error = std::get_if<std::string>(&parsed)) throw UsageError(*error);
    requests_.push_back(std::get<reports::NamedPath>(parsed));
    const std::string& path = requests_.back().path;
    if (path == "-" && std::exchange(uses_standard_output_, true)) {
      throw UsageError("only one report can go to standard output ('-')");
    }
    paths.claim(path, placeholders);
  }
}

std::string ReportPaths::path_of(std::string_view format) const {
  for (const reports::NamedPath& request : requests_) {
    if (request.format == format) return request.path;
  }
  return "";
}

std::vector<std::string> ReportPaths::paths() const {
  std::vector<std::string> out;
  for (const reports::NamedPath& request : requests_) {
    if (request.path != "-") out.push_back(request.path);
  }
  return out;
}

bool ReportPaths::write(const WriteOne& write_one) const {
  bool all_written = true;
  for (const reports::NamedPath& request : requests_) {
    const auto error = write_one(request);
    if (!error) continue;
    fmt::print(stderr, "mcp-assay: {}\n", *error);
    all_written = false;
  }
  return all_written;
}

ReportFiles::ReportFiles(const std::vector<std::string>& texts, OutputPaths& paths)
    : files_(texts, names_of_report_formats(), paths, {"{revision}"}) {}

bool ReportFiles::write(const reports::Result& result) const {
  return files_.write([&result](const reports::NamedPath& each) {
    return reports::write_report({reports::find_format(each.format), each.path}, result);
  });
}

}  // namespace assay::cli
