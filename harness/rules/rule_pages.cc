#include "harness/rules/rule_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/catalogue/fixes.h"
#include "harness/coverage.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/rules/rule_examples.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/rules.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

using catalogue::Requirement;

std::vector<const Requirement*> chosen(const std::vector<std::string>& globs) {
  std::vector<const Requirement*> out;
  for (const Requirement& rule : catalogue::all()) {
    const bool is_wanted =
        globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
          return reports::matches_glob(glob, rule.id);
        });
    if (is_wanted) out.push_back(&rule);
  }
  if (out.empty()) throw UsageError("no rule fits; 'mcp-assay list requirements' shows them");
  return out;
}

// A line of progress for as many.
constexpr std::size_t kRulesATime = 20;

std::string sentence(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out.back() != '.') out += '.';
  return out;
}

void add_judges(const Requirement& rule, const harness::CoverageMap& coverage,
                reports::RulePage& page) {
  for (const harness::Coverage& each : coverage.of(rule.id)) {
    if (!harness::judges_bound_party(each, rule)) continue;
    const bool is_scenario = each.kind == harness::Coverage::Kind::kActive;
    page.judges.push_back(
        fmt::format("the {} {}", is_scenario ? "scenario" : "monitor", each.judge));
  }
  if (rule.observe == catalogue::Observation::kNo) {
    page.judged = fmt::format("No peer can see it: {}", sentence(rule.reason));
  } else if (page.judges.empty()) {
    page.judged = "mcp-assay does not judge it yet.";
  } else if (rule.is_judged_in_part()) {
    page.judged = fmt::format("mcp-assay judges a part of it: {}", sentence(rule.part_judged));
  } else {
    page.judged = "mcp-assay judges the whole of it.";
  }
}

reports::RulePage page_of(const Requirement& rule, const harness::CoverageMap& coverage,
                          const RuleExamples& examples) {
  reports::RulePage page;
  page.id = rule.id;
  page.summary = rule.summary;
  page.transport = catalogue::name(rule.transport);
  page.capability = rule.capability;
  page.fix = catalogue::fix_of(rule.id);
  for (const catalogue::Holding& holding : rule.in) {
    page.in.push_back({std::string(holding.revision.text()),
                       std::string(reports::name(holding.level)), rule.link(holding.revision),
                       std::string(holding.note), std::string(catalogue::name(holding.subject))});
  }
  add_judges(rule, coverage, page);
  const auto example = examples.find(rule.id);
  if (example == examples.end()) return page;
  page.fault = example->second.fault;
  page.right = example->second.right;
  page.wrong = example->second.wrong;
  return page;
}

void write(const std::string& path, const std::string& text) {
  if (const auto error = reports::write_file(path, text)) throw UsageError(*error);
}

}  // namespace

void check_rules_url(const std::string& url) {
  if (url.empty() || !reports::web_address(url).empty()) return;
  throw UsageError("--rules-url takes an address that begins with https:// or http://");
}

bool write_rule_pages(const std::string& folder, const std::vector<std::string>& globs) {
  namespace fs = std::filesystem;
  const auto rules = chosen(globs);
  const std::string index = (fs::path(folder) / "index.html").string();
  if (const auto error = reports::check_writable(index)) throw UsageError(*error);
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  const Interrupt interrupt;
  const RuleExamples examples =
      make_rule_examples(rules, program, interrupt.token(), [](std::size_t done, std::size_t all) {
        if (done % kRulesATime != 0 && done != all) return;
        fmt::print(stderr, "mcp-assay report: {} of {} rules have an example\n", done, all);
      });
  if (interrupt.was_requested()) return false;
  const harness::CoverageMap coverage = harness::collect_coverage();
  std::vector<reports::RulePage> pages;
  std::vector<std::string> ids;
  for (const Requirement* rule : rules) {
    pages.push_back(page_of(*rule, coverage, examples));
    ids.push_back(pages.back().id);
  }
  for (const reports::RulePage& page : pages) {
    write((fs::path(folder) / reports::rule_file(page.id)).string(),
          reports::render_rule(page, ids));
  }
  write(index, reports::render_rule_index(pages));
  return true;
}

}  // namespace assay::cli
