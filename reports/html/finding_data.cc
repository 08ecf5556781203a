#include "reports/html/finding_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/expected.h"
#include "reports/html/json_tree.h"
#include "reports/html/marks.h"
#include "reports/markdown.h"
#include "reports/prompt.h"
#include "reports/text.h"

namespace assay::reports::html {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 2000;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxRunNameBytes = 40;
constexpr std::size_t kMaxEvidenceBytes = 6000;
constexpr std::size_t kMaxEvents = 40;
// Few violations are read at once; many are first scanned by their headings.
constexpr std::size_t kMaxOpenFindings = 3;

std::string shown(std::string_view text, std::size_t max_bytes = kMaxTextBytes) {
  return printable_line(cut(text, max_bytes));
}

// Takes what a text needs as HTML, where a quote, of which JSON is full, becomes six bytes.
void take(std::size_t& budget, std::string_view text) {
  const auto escaped = std::count_if(text.begin(), text.end(), [](char c) {
    return std::string_view("<>&\"'").find(c) != std::string_view::npos;
  });
  const std::size_t size = text.size() + 5 * static_cast<std::size_t>(escaped);
  budget -= std::min(budget, size);
}

const char* kind_of(const Result& result, const Verdict& verdict) {
  if (verdict.is_expected) return "expected";
  return is_failure(verdict, result.is_strict) ? "finding" : "advice";
}

std::string run_name(const Run& run, char between) {
  return shown(run.revision, kMaxRunNameBytes) + between + shown(run.transport, kMaxRunNameBytes);
}

}  // namespace

std::string finding_anchor(const Result& result, const Verdict& verdict) {
  return fmt::format("{}-{}", kind_of(result, verdict), shown(verdict.requirement, kMaxNameBytes));
}

std::string exchange_anchor(const Result& result, const Run& run, const Verdict& verdict) {
  return fmt::format("{}.{}", finding_anchor(result, verdict), run_name(run, '.'));
}

json event_data(const Evidence& evidence, bool is_left_out, std::size_t& budget) {
  EvidenceTree tree;
  Excerpt part;
  if (is_left_out) {
    part.before = "[left out here: see the JSON report]";
  } else {
    tree = evidence_tree(evidence);
    if (tree.tree.empty()) part = excerpt(evidence, kMaxEvidenceBytes);
  }
  const bool has_tree = !tree.tree.empty();
  const std::string before = has_tree ? tree.before : part.before;
  const std::string after = has_tree ? tree.after : part.after;
  for (const std::string& text : {before, part.marked, after}) take(budget, text);
  budget -= std::min(budget, tree.tree.size());
  const bool is_marked = has_tree ? tree.is_marked : !part.marked.empty() && part.missing.empty();
  return {{"speaker", speaker_word(evidence)},
          {"n", evidence.n},
          {"lane", shown(evidence.lane, kMaxNameBytes)},
          {"at", fmt::format("{:.1f}", evidence.at_ms)},
          {"class", evidence.is_context ? "context" : "proof"},
          {"purpose", evidence.is_deliberate ? "wrong on purpose" : ""},
          {"tree", tree.tree},
          {"before", before},
          {"marked", part.marked},
          {"after", after},
          {"missing", has_tree ? tree.missing : part.missing},
          {"unseen", part.unseen},
          {"pointer", is_marked ? shown(evidence.pointer, kMaxNameBytes) : ""}};
}

json evidence_groups(std::span<const Evidence> all, std::size_t& budget) {
  json out = json::array();
  std::size_t told = 0;
  for (const Evidence& evidence : all) {
    const bool is_next = out.empty() || (out.back()["is_context"] == true) != evidence.is_context;
    if (is_next) {
      out.push_back({{"is_context", evidence.is_context}, {"events", json::array()}});
    }
    const bool is_left_out = told == kMaxEvents || budget == 0;
    out.back()["events"].push_back(event_data(evidence, is_left_out, budget));
    ++told;
    if (is_left_out) break;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char* where = i == 0 ? "before" : (i + 1 == out.size() ? "after" : "between");
    const auto count = static_cast<int>(out[i]["events"].size());
    out[i]["around"] = out[i]["is_context"] == true
                           ? fmt::format("{} {}", plural(count, "event"), where)
                           : std::string();
  }
  return out;
}

json FindingData::build(const Findings& findings) {
  json out = json::array();
  for (const RuleFinding* each : by_weight(findings, result_.is_strict)) {
    out.push_back(finding(*each, findings.size() <= kMaxOpenFindings || !has_open_));
    has_open_ = true;
  }
  return out;
}

json FindingData::finding(const RuleFinding& finding, bool is_open) {
  const Verdict& verdict = *finding.verdict;
  const bool is_fuzz = is_of_fuzzer(result_);
  // The newest revision first, and of that the first transport.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < finding.runs.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return finding.runs[a]->revision > finding.runs[b]->revision;
  });
  json exchanges = json::array();
  // Runs that show the same are told once.
  std::map<std::string, std::size_t> told;
  for (const std::size_t index : order) {
    const Verdict& each = *finding.verdicts[index];
    const std::string key = each.detail + "\n" + exchange_of(each);
    const auto [found, is_new] = told.try_emplace(key, exchanges.size());
    if (!is_new) {
      json& same = exchanges[found->second];
      same["run"] = same["run"].get<std::string>() + ", " + run_name(*finding.runs[index], ' ');
      same["aliases"].push_back({{"alias", exchange_anchor(result_, *finding.runs[index], each)}});
      continue;
    }
    exchanges.push_back(exchange(finding, index, exchanges.empty() ? newest_bytes_ : other_bytes_));
    exchanges.back()["is_first"] = exchanges.size() == 1;
  }
  const std::string issue = newest_bytes_ > 0 ? render_issue(result_, finding) : std::string();
  take(newest_bytes_, issue);
  const std::string prompt = newest_bytes_ > 0 ? render_prompt(result_, finding) : std::string();
  take(newest_bytes_, prompt);
  return {{"id", shown(verdict.requirement, kMaxNameBytes)},
          {"anchor", finding_anchor(result_, verdict)},
          {"class", is_failure(verdict, result_.is_strict) ? "bad" : "warn"},
          {"level", is_fuzz ? "" : name(verdict.level)},
          {"seen_words", is_fuzz ? "Found" : "Violated"},
          {"rule_word", is_fuzz ? "What should happen" : "Rule"},
          {"strength", strength_word(verdict)},
          {"summary", shown(verdict.summary)},
          {"spec", web_address(verdict.spec)},
          {"rule_page", rule_address(result_.rules_url, verdict.requirement)},
          {"runs_text", runs_text(finding, result_)},
          {"is_open", is_open},
          {"has_tabs", exchanges.size() > 1},
          {"exchanges", exchanges},
          {"expected_reason", shown(verdict.expected_reason)},
          {"happened", shown(verdict.detail.empty() ? verdict.summary : verdict.detail, 400)},
          {"advice", shown(verdict.fix, 400)},
          {"issue", issue},
          {"prompt", prompt},
          {"expected_entry", verdict.is_expected ? "" : expected_entry(result_, finding)}};
}

json FindingData::exchange(const RuleFinding& finding, std::size_t index, std::size_t& budget) {
  const Verdict& verdict = *finding.verdicts[index];
  const Run& run = *finding.runs[index];
  const bool is_told = verdict.detail == finding.verdict->detail;  // by the heading
  const std::string command = budget > 0 ? command_text(verdict) : std::string();
  json out = {{"run", run_name(run, ' ')},
              {"anchor", exchange_anchor(result_, run, verdict)},
              {"finding_anchor", finding_anchor(result_, verdict)},
              {"aliases", json::array()},
              {"detail", is_told ? "" : shown(verdict.detail)},
              {"fix", shown(verdict.fix)},
              {"groups", evidence_groups(verdict.evidence, budget)},
              {"reproduce", command}};
  take(budget, command);
  return out;
}

}  // namespace assay::reports::html
