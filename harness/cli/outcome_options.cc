#include "harness/cli/outcome_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "harness/frame/catalogue_option.h"
#include "harness/frame/exit_status.h"
#include "harness/frame/last_report.h"
#include "harness/frame/shared_help.h"
#include "harness/rules/rule_pages.h"
#include "reports/expected.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

void check(const std::optional<std::string>& error) {
  if (error) throw UsageError(*error);
}

}  // namespace

void OutcomeOptions::declare(Arguments& arguments, const char* transcript_help,
                             const char* expected_help) {
  arguments.text("--catalogue", catalogue_, "VERSION", kCatalogueHelp);
  arguments.flag("--strict", is_strict_, kStrictHelp);
  arguments.text("--expected-failures", expected_failures_, "FILE", expected_help);
  arguments.group("Reports and output");
  arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
  arguments.text("--write-expected", write_expected_, "FILE",
                 "Write what fails now as a file for --expected-failures");
  arguments.text("--transcript", transcript_, "FILE", transcript_help);
  arguments.text("--rules-url", rules_url_, "URL", kRulesUrlHelp);
}

void OutcomeOptions::prepare(Page& page) {
  check_rules_url(rules_url_);
  OutputPaths paths;
  reports_ = std::make_unique<ReportFiles>(report_files_, paths);
  expectations_ = std::make_unique<Expectations>(expected_failures_);
  if (!write_expected_.empty()) paths.claim(write_expected_);
  if (!transcript_.empty()) paths.claim(transcript_);
  const bool is_list_there = write_expected_ == "-";
  if (reports_->uses_standard_output() && is_list_there) {
    throw UsageError("only one file can go to standard output ('-')");
  }
  page.leave_standard_output(reports_->uses_standard_output() || is_list_there);
}

int OutcomeOptions::catalogue_version() const {
  return catalogue_.empty() ? 0 : parse_catalogue_option(catalogue_);
}

OutcomeOptions::OnTranscript OutcomeOptions::on_transcript(
    const std::shared_ptr<reports::Vault>& vault) {
  if (transcript_.empty()) return nullptr;
  writer_ = std::make_unique<TranscriptWriter>(transcript_, vault);
  return [this](auto run, auto scenario, auto events) { writer_->write(run, scenario, events); };
}

void OutcomeOptions::complete(reports::Result& result, const reports::Vault& vault) const {
  result.is_strict = is_strict_;
  result.rules_url = rules_url_;
  vault.redact(result);
}

int OutcomeOptions::finish(reports::Result& result, const char* subcommand,
                           const Page& page) const {
  expectations_->apply(result, subcommand);
  const bool is_written = reports_->write(result);
  remember_reports(reports_->paths());
  page.print(result, is_written ? reports_->paths() : std::vector<std::string>{});
  if (!write_expected_.empty()) {
    check(reports::write_file(write_expected_, reports::render_expected(result)));
  }
  const auto problem = writer_ ? writer_->finish() : std::nullopt;
  if (problem) fmt::print(stderr, "mcp-assay {}: {}\n", subcommand, *problem);
  return std::max(is_written && !problem ? kConformant : kUsage, exit_status(result));
}

}  // namespace assay::cli
