// mcp-assay report: renders JSON reports again, in any format, and as an overview of many.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/cli/interop_reports.h"
#include "harness/frame/command.h"
#include "harness/frame/expectations.h"
#include "harness/frame/history_option.h"
#include "harness/frame/load_report.h"
#include "harness/frame/many_servers.h"
#include "harness/frame/output_paths.h"
#include "harness/frame/terminal_width.h"
#include "harness/rules/rule_pages.h"
#include "reports/expected.h"
#include "reports/interop/interop_text.h"
#include "reports/output.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

// A file that the command line names, or that a folder of it holds.
struct ReportFile {
  std::string path;
  bool is_named = true;  // by itself: then it has to be a report
};

// The files that the command line names, and every .json of a folder and the folders in it, by
// name.
std::vector<ReportFile> report_paths(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::vector<ReportFile> out;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      out.push_back({word, true});
      continue;
    }
    std::vector<std::string> found;
    // Links are not followed, so that the walk ends.
    fs::recursive_directory_iterator walk(word, fs::directory_options::skip_permission_denied,
                                          error);
    for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
      if (walk->path().extension() == ".json") found.push_back(walk->path().string());
    }
    if (error) throw UsageError(fmt::format("cannot read '{}': {}", word, error.message()));
    if (found.empty()) throw UsageError(fmt::format("'{}' holds no .json file", word));
    // What stands higher comes first, and keeps its plain name.
    const auto depth = [](const std::string& path) {
      return std::count(path.begin(), path.end(), fs::path::preferred_separator);
    };
    std::sort(found.begin(), found.end(), [&](const std::string& a, const std::string& b) {
      return std::pair(depth(a), a) < std::pair(depth(b), b);
    });
    for (std::string& path : found) out.push_back({std::move(path), false});
  }
  return out;
}

// Every report; what a folder holds besides reports is told and left out.
std::vector<reports::Result> load_all(std::vector<ReportFile>& files) {
  std::vector<reports::Result> out;
  std::erase_if(files, [&out](const ReportFile& file) {
    try {
      out.push_back(load_report(file.path));
      return false;
    } catch (const UsageError& error) {
      if (file.is_named) throw;
      fmt::print(stderr, "mcp-assay report: left out: {}\n", error.text());
      return true;
    }
  });
  if (out.empty()) throw UsageError("the folder holds no report of mcp-assay");
  return out;
}

// {name} of each: the file without its folder and extension, with them where two would be the same.
std::vector<std::string> names_for(const std::vector<ReportFile>& files) {
  std::map<std::string, int> taken;
  std::vector<std::string> out;
  for (const ReportFile& file : files) {
    const std::filesystem::path path(file.path);
    std::string name = path.stem().string();
    if (taken.contains(name)) name = path.parent_path().filename().string() + "-" + name;
    const int number = ++taken[name];
    out.push_back(number == 1 ? name : fmt::format("{}-{}", name, number));
  }
  return out;
}

class ReportCommand : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override { return "Write JSON reports in other formats"; }

  void declare(Arguments& arguments) override {
    arguments.positionals("FILE", words_, false,
                          "JSON reports, or folders of them (with their subfolders)");
    arguments.texts("--report", requests_, "FORMAT=PATH",
                    "Write this (repeatable). {name} in PATH becomes the name of FILE without "
                    "folder and extension; '-' is standard output");
    arguments.text("--overview", overview_, "PATH",
                   "Write an HTML page of all reports, with links to their HTML reports");
    history_.declare(arguments);
    arguments.text("--expected-failures", expected_, "FILE",
                   "Violations in this YAML file do not fail a report");
    arguments.text("--write-expected", write_expected_, "PATH",
                   "Write a list of expected failures with which this report passes");
    arguments.text("--rules", rules_, "DIR",
                   "Write a page for each rule, with right and wrong examples from real runs "
                   "(takes minutes; needs no FILE)");
    arguments.texts("--rule", rule_globs_, "GLOB", "Write only these rules (repeatable)");
    arguments.text("--rules-url", rules_url_, "URL",
                   "Where you publish the pages of --rules: reports link to them");
    arguments.flag("--verbose", is_verbose_, "Show every exchange, and what was not exercised");
    std::string formats = "Formats:\n";
    for (const reports::Format& format : reports::formats()) {
      formats += fmt::format("  {:<15} {}\n", format.name, format.description);
    }
    arguments.footer(formats +
                     "\nWithout --report, --overview and --write-expected, the result is shown as "
                     "text.\nExit status: 0 done, 2 a file is wrong, 130 interrupted.");
  }

  int run() override {
    check_rules_url(rules_url_);
    if (rules_.empty() && !rule_globs_.empty()) throw UsageError("--rule needs --rules DIR");
    if (!rules_.empty() && !write_rule_pages(rules_, rule_globs_)) return kInterrupted;
    if (words_.empty()) {
      if (rules_.empty()) throw UsageError("FILE is required: a JSON report, or a folder of them");
      return kConformant;
    }
    if (words_.size() == 1 && std::filesystem::is_regular_file(words_.front())) {
      if (const auto matrix = load_interop(words_.front())) return write_matrix(*matrix);
    }
    files_ = report_paths(words_);
    std::vector<reports::ReportRequest> requests;
    for (const std::string& text : requests_) requests.push_back(parse(text));
    if (!write_expected_.empty() && files_.size() != 1) {
      throw UsageError("--write-expected takes one report: merge them first");
    }
    std::vector<reports::Result> results = load_all(files_);
    names_ = names_for(files_);
    claim_all(requests);
    history_.prepare(!overview_.empty());
    const Expectations expectations(expected_);
    for (reports::Result& result : results) {
      expectations.apply(result, "report");
      if (!rules_url_.empty()) result.rules_url = rules_url_;
    }
    for (std::size_t i = 0; i < results.size(); ++i) write(requests, names_[i], results[i]);
    if (!write_expected_.empty()) {
      check(reports::write_file(write_expected_, reports::render_expected(results.front())));
    }
    if (!overview_.empty()) {
      check(write_overview(overview_, results, pages(requests), history_.add(results)));
    }
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

  // A result of 'interop'.
  int write_matrix(const reports::InteropResult& matrix) const {
    if (!expected_.empty() || !write_expected_.empty() || !overview_.empty() ||
        history_.is_given()) {
      throw UsageError(
          "this is a matrix of 'interop', which takes no --expected-failures, --write-expected, "
          "--overview or --history");
    }
    OutputPaths paths;
    const InteropReports files(requests_, paths);
    if (!files.write(matrix)) return kUsage;
    if (!requests_.empty()) return kConformant;
    reports::TerminalOptions options;
    options.width = terminal_width(STDOUT_FILENO, options.width);
    options.verbose = is_verbose_;
    fmt::print("{}", reports::render_interop_text(matrix, options));
    return kConformant;
  }

  // Each file that is written, before the first one is.
  void claim_all(const std::vector<reports::ReportRequest>& requests) const {
    OutputPaths paths;
    for (const std::string& name : names_) {
      for (const reports::ReportRequest& request : requests) {
        paths.claim(path_of(request, name), {"{revision}"});
      }
    }
    if (!write_expected_.empty()) paths.claim(write_expected_);
    if (!overview_.empty()) paths.claim(overview_);
  }

  reports::ReportRequest parse(const std::string& text) const {
    const auto parsed = reports::parse_report_request(text);
    if (const auto* error = std::get_if<std::string>(&parsed)) throw UsageError(*error);
    auto request = std::get<reports::ReportRequest>(parsed);
    path_for(request.path, "", files_.size());  // complains before anything is read
    return request;
  }

  std::string path_of(const reports::ReportRequest& request, const std::string& name) const {
    return path_for(request.path, name, files_.size());
  }

  void write(const std::vector<reports::ReportRequest>& requests, const std::string& name,
             const reports::Result& result) const {
    for (reports::ReportRequest request : requests) {
      request.path = path_of(request, name);
      check(reports::write_report(request, result));
    }
  }

  // Each report's page: the one that is written now, or one that stands beside the file.
  std::vector<std::string> pages(const std::vector<reports::ReportRequest>& requests) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string page = std::filesystem::path(files_[i].path).replace_extension(".html").string();
      std::error_code error;
      if (!std::filesystem::exists(page, error)) page.clear();
      for (const reports::ReportRequest& request : requests) {
        if (request.format->name == "html" && request.path != "-") {
          page = path_of(request, names_[i]);
        }
      }
      out.push_back(page);
    }
    return out;
  }

  std::vector<std::string> words_;
  std::vector<ReportFile> files_;
  std::vector<std::string> names_;
  std::vector<std::string> requests_;
  std::string overview_;
  HistoryOption history_;
  std::string expected_;
  std::string write_expected_;
  std::string rules_;
  std::vector<std::string> rule_globs_;
  std::string rules_url_;
  bool is_verbose_ = false;
};

const CommandRegistration<ReportCommand> kReportCommandRegistration;

}  // namespace
}  // namespace assay::cli
