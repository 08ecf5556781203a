// mcp-assay report: renders JSON reports again, in any format, and as an overview of many.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/expectations.h"
#include "harness/cli/load_report.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/overview.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

constexpr std::string_view kNameMark = "{name}";

class ReportCommand : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override {
    return "Render JSON reports again, in other formats";
  }

  void declare(Arguments& arguments) override {
    arguments.positionals("FILE", files_, true, "JSON reports");
    arguments.texts("--report", requests_, "FORMAT=PATH",
                    "what to write (repeatable); '{name}' in PATH stands for FILE without its "
                    "folder and extension, '-' for standard output");
    arguments.text("--overview", overview_, "PATH",
                   "an HTML page of all reports, servers against revisions, with links to their "
                   "html reports");
    arguments.text("--expected-failures", expected_, "FILE", "judge the reports by this list");
    arguments.text("--write-expected", write_expected_, "PATH",
                   "write a list of expected failures that this report passes with");
    arguments.flag("--verbose", is_verbose_, "show everything, when nothing is to be written");
    std::string formats = "Formats:\n";
    for (const reports::Format& format : reports::formats()) {
      formats += fmt::format("  {:<15} {}\n", format.name, format.description);
    }
    arguments.footer(formats +
                     "\nWithout --report, --overview and --write-expected the result is "
                     "shown as text.\nExit status: 0 done, 2 a file is wrong.");
  }

  int run() override {
    std::vector<reports::ReportRequest> requests;
    for (const std::string& text : requests_) requests.push_back(parse(text));
    if (!write_expected_.empty() && files_.size() != 1) {
      throw UsageError("--write-expected takes one report: merge them first");
    }
    std::vector<reports::Result> results = load_reports(files_);
    const Expectations expectations(expected_);
    for (reports::Result& result : results) expectations.apply(result, "report");
    for (std::size_t i = 0; i < results.size(); ++i) write(requests, files_[i], results[i]);
    if (!write_expected_.empty()) {
      check(reports::write_file(write_expected_, reports::render_expected(results.front())));
    }
    if (!overview_.empty()) write_overview(requests, results);
    if (requests.empty() && overview_.empty() && write_expected_.empty()) {
      for (const reports::Result& result : results) {
        fmt::print("{}", reports::render_terminal(result, {false, 100, is_verbose_, false}));
      }
    }
    return kConformant;
  }

 private:
  static void check(const std::optional<std::string>& error) {
    if (error) throw UsageError(*error);
  }

  reports::ReportRequest parse(const std::string& text) const {
    const auto parsed = reports::parse_report_request(text);
    if (const auto* error = std::get_if<std::string>(&parsed)) throw UsageError(*error);
    auto request = std::get<reports::ReportRequest>(parsed);
    const bool is_shared = request.path.find(kNameMark) == std::string::npos;
    if (files_.size() > 1 && is_shared && request.path != "-") {
      throw UsageError(fmt::format("'{}' would be written {} times: put {{name}} into its path",
                                   request.path, files_.size()));
    }
    return request;
  }

  static std::string path_for(const reports::ReportRequest& request, const std::string& file) {
    std::string path = request.path;
    const std::size_t at = path.find(kNameMark);
    const std::string stem = std::filesystem::path(file).stem().string();
    if (at != std::string::npos) path.replace(at, kNameMark.size(), stem);
    return path;
  }

  static void write(const std::vector<reports::ReportRequest>& requests, const std::string& file,
                    const reports::Result& result) {
    for (reports::ReportRequest request : requests) {
      request.path = path_for(request, file);
      check(reports::write_report(request, result));
    }
  }

  void write_overview(const std::vector<reports::ReportRequest>& requests,
                      const std::vector<reports::Result>& results) const {
    std::vector<reports::OverviewEntry> entries;
    const auto folder = std::filesystem::absolute(overview_).parent_path();
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string link;
      for (const reports::ReportRequest& request : requests) {
        if (request.format->name != "html" || request.path == "-") continue;
        const auto target = std::filesystem::absolute(path_for(request, files_[i]));
        link = target.lexically_relative(folder).generic_string();
      }
      entries.push_back({&results[i], link});
    }
    check(reports::write_file(overview_, reports::render_overview(entries)));
  }

  std::vector<std::string> files_;
  std::vector<std::string> requests_;
  std::string overview_;
  std::string expected_;
  std::string write_expected_;
  bool is_verbose_ = false;
};

const CommandRegistration<ReportCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
