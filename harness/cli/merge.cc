// mcp-assay merge: joins the reports of shards, or of runs on several machines.
#include "reports/merge.h"

#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/load_report.h"
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
                   "where the joined JSON report goes (default: -)");
    arguments.footer(
        "Exit status: as that of the run that the joined report stands for; 2 if the reports do "
        "not\n"
        "belong together.");
  }

  int run() override {
    const std::vector<reports::Result> parts = load_reports(files_);
    const std::variant<reports::Result, std::string> merged = reports::merge(parts);
    if (const auto* problem = std::get_if<std::string>(&merged)) throw UsageError(*problem);
    const auto& result = std::get<reports::Result>(merged);
    if (const auto error = reports::write_file(output_, reports::render_json(result))) {
      throw UsageError(*error);
    }
    if (!reports::was_tested(result)) return kNotTested;
    return reports::has_failed(result) ? kViolations : kConformant;
  }

 private:
  std::vector<std::string> files_;
  std::string output_ = "-";
};

const CommandRegistration<MergeCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
