// mcp-assay merge: joins the reports of shards, or of runs on several machines.
#include "reports/merge.h"

#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/expectations.h"
#include "harness/cli/load_report.h"
#include "harness/cli/report_files.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

class MergeCommand : public Command {
 public:
  std::string_view name() const override { return "merge"; }
  std::string_view summary() const override { return "Join reports of one target into one"; }

  void declare(Arguments& arguments) override {
    arguments.positionals("FILE", files_, true, "JSON reports");
    arguments.text("-o,--output", output_, "PATH",
                   "Where the joined JSON report goes (default: -, unless --report is given)");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--expected-failures", expected_, "FILE",
                   "Violations listed in this YAML file do not fail the joined report");
    arguments.footer(
        "Shards of a run (server --shard) give what the whole run gives; all of them must be\n"
        "there. Exit status: as that of the run that the joined report stands for; 2 if the\n"
        "reports do not belong together.");
  }

  int run() override {
    const ReportFiles files(report_files_);
    const Expectations expectations(expected_);
    const std::vector<reports::Result> parts = load_reports(files_);
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
  std::vector<std::string> files_;
  std::string output_;
  std::vector<std::string> report_files_;
  std::string expected_;
};

const CommandRegistration<MergeCommand> kMergeCommandRegistration;

}  // namespace
}  // namespace assay::cli
