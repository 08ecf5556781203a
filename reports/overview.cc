#include "reports/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/html/embedded.h"
#include "reports/html/page.h"
#include "reports/subject.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

struct Cell {
  const char* css_class;
  const char* mark;
  std::string text;
  int rank = 0;  // what is worse is more
};

std::set<std::string> revisions_of(std::span<const OverviewEntry> entries) {
  std::set<std::string> revisions;
  for (const OverviewEntry& entry : entries) {
    for (const Run& run : entry.result->runs) revisions.insert(run.revision);
  }
  return revisions;
}

// The worst of a revision's transports.
Cell cell_of(const Result& result, const std::string& revision) {
  int violated = 0;
  int expected = 0;
  Exercised shown;  // in the run that shows most
  bool is_tested = false;
  bool has_failed = false;
  bool is_incomplete = false;
  bool has_run = false;
  for (const Run& run : result.runs) {
    if (run.revision != revision) continue;
    const RunFigures figures = figures_of(run, result.is_strict);
    violated = std::max(violated, figures.violated);
    expected = std::max(expected, figures.expected);
    has_run = true;
    has_failed = has_failed || run.status == RunStatus::kFailed;
    is_incomplete = is_incomplete || run.status == RunStatus::kIncomplete;
    is_tested = is_tested || was_tested(run);
    const Exercised here = exercised_in(run);
    if (here.exercised >= shown.exercised) shown = here;
  }
  constexpr int kBroken = 10'000;
  if (!has_run) return {"none", "–", "not run", 0};
  if (is_incomplete) {
    return {"bad", "✗",
            violated > 0 ? fmt::format("incomplete, {} violated", violated) : "incomplete",
            kBroken + violated};
  }
  if (violated > 0 && has_failed) {
    return {"bad", "✗", fmt::format("{} violated, one transport not tested", violated),
            kBroken + violated};
  }
  if (violated > 0) return {"bad", "✗", fmt::format("{} violated", violated), kBroken + violated};
  if (has_failed) return {"bad", "✗", "not tested", kBroken};
  if (!is_tested) return {"none", "–", "not supported", 1};
  if (expected > 0) return {"warn", "!", fmt::format("{} known", expected), 100 + expected};
  return {"pass", "✓", fmt::format("conformant, {}", exercised_text(shown)), 2};
}

// Targets of one kind: servers, clients, or pairs of both.
struct Group {
  std::string_view subject;
  std::string_view heading;
  std::vector<const OverviewEntry*> entries;
};

// What fails comes first; otherwise in the order in which they were given.
std::vector<Group> groups_of(std::span<const OverviewEntry> entries) {
  std::vector<Group> groups = {{"server", "Servers", {}},
                               {"client", "Clients", {}},
                               {"pair", "Pairs", {}},
                               {kAuthoritySubject, "Authorization servers", {}}};
  for (const OverviewEntry& entry : entries) {
    const std::string& subject = entry.result->target.subject;
    const auto group = std::find_if(groups.begin(), groups.end(), [&subject](const Group& each) {
      return each.subject == subject;
    });
    (group == groups.end() ? groups.front() : *group).entries.push_back(&entry);
  }
  std::erase_if(groups, [](const Group& group) { return group.entries.empty(); });
  for (Group& group : groups) {
    std::stable_partition(group.entries.begin(), group.entries.end(),
                          [](const OverviewEntry* entry) { return !has_passed(*entry->result); });
  }
  return groups;
}

std::string text_table(const Group& group, const std::set<std::string>& revisions) {
  std::vector<std::vector<std::string>> rows = {{std::string(group.subject)}};
  for (const std::string& each : revisions) rows[0].push_back(printable_line(cut(each, 40)));
  for (const OverviewEntry* entry : group.entries) {
    rows.push_back({target_title(entry->result->target)});
    for (const std::string& revision : revisions) {
      const Cell cell = cell_of(*entry->result, revision);
      rows.back().push_back(fmt::format("{} {}", cell.mark, cell.text));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const auto& other : rows) width = std::max(width, columns(other[i]));
      line += row[i] + std::string(width - columns(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// How the number of violated rules went on: a line, and the numbers for who cannot see it.
nlohmann::json trend_of(const std::vector<HistoryPoint>& points) {
  constexpr int kWidth = 72;
  constexpr int kHeight = 16;
  std::vector<int> values;
  for (const HistoryPoint& point : points) {
    if (point.was_tested) values.push_back(point.violated);
  }
  if (values.size() < 2) {
    return {{"line", ""}, {"trend_text", ""}, {"trend_class", ""}, {"trend_words", ""}};
  }
  const int most = std::max(1, *std::max_element(values.begin(), values.end()));
  std::string line;
  std::string words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int x = 2 + static_cast<int>(i) * (kWidth - 4) / static_cast<int>(values.size() - 1);
    line += fmt::format("{},{} ", x, kHeight - 2 - values[i] * (kHeight - 4) / most);
    words += fmt::format("{}{}", i == 0 ? "" : ", ", values[i]);
  }
  const int change = values.back() - values[values.size() - 2];
  const char* text = change > 0 ? "worse" : (change < 0 ? "better" : "as before");
  return {{"line", line},
          {"trend_text", text},
          {"trend_class", change > 0 ? "bad" : (change < 0 ? "pass" : "")},
          {"trend_words", fmt::format("Violated rules, the oldest first: {}", words)}};
}

nlohmann::json row_of(const OverviewEntry& entry, const std::set<std::string>& revisions) {
  const Result& result = *entry.result;
  nlohmann::json cells = nlohmann::json::array();
  for (const std::string& revision : revisions) {
    const Cell cell = cell_of(result, revision);
    cells.push_back({{"class", cell.css_class},
                     {"mark", cell.mark},
                     {"text", cell.text},
                     {"rank", cell.rank},
                     {"cell_link", printable_line(entry.link)}});
  }
  const std::string title = target_title(result.target);
  const std::string label = printable_line(cut(result.target.label, 80));
  Target unlabelled = result.target;
  unlabelled.label.clear();
  return {{"title", label.empty() ? title : label},
          {"known_as", label.empty() || label == title ? "" : target_title(unlabelled)},
          {"catalogue_version", printable_line(cut(result.catalogue_version, 40))},
          {"link", printable_line(entry.link)},
          {"date", printable_line(cut(result.started.substr(0, 10), 40))},
          {"state", has_passed(result) ? "passed" : "failed"},
          {"trend", trend_of(entry.history)},
          {"cells", cells}};
}

}  // namespace

std::string render_overview_text(std::span<const OverviewEntry> entries) {
  const std::set<std::string> revisions = revisions_of(entries);
  std::string out;
  for (const Group& group : groups_of(entries)) {
    out += (out.empty() ? "" : "\n") + text_table(group, revisions);
  }
  return out;
}

std::string render_overview(std::span<const OverviewEntry> entries) {
  const std::set<std::string> revisions = revisions_of(entries);
  nlohmann::json columns = nlohmann::json::array();
  for (const std::string& revision : revisions) {
    columns.push_back({{"name", printable_line(cut(revision, 40))}});
  }
  int passed = 0;
  nlohmann::json groups = nlohmann::json::array();
  for (const Group& group : groups_of(entries)) {
    nlohmann::json rows = nlohmann::json::array();
    for (const OverviewEntry* entry : group.entries) {
      rows.push_back(row_of(*entry, revisions));
      passed += has_passed(*entry->result) ? 1 : 0;
    }
    groups.push_back({{"heading", group.heading},
                      {"subject", group.subject},
                      {"number", group.entries.size()},
                      {"rows", rows}});
  }
  const int total = static_cast<int>(entries.size());
  const bool has_trends = std::any_of(entries.begin(), entries.end(),
                                      [](const auto& entry) { return entry.history.size() > 1; });
  return html::render_page(html::kOverviewTemplate, html::kOverviewScript,
                           {{"count", plural(total, "target")},
                            {"headline", fmt::format("{} of {} passed", passed, total)},
                            {"headline_class", passed == total ? "pass" : "bad"},
                            {"tool_version", ASSAY_VERSION},
                            {"has_trends", has_trends},
                            {"revisions", columns},
                            {"groups", groups}});
}

}  // namespace assay::reports
