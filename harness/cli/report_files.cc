#include "harness/cli/report_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/cli/command.h"

namespace assay::cli {
namespace {

std::string format_names() {
  std::string names;
  for (const reports::Format& format : reports::formats()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return names;
}

// Opens the file for writing, without harm to what stands in it, so that a run of minutes does not
// end in a report that cannot be kept.
void check_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  errno = 0;
  const bool existed = std::filesystem::exists(path, error);
  if (!std::ofstream(path, std::ios::binary | std::ios::app)) {
    throw UsageError(fmt::format("cannot write the report '{}': {}", path, std::strerror(errno)));
  }
  if (!existed) std::filesystem::remove(path, error);
}

}  // namespace

std::string report_help() {
  return fmt::format("Write a report (repeatable); formats: {}", format_names());
}

ReportFiles::ReportFiles(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const reports::Format* format = reports::find_format(name);
    if (format == nullptr) {
      throw UsageError(fmt::format("unknown report format '{}'; known: {}", name, format_names()));
    }
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw UsageError(fmt::format("--report takes FORMAT=PATH, not '{}'", text));
    }
    files_.push_back({format, text.substr(equals + 1)});
    check_writable(files_.back().path);
  }
}

bool ReportFiles::write(const reports::Result& result) const {
  bool all_written = true;
  for (const File& file : files_) {
    std::ofstream out(file.path, std::ios::binary | std::ios::trunc);
    out << file.format->render(result) << std::flush;
    if (out) continue;
    fmt::print(stderr, "mcp-assay: could not write the report '{}'\n", file.path);
    all_written = false;
  }
  return all_written;
}

}  // namespace assay::cli
