#include "reports/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "reports/escape.h"
#include "reports/json.h"

namespace assay::reports {
namespace {

constexpr std::string_view kRevisionMark = "{revision}";

std::string problem(const std::string& path, int error) {
  return fmt::format("cannot write '{}': {}", printable_line(path), std::strerror(error));
}

std::string expand(std::string path, const std::string& revision) {
  for (std::size_t at = path.find(kRevisionMark); at != std::string::npos;
       at = path.find(kRevisionMark, at + revision.size())) {
    path.replace(at, kRevisionMark.size(), revision);
  }
  return path;
}

// A revision read from a report may be anything; in a path it is a name and nothing else.
bool is_plain_name(const std::string& text) {
  return !text.empty() && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

std::optional<std::string> write_per_revision(const ReportRequest& request, const Result& result) {
  std::vector<std::string> revisions;
  for (const Run& run : result.runs) {
    if (std::find(revisions.begin(), revisions.end(), run.revision) == revisions.end()) {
      revisions.push_back(run.revision);
    }
  }
  for (const std::string& revision : revisions) {
    if (!is_plain_name(revision)) {
      return fmt::format("'{}' cannot be part of a file name", printable_line(cut(revision, 60)));
    }
    Result part = result;
    std::erase_if(part.runs, [&](const Run& run) { return run.revision != revision; });
    const auto error = write_file(expand(request.path, revision), request.format->render(part));
    if (error) return error;
  }
  return std::nullopt;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What somebody meant who gave only a path, "result.html", or the start of a name, "htm"; empty if
// nothing tells.
std::string_view name_meant_by(std::string_view path, std::span<const std::string_view> names) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty()) {
    const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
      return path.size() > 1 && name.starts_with(path);
    });
    return found == names.end() ? std::string_view() : *found;
  }
  std::string_view meant = std::string_view(extension).substr(1);
  if (extension == ".md") meant = "markdown";
  if (extension == ".xml") meant = "junit";
  if (extension == ".txt") meant = "text";
  const auto found = std::find(names.begin(), names.end(), meant);
  return found == names.end() ? std::string_view() : *found;
}

}  // namespace

std::variant<NamedPath, std::string> parse_named_path(std::string_view text,
                                                      std::span<const std::string_view> names) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (!is_one_of(name, names)) {
    std::string known;
    for (const std::string_view each : names) {
      known += (known.empty() ? "" : ", ") + std::string(each);
    }
    const std::string_view meant = name_meant_by(name, names);
    const std::string hint =
        meant.empty()
            ? ""
            : fmt::format("; write {}={}", meant,
                          printable_line(equals == text.npos ? text : text.substr(equals + 1)));
    return fmt::format("unknown report format '{}'{}; known: {}", printable_line(cut(name, 80)),
                       hint, known);
  }
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return fmt::format("'{}' names no file: write {}=PATH", text, name);
  }
  return NamedPath{std::string(name), std::string(text.substr(equals + 1))};
}

std::variant<ReportRequest, std::string> parse_report_request(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Format& each : formats()) names.push_back(each.name);
  const auto parsed = parse_named_path(text, names);
  if (const auto* error = std::get_if<std::string>(&parsed)) return *error;
  const auto& named = std::get<NamedPath>(parsed);
  return ReportRequest{find_format(named.format), named.path};
}

std::optional<std::string> check_writable(const std::string& path) {
  if (path == "-") return std::nullopt;
  const std::filesystem::path file(expand(path, "revision"));
  std::error_code error;
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) return problem(path, error.value());
  }
  const bool existed = std::filesystem::exists(file, error);
  errno = 0;
  if (!std::ofstream(file, std::ios::app)) return problem(path, errno);
  if (!existed) std::filesystem::remove(file, error);
  return std::nullopt;
}

std::optional<std::string> write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    errno = 0;
    std::cout << text << std::flush;
    if (!std::cout) {
      return fmt::format("cannot write to standard output: {}", std::strerror(errno));
    }
    return std::nullopt;
  }
  if (auto error = check_writable(path)) return error;
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return problem(path, errno);
  return std::nullopt;
}

std::optional<std::string> write_report(const ReportRequest& request, const Result& result) {
  if (request.path.find(kRevisionMark) != std::string::npos) {
    return write_per_revision(request, result);
  }
  return write_file(request.path, request.format->render(result));
}

FileText read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return {"", fmt::format("cannot read '{}': it is a folder", printable_line(path))};
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return {"", fmt::format("cannot read '{}': {}", printable_line(path), std::strerror(errno))};
  }
  std::string text;
  std::vector<char> block(1U << 20U);
  while (in && text.size() <= kMaxReportBytes) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kMaxReportBytes) {
    return {"", fmt::format("'{}' is larger than {} bytes", printable_line(path), kMaxReportBytes)};
  }
  return {std::move(text), ""};
}

}  // namespace assay::reports
