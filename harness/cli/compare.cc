// mcp-assay compare: what changed between two reports.
#include "reports/compare.h"

#include <fmt/format.h>

#include <string>

#include "harness/cli/command.h"
#include "harness/cli/load_report.h"

namespace assay::cli {
namespace {

class CompareCommand : public Command {
 public:
  std::string_view name() const override { return "compare"; }
  std::string_view summary() const override { return "Say what changed between two reports"; }

  void declare(Arguments& arguments) override {
    arguments.positional("OLD", old_, true, "a JSON report");
    arguments.positional("NEW", new_, true, "a later JSON report of the same target");
    arguments.flag("--markdown", is_markdown_, "for a pull request");
    arguments.footer("Exit status: 0 not worse, 1 worse, 2 a file cannot be read.");
  }

  int run() override {
    const reports::Comparison comparison = reports::compare(load_report(old_), load_report(new_));
    fmt::print("{}", is_markdown_ ? reports::render_comparison_markdown(comparison)
                                  : reports::render_comparison_text(comparison));
    return comparison.is_worse() ? kViolations : kConformant;
  }

 private:
  std::string old_;
  std::string new_;
  bool is_markdown_ = false;
};

const CommandRegistration<CompareCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
