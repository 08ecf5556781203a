// --report FORMAT=PATH: where a report goes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "reports/result.h"
#include "reports/writer.h"

namespace assay::reports {

// "html=out.html", whatever is reported.
struct NamedPath {
  std::string format;
  std::string path;
};
// Or one sentence that says what is wrong, with the names that are known.
std::variant<NamedPath, std::string> parse_named_path(std::string_view text,
                                                      std::span<const std::string_view> names);

struct ReportRequest {
  const Format* format = nullptr;
  // "-" is standard output. "{revision}" in it makes a file for each revision, with its runs only.
  std::string path;
};

// "html=out.html"; or one sentence that says what is wrong, with the known formats.
std::variant<ReportRequest, std::string> parse_report_request(std::string_view text);

// Before a run starts: makes missing folders and proves that the file can be written, without
// touching one that exists. Returns what stands in the way.
std::optional<std::string> check_writable(const std::string& path);

// Returns what went wrong.
std::optional<std::string> write_report(const ReportRequest& request, const Result& result);
// Writes a text as it is, with the same rules for `path` as above (without "{revision}").
std::optional<std::string> write_file(const std::string& path, std::string_view text);
// The text, or what went wrong. At most kMaxReportBytes are read.
struct FileText {
  std::string text;
  std::string error;  // empty if it could be read
};
FileText read_file(const std::string& path);

}  // namespace assay::reports
