#include "reports/overview.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/html/embedded.h"
#include "reports/html/page.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

nlohmann::json cell(const char* css_class, const char* mark, std::string text) {
  return {{"class", css_class}, {"mark", mark}, {"text", std::move(text)}};
}

// The worst of a revision's transports.
nlohmann::json cell_of(const Result& result, const std::string& revision) {
  int violated = 0;
  int expected = 0;
  bool is_tested = false;
  bool has_failed = false;
  bool has_run = false;
  for (const Run& run : result.runs) {
    if (run.revision != revision) continue;
    const RunFigures figures = figures_of(run, result.is_strict);
    violated = std::max(violated, figures.violated);
    expected = std::max(expected, figures.expected);
    has_run = true;
    has_failed = has_failed || run.status == RunStatus::kFailed;
    is_tested =
        is_tested || run.status == RunStatus::kConformant || run.status == RunStatus::kViolations;
  }
  if (!has_run) return cell("none", "–", "not run");
  if (violated > 0) return cell("bad", "✗", fmt::format("{} violated", violated));
  if (has_failed) return cell("bad", "✗", "not tested");
  if (!is_tested) return cell("none", "–", "not supported");
  if (expected > 0) return cell("warn", "!", fmt::format("{} known", expected));
  return cell("pass", "✓", "conformant");
}

}  // namespace

std::string render_overview(std::span<const OverviewEntry> entries) {
  std::set<std::string> revisions;
  for (const OverviewEntry& entry : entries) {
    for (const Run& run : entry.result->runs) revisions.insert(run.revision);
  }
  nlohmann::json columns = nlohmann::json::array();
  for (const std::string& revision : revisions) {
    columns.push_back({{"name", printable_line(cut(revision, 40))}});
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const OverviewEntry& entry : entries) {
    const Result& result = *entry.result;
    nlohmann::json cells = nlohmann::json::array();
    for (const std::string& revision : revisions) cells.push_back(cell_of(result, revision));
    rows.push_back({{"title", target_title(result.target)},
                    {"subject", printable_line(result.target.subject)},
                    {"catalogue_version", printable_line(cut(result.catalogue_version, 40))},
                    {"link", printable_line(entry.link)},
                    {"started", printable_line(cut(result.started, 40))},
                    {"cells", cells}});
  }
  return html::render_page(html::kOverviewTemplate,
                           {{"count", plural(static_cast<int>(entries.size()), "target")},
                            {"tool_version", ASSAY_VERSION},
                            {"revisions", columns},
                            {"rows", rows}});
}

}  // namespace assay::reports
