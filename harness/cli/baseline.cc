// mcp-assay baseline: keeps a list of expected failures as a report shows it.
#include "reports/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/load_report.h"
#include "harness/frame/output_paths.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

using Change = reports::BaselineChange;

// The list that is there; an empty one where none is.
reports::ExpectedFailures read_list(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  auto parsed = reports::parse_expected(file.text);
  if (const auto* wrong = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", reports::printable_line(path), *wrong));
  }
  return std::get<reports::ExpectedFailures>(std::move(parsed));
}

std::string_view verb_of(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kAdded:
      return "added   ";
    case Change::Kind::kRemoved:
      return "removed ";
    case Change::Kind::kKept:
      return "kept    ";
    case Change::Kind::kLeftOut:
      return "unlisted";
  }
  return "";
}

class BaselineCommand : public Command {
 public:
  std::string_view name() const override { return "baseline"; }
  std::string_view summary() const override {
    return "Write known violations to a list, and remove those that are fixed";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("REPORT", report_, true, "The JSON report of a run");
    arguments.text("--file", file_, "FILE",
                   "The list for --expected-failures (default: expected.yaml)");
    arguments.flag("--shrink", is_shrinking_,
                   "Only remove what is fixed; fail if a violation is not in the list");
    arguments.text("--reason", reason_, "REASON",
                   "The reason of new entries (default: what happened)");
    arguments.footer(
        "Each entry is a rule, with the revisions and transports in which it is violated, a reason "
        "and the\n"
        "day when it was listed. Entries keep their reason and day. What the run did not judge "
        "stays in the\n"
        "list. Comments in FILE are lost: use reasons.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay server --report json=result.json -- node server.js\n"
        "  mcp-assay baseline result.json\n"
        "  mcp-assay baseline --shrink result.json\n"
        "  mcp-assay server --expected-failures expected.yaml -- node server.js\n"
        "\n"
        "Exit status: 0 the list is true, 1 with --shrink: a violation is not in the list, 2 a "
        "file cannot\n"
        "be read or written, 3 nothing was tested in REPORT.");
  }

  int run() override {
    const reports::Result result = load_report(report_);
    reports::ExpectedFailures before = read_list(file_);
    if (!reports::was_tested(result)) {
      fmt::print(stderr, "mcp-assay baseline: nothing was tested in '{}'\n",
                 reports::printable_line(report_));
      return kNotTested;
    }
    OutputPaths().claim(file_);
    const reports::Baseline baseline =
        reports::renewed(std::move(before), result, {!is_shrinking_, reason_});
    const auto problem = reports::write_file(file_, reports::render_list(baseline.list));
    if (problem) throw UsageError(*problem);
    tell(baseline);
    return count(baseline, Change::Kind::kLeftOut) > 0 ? kViolations : kConformant;
  }

 private:
  static std::ptrdiff_t count(const reports::Baseline& baseline, Change::Kind kind) {
    return std::count_if(baseline.changes.begin(), baseline.changes.end(),
                         [kind](const Change& change) { return change.kind == kind; });
  }

  void tell(const reports::Baseline& baseline) const {
    for (const Change& change : baseline.changes) {
      if (change.kind == Change::Kind::kKept) continue;
      fmt::print(
          "{}  {}{}\n", verb_of(change.kind), reports::printable_line(change.requirement),
          change.where.empty() ? "" : fmt::format(" ({})", reports::printable_line(change.where)));
    }
    fmt::print("{}: {} added, {} removed, {} kept\n", reports::printable_line(file_),
               count(baseline, Change::Kind::kAdded), count(baseline, Change::Kind::kRemoved),
               count(baseline, Change::Kind::kKept));
    const auto left = static_cast<int>(count(baseline, Change::Kind::kLeftOut));
    if (left > 0) fmt::print("{} not in the list.\n", reports::plural(left, "violation"));
  }

  std::string report_;
  std::string file_ = "expected.yaml";
  bool is_shrinking_ = false;
  std::string reason_;
};

const CommandRegistration<BaselineCommand> kBaselineCommandRegistration;

}  // namespace
}  // namespace assay::cli
