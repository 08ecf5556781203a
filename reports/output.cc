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

// What somebody meant who gave only a path, "result.html", or the start of a name, "htm".
const Format* format_of_extension(std::string_view path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty()) {
    const auto all = formats();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Format& format) {
      return path.size() > 1 && format.name.starts_with(path);
    });
    return found == all.end() ? nullptr : &*found;
  }
  if (extension == ".md") return find_format("markdown");
  if (extension == ".xml") return find_format("junit");
  if (extension == ".txt") return find_format("text");
  return find_format(extension.substr(1));
}

}  // namespace

std::variant<ReportRequest, std::string> parse_report_request(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const Format* format = find_format(name);
  if (format == nullptr) {
    std::string known;
    for (const Format& each : formats())
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    const Format* meant = format_of_extension(name);
    const std::string hint =
        meant == nullptr
            ? ""
            : fmt::format("; write {}={}", meant->name,
                          printable_line(equals == text.npos ? text : text.substr(equals + 1)));
    return fmt::format("unknown report format '{}'{}; known: {}", printable_line(cut(name, 80)),
                       hint, known);
  }
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return fmt::format("'{}' names no file: write {}=PATH", text, name);
  }
  return ReportRequest{format, std::string(text.substr(equals + 1))};
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
