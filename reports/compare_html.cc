// What changed between two reports, as a page for people: what got worse comes first.
#include <nlohmann/json.hpp>

#include "reports/compare.h"
#include "reports/escape.h"
#include "reports/html/embedded.h"
#include "reports/html/page.h"

namespace assay::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kMostChanges = 500;  // of one kind; the text has all
constexpr std::size_t kMostText = 600;

std::string shown(std::string_view text) {
  return printable_line(cut(text, kMostText));
}

const char* class_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kWorse:
    case ChangeKind::kNew:
    case ChangeKind::kLost:
      return "bad";
    case ChangeKind::kAdvisory:
      return "warn";
    case ChangeKind::kBetter:
    case ChangeKind::kExercised:
      return "pass";
  }
  return "";
}

json change_data(const ToldChange& told) {
  const Change& change = *told.change;
  const bool is_run = change.requirement.empty();
  return {{"what", is_run ? "the run as a whole" : shown(change.requirement)},
          {"is_rule", !is_run},
          {"words", shown(change_words(change))},
          {"runs", shown(told.runs)},
          {"summary", shown(change.summary)},
          {"detail", shown(change.detail)},
          {"fix", shown(change.fix)}};
}

}  // namespace

std::string render_comparison_html(const Comparison& comparison) {
  json sections = json::array();
  for (const auto& [kind, title] : change_kinds()) {
    const std::vector<ToldChange> changes = told_once(comparison, kind);
    if (changes.empty()) continue;
    json list = json::array();
    for (const ToldChange& each : changes) {
      if (list.size() < kMostChanges) list.push_back(change_data(each));
    }
    const std::size_t more = changes.size() - list.size();
    sections.push_back({{"title", title},
                        {"id", "kind-" + std::to_string(static_cast<int>(kind))},
                        {"class", class_of(kind)},
                        {"is_open", class_of(kind) != std::string_view("pass")},
                        {"number", changes.size()},
                        {"more", more == 0 ? "" : std::to_string(more) + " more: see the text"},
                        {"changes", list}});
  }
  json notes = json::array();
  for (const std::string& note : comparison.notes) notes.push_back({{"note", shown(note)}});
  return html::render_page(html::kCompareTemplate, "",
                           {{"title", shown(comparison.title)},
                            {"headline", comparison_conclusion(comparison)},
                            {"headline_class", comparison.is_worse() ? "bad" : "pass"},
                            {"before", shown(comparison.before)},
                            {"after", shown(comparison.after)},
                            {"has_notes", !notes.empty()},
                            {"notes", notes},
                            {"sections", sections},
                            {"tool_version", ASSAY_VERSION}});
}

}  // namespace assay::reports
