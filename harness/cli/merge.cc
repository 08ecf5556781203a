// mcp-assay merge: joins the reports of shards, or of runs on several machines.
#include "reports/merge.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/interop_history_option.h"
#include "harness/cli/interop_reports.h"
#include "harness/frame/command.h"
#include "harness/frame/exit_status.h"
#include "harness/frame/expectations.h"
#include "harness/frame/load_report.h"
#include "harness/frame/report_files.h"
#include "reports/escape.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/merge_interop.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

class MergeCommand : public Command {
 public:
  std::string_view name() const override { return "merge"; }
  std::string_view summary() const override { return "Join JSON reports of one target"; }

  void declare(Arguments& arguments) override {
    arguments.positionals("FILE", files_, true, "JSON reports");
    arguments.text("-o,--output", output_, "PATH",
                   "Write the joined JSON report here (default: -, unless you use --report)");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--expected-failures", expected_, "FILE",
                   "Violations in this YAML file do not fail the joined report");
    history_.declare(arguments);
    arguments.footer(
        "Shards of a run (server --shard, interop --shard) give the same result as the whole run, "
        "if\n"
        "none is missing.\n"
        "\n"
        "Exit status: that of the run that the joined report stands for; 2 if the reports do not "
        "belong\n"
        "together.");
  }

  int run() override {
    OutputPaths paths;
    if (load_interop(files_.front())) return merge_matrices(paths);
    if (history_.is_given()) throw UsageError("--history is for the parts of a matrix");
    const ReportFiles files(report_files_, paths);
    if (!output_.empty()) paths.claim(output_);
    refuse_twice();
    const Expectations expectations(expected_);
    const std::vector<reports::Result> parts = load_reports(files_);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] != parts[i - 1]) continue;
      throw UsageError(fmt::format("'{}' and '{}' are the same report: name each once",
                                   reports::printable_line(files_[i - 1]),
                                   reports::printable_line(files_[i])));
    }
    std::variant<reports::Result, std::string> merged = reports::merge(parts);
    if (const auto* problem = std::get_if<std::string>(&merged)) throw UsageError(*problem);
    auto& result = std::get<reports::Result>(merged);
    expectations.apply(result, "merge");
    if (!output_.empty() || report_files_.empty()) {
      const std::string path = output_.empty() ? "-" : output_;
      if (const auto error = reports::write_file(path, reports::render_json(result))) {
        throw UsageError(*error);
      }
    }
    return files.write(result) ? exit_status(result) : kUsage;
  }

 private:
  // Parts of 'interop'.
  int merge_matrices(OutputPaths& paths) {
    if (!expected_.empty()) throw UsageError("--expected-failures is not for matrices");
    const InteropReports files(report_files_, paths);
    if (!output_.empty()) paths.claim(output_);
    refuse_twice();
    history_.prepare();
    std::vector<reports::InteropResult> parts;
    for (const std::string& path : files_) {
      auto part = load_interop(path);
      if (!part) {
        throw UsageError(fmt::format("'{}' is no matrix of 'interop', as the first file is",
                                     reports::printable_line(path)));
      }
      parts.push_back(*std::move(part));
    }
    auto merged = reports::merge_interop(parts);
    if (const auto* problem = std::get_if<std::string>(&merged)) throw UsageError(*problem);
    auto& result = std::get<reports::InteropResult>(merged);
    history_.keep(result);
    if (!output_.empty() || report_files_.empty()) {
      const std::string path = output_.empty() ? "-" : output_;
      if (const auto error = reports::write_file(path, reports::render_interop_json(result))) {
        throw UsageError(*error);
      }
    }
    return files.write(result) ? exit_status(result) : kUsage;
  }

  // What is counted twice looks like two runs that agree.
  void refuse_twice() const {
    std::error_code ignored;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!std::filesystem::equivalent(files_[i], files_[j], ignored)) continue;
        throw UsageError(fmt::format("'{}' is given twice: name each report once",
                                     reports::printable_line(files_[i])));
      }
    }
  }

  std::vector<std::string> files_;
  std::string output_;
  std::vector<std::string> report_files_;
  std::string expected_;
  InteropHistoryOption history_;
};

const CommandRegistration<MergeCommand> kMergeCommandRegistration;

}  // namespace
}  // namespace assay::cli
