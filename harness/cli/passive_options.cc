#include "harness/cli/passive_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/frame/catalogue_option.h"
#include "harness/frame/revision_option.h"
#include "harness/frame/shared_help.h"
#include "harness/rules/rule_pages.h"
#include "reports/escape.h"
#include "reports/expected.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using transport::Party;

constexpr std::string_view kPartyMark = "{party}";
constexpr std::string_view kSessionMark = "{session}";

std::vector<Party> parties_named(const std::string& text) {
  if (text == "server") return {Party::kServer};
  if (text == "client") return {Party::kClient};
  return {Party::kServer, Party::kClient};
}

// `path` with `name` in place of each `mark`.
std::string with_mark(std::string path, std::string_view mark, std::string_view name) {
  for (std::size_t at = path.find(mark); at != std::string::npos;
       at = path.find(mark, at + name.size())) {
    path.replace(at, mark.size(), name);
  }
  return path;
}

// `path` with the party in place of "{party}"; it must stand there where both are judged.
std::string path_of_party(std::string path, Party party, std::size_t parties) {
  if (parties > 1 && path.find(kPartyMark) == std::string::npos) {
    throw UsageError(
        fmt::format("'{}' would be written for both parties: put {{party}} into its path, or judge "
                    "one of them (--party)",
                    reports::printable_line(path)));
  }
  return with_mark(std::move(path), kPartyMark, transport::name(party));
}

}  // namespace

void PassiveOptions::declare(Arguments& arguments) {
  arguments.group("Which rules, and how");
  arguments.choice("--party", party_, {"both", "server", "client"},
                   "Judge this side (default: both)");
  arguments.text("--revision", revision_name_, "REVISION",
                 "Assume this revision if the traffic does not name one");
  arguments.text("--catalogue", catalogue_, "VERSION", kCatalogueHelp);
  arguments.flag("--strict", is_strict_, kStrictHelp);
  arguments.text("--expected-failures", expected_failures_, "FILE",
                 "Violations in this YAML file do not fail the run");
  arguments.group("Reports and output");
  arguments.texts("--report", report_files_, "FORMAT=PATH",
                  report_help() + " {party} becomes server or client.");
  arguments.text("--write-expected", write_expected_, "FILE",
                 "Write what fails now as a file for --expected-failures; {party} as for --report");
  arguments.text("--rules-url", rules_url_, "URL", kRulesUrlHelp);
}

void PassiveOptions::prepare() {
  check_rules_url(rules_url_);
  if (!revision_name_.empty()) revision_ = parse_revision_option(revision_name_);
  const int version = catalogue_.empty() ? 0 : parse_catalogue_option(catalogue_);
  expectations_ = std::make_unique<Expectations>(expected_failures_);
  const std::vector<Party> parties = parties_named(party_);
  for (const Party party : parties) {
    std::vector<std::string> files;
    for (const std::string& text : report_files_) {
      files.push_back(path_of_party(path_of_session(text), party, parties.size()));
    }
    JudgedParty judged{party, harness::PassiveJudge(party, version), ReportFiles(files, paths_),
                       ""};
    if (!write_expected_.empty()) {
      judged.write_expected =
          path_of_party(path_of_session(write_expected_), party, parties.size());
      paths_.claim(judged.write_expected);
    }
    parties_.push_back(std::move(judged));
  }
}

std::string PassiveOptions::path_of_session(const std::string& path) const {
  return session_.empty() ? path : with_mark(path, kSessionMark, session_);
}

bool PassiveOptions::judge(harness::RecordedSession conversation) {
  if (revision_) conversation.fallback = revision_;
  bool is_judged = true;
  for (JudgedParty& each : parties_) is_judged = each.judge.add(conversation);
  return is_judged;
}

void PassiveOptions::cut_short(const std::string& why) {
  for (JudgedParty& each : parties_) each.judge.cut_short(why);
}

void PassiveOptions::remark(const std::string& text) {
  for (JudgedParty& each : parties_) each.judge.remark(text);
}

std::vector<reports::Result> PassiveOptions::finish(const reports::Target& target,
                                                    const reports::Vault& vault,
                                                    const char* subcommand) {
  std::vector<reports::Result> results;
  for (JudgedParty& each : parties_) {
    reports::Target judged = target;
    // The command starts the server, whoever is judged.
    if (each.party == Party::kClient) {
      judged.command.clear();
      judged.url.clear();
    }
    reports::Result result = each.judge.finish(judged);
    result.is_strict = is_strict_;
    result.rules_url = rules_url_;
    vault.redact(result);
    expectations_->apply(result, subcommand);
    results.push_back(std::move(result));
  }
  return results;
}

bool PassiveOptions::write(const std::vector<reports::Result>& results) const {
  bool is_written = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!parties_[i].write_expected.empty()) {
      const auto error =
          reports::write_file(parties_[i].write_expected, reports::render_expected(results[i]));
      if (error) fmt::print(stderr, "mcp-assay: {}\n", *error);
      is_written = is_written && !error;
    }
    is_written = parties_[i].reports.write(results[i]) && is_written;
  }
  return is_written;
}

bool PassiveOptions::claims_standard_output() const {
  return std::any_of(parties_.begin(), parties_.end(), [](const JudgedParty& each) {
    return each.reports.uses_standard_output() || each.write_expected == "-";
  });
}

}  // namespace assay::cli
