// mcp-assay report: renders JSON reports again, in any format, and as an overview of many.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/expectations.h"
#include "harness/cli/load_report.h"
#include "harness/cli/many_servers.h"
#include "harness/cli/terminal_width.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

// The reports that the command line names: files, and every .json of a folder, by name.
std::vector<std::string> report_paths(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    std::error_code error;
    if (!std::filesystem::is_directory(word, error)) {
      out.push_back(word);
      continue;
    }
    const std::size_t before = out.size();
    for (const auto& entry : std::filesystem::directory_iterator(word, error)) {
      if (entry.path().extension() == ".json") out.push_back(entry.path().string());
    }
    if (error) throw UsageError(fmt::format("cannot read '{}': {}", word, error.message()));
    if (out.size() == before) throw UsageError(fmt::format("'{}' holds no .json file", word));
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  }
  return out;
}

class ReportCommand : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override {
    return "Render JSON reports again, in other formats";
  }

  void declare(Arguments& arguments) override {
    arguments.positionals("FILE", words_, true, "JSON reports, or folders of them");
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
    files_ = report_paths(words_);
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
    if (!overview_.empty()) check(write_overview(overview_, results, pages(requests)));
    if (requests.empty() && overview_.empty() && write_expected_.empty()) {
      for (const reports::Result& result : results) {
        reports::TerminalOptions options;
        options.width = terminal_width(STDOUT_FILENO, options.width);
        options.verbose = is_verbose_;
        fmt::print("{}", reports::render_terminal(result, options));
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
    path_for(request.path, "", files_.size());  // complains before anything is read
    return request;
  }

  std::string path_of(const reports::ReportRequest& request, const std::string& file) const {
    return path_for(request.path, std::filesystem::path(file).stem().string(), files_.size());
  }

  void write(const std::vector<reports::ReportRequest>& requests, const std::string& file,
             const reports::Result& result) const {
    for (reports::ReportRequest request : requests) {
      request.path = path_of(request, file);
      check(reports::write_report(request, result));
    }
  }

  // Each report's page: the one that is written now, or one that stands beside the file.
  std::vector<std::string> pages(const std::vector<reports::ReportRequest>& requests) const {
    std::vector<std::string> out;
    for (const std::string& file : files_) {
      std::string page = std::filesystem::path(file).replace_extension(".html").string();
      std::error_code error;
      if (!std::filesystem::exists(page, error)) page.clear();
      for (const reports::ReportRequest& request : requests) {
        if (request.format->name == "html" && request.path != "-") page = path_of(request, file);
      }
      out.push_back(page);
    }
    return out;
  }

  std::vector<std::string> words_;
  std::vector<std::string> files_;
  std::vector<std::string> requests_;
  std::string overview_;
  std::string expected_;
  std::string write_expected_;
  bool is_verbose_ = false;
};

const CommandRegistration<ReportCommand> kReportCommandRegistration;

}  // namespace
}  // namespace assay::cli
