// mcp-assay compare: what changed between two reports, two matrices, or two results of `bench`.
#include "reports/compare.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "harness/cli/interop_reports.h"
#include "harness/frame/command.h"
#include "harness/frame/load_report.h"
#include "harness/frame/output_paths.h"
#include "reports/escape.h"
#include "reports/interop/compare_interop.h"
#include "reports/interop/interop_json.h"
#include "reports/load/load_compare.h"
#include "reports/load/load_json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

std::string text_of(const std::string& path) {
  reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  return std::move(file.text);
}

reports::LoadResult load_result(const std::string& path, const std::string& text) {
  std::variant<reports::LoadResult, std::string> parsed = reports::parse_load_json(text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}' {}", reports::printable_line(path), *error));
  }
  return std::get<reports::LoadResult>(std::move(parsed));
}

class CompareCommand : public Command {
 public:
  std::string_view name() const override { return "compare"; }
  std::string_view summary() const override {
    return "Say what changed between two reports, two matrices, or two results of bench";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("OLD", old_, true, "A JSON report, of interop too, or a result of bench");
    arguments.positional("NEW", new_, true, "A later one for the same target");
    arguments.flag("--markdown", is_markdown_, "Print Markdown, for a pull request");
    arguments.text("--html", html_, "PATH", "Also write the comparison as a page");
    arguments.flag("--allow-missing", options_.allow_missing,
                   "Accept that something is no longer judged: a verdict, a revision, the rest of "
                   "an interrupted run");
    arguments.footer(
        "It is worse if a requirement is newly violated, if a revision can no longer be tested, or "
        "if\n"
        "something is no longer judged. Two reports without a common revision and transport are "
        "always worse.\n"
        "\n"
        "Matrices of interop are compared act by act: it is worse if an act that worked fails now, "
        "or is not\n"
        "tested any more.\n"
        "\n"
        "Results of bench are compared by a test of significance over their samples: a difference "
        "counts if\n"
        "chance would rarely produce it (p < 0.01) and it is 2% or more.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay compare yesterday.json today.json\n"
        "  mcp-assay bench --report json=new.json --url http://127.0.0.1:3001/mcp\n"
        "  mcp-assay compare old.json new.json\n"
        "\n"
        "Exit status: 0 not worse, 1 worse, 2 a file cannot be read.");
  }

  int run() override {
    const std::string old_text = text_of(old_);
    const std::string new_text = text_of(new_);
    if (reports::is_load_json(old_text) || reports::is_load_json(new_text)) {
      return compare_loads(old_text, new_text);
    }
    if (reports::is_interop_json(old_text) || reports::is_interop_json(new_text)) {
      return compare_matrices();
    }
    const reports::Comparison comparison =
        reports::compare(load_report(old_), load_report(new_), options_);
    if (!html_.empty()) {
      OutputPaths().claim(html_);
      const auto error = reports::write_file(html_, reports::render_comparison_html(comparison));
      if (error) throw UsageError(*error);
    }
    fmt::print("{}", is_markdown_ ? reports::render_comparison_markdown(comparison)
                                  : reports::render_comparison_text(comparison));
    return comparison.is_worse() ? kViolations : kConformant;
  }

 private:
  int compare_matrices() const {
    if (!html_.empty()) throw UsageError("--html is for reports, not for matrices of interop");
    const auto matrix_in = [](const std::string& path) {
      auto matrix = load_interop(path);
      if (matrix) return *std::move(matrix);
      throw UsageError(fmt::format("'{}' is no matrix of 'interop', as the other file is",
                                   reports::printable_line(path)));
    };
    const reports::InteropComparison comparison =
        reports::compare_interop(matrix_in(old_), matrix_in(new_), options_);
    fmt::print("{}", is_markdown_ ? reports::render_interop_comparison_markdown(comparison)
                                  : reports::render_interop_comparison_text(comparison));
    return comparison.is_worse() ? kViolations : kConformant;
  }

  int compare_loads(const std::string& old_text, const std::string& new_text) const {
    if (is_markdown_) throw UsageError("--markdown is for reports, not for results of bench");
    if (!html_.empty()) throw UsageError("--html is for reports, not for results of bench");
    if (options_.allow_missing) {
      throw UsageError("--allow-missing is for reports, not for results of bench");
    }
    const reports::LoadComparison comparison =
        reports::compare_loads(load_result(old_, old_text), load_result(new_, new_text));
    fmt::print("{}", reports::render_load_comparison(comparison));
    return comparison.is_worse() ? kViolations : kConformant;
  }

  std::string old_;
  std::string new_;
  bool is_markdown_ = false;
  std::string html_;
  reports::CompareOptions options_;
};

const CommandRegistration<CompareCommand> kCompareCommandRegistration;

}  // namespace
}  // namespace assay::cli
