#include "reports/interop/compare_interop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "reports/escape.h"
#include "reports/interop/interop_history.h"
#include "reports/markdown.h"

namespace assay::reports {
namespace {

// Of each kind; the reports have all.
constexpr std::size_t kMostTold = 200;

bool is_told(ActOutcome outcome) {
  return is_failing(outcome) || outcome == ActOutcome::kWorks ||
         outcome == ActOutcome::kWorksThough;
}

// Where one of the two learned a newer revision, there is nothing to agree on any more.
bool can_be_lost(const PairAct& act) {
  return is_told(act.outcome) && act.act != "down" && act.act != "up";
}

std::string act_title(const PairCell& cell, const PairAct& act) {
  const PairActInfo* info = find_pair_act(act.act);
  return printable_line(
      fmt::format("{}: {}", cell.title(), info == nullptr ? act.act : std::string(info->label)));
}

struct Kind {
  std::string_view title;
  const std::vector<std::string>* lines;
};

std::array<Kind, 4> kinds_of(const InteropComparison& comparison) {
  return {Kind{"Worse", &comparison.worse}, Kind{"No longer tested", &comparison.lost},
          Kind{"Fails, and was not tested before", &comparison.added},
          Kind{"Better", &comparison.better}};
}

std::string conclusion_of(const InteropComparison& comparison) {
  if (!comparison.has_common_act) {
    return "Nothing could be compared: no act was tested in both runs.";
  }
  if (!comparison.worse.empty()) return "Worse.";
  if (!comparison.lost.empty()) {
    return comparison.options.allow_missing
               ? "Not worse, as far as it was tested."
               : "Worse: less is tested than before (--allow-missing accepts that).";
  }
  return comparison.better.empty() && comparison.added.empty() ? "Nothing changed." : "Not worse.";
}

}  // namespace

bool InteropComparison::is_worse() const {
  return !has_common_act || !worse.empty() || (!lost.empty() && !options.allow_missing);
}

InteropComparison compare_interop(InteropResult before, InteropResult after,
                                  const CompareOptions& options) {
  InteropComparison out;
  out.options = options;
  const InteropPoint then = interop_point(before);
  note_changes(after, then);
  for (const PairChange& change : after.changes) {
    if (is_trial(after, after.cells[change.cell])) continue;
    (change.is_worse ? out.worse : out.better).push_back(change.text);
  }
  std::set<std::string> tested;
  for (const PairCell& cell : after.cells) {
    for (const PairAct& act : cell.acts) {
      if (!is_told(act.outcome) && act.outcome != ActOutcome::kUnsteady) continue;
      const std::string key = act_key(cell, act);
      tested.insert(key);
      const auto old = then.outcomes.find(key);
      const bool was_told = old != then.outcomes.end() && is_told(old->second);
      out.has_common_act = out.has_common_act || was_told;
      const bool is_new = !was_told && is_failing(act.outcome) && !is_trial(after, cell);
      if (is_new) out.added.push_back(act_title(cell, act));
    }
  }
  for (const PairCell& cell : before.cells) {
    for (const PairAct& act : cell.acts) {
      const bool is_lost = can_be_lost(act) && !tested.contains(act_key(cell, act));
      if (is_lost && !is_trial(before, cell)) out.lost.push_back(act_title(cell, act));
    }
  }
  return out;
}

std::string render_interop_comparison_text(const InteropComparison& comparison) {
  std::string out;
  for (const auto& [title, lines] : kinds_of(comparison)) {
    if (lines->empty()) continue;
    out += fmt::format("{}{} ({})\n", out.empty() ? "" : "\n", title, lines->size());
    for (std::size_t i = 0; i < std::min(lines->size(), kMostTold); ++i) {
      out += "  " + (*lines)[i] + "\n";
    }
    if (lines->size() > kMostTold) out += fmt::format("  and {} more\n", lines->size() - kMostTold);
  }
  return out + (out.empty() ? "" : "\n") + conclusion_of(comparison) + "\n";
}

std::string render_interop_comparison_markdown(const InteropComparison& comparison) {
  const bool is_same = comparison.better.empty() && comparison.added.empty();
  std::string out = fmt::format("### MCP interoperability: {}\n", comparison.is_worse() ? "worse"
                                                                  : is_same ? "unchanged"
                                                                            : "not worse");
  for (const auto& [title, lines] : kinds_of(comparison)) {
    if (lines->empty()) continue;
    out += fmt::format("\n**{} ({})**\n\n", title, lines->size());
    for (std::size_t i = 0; i < lines->size(); ++i) {
      const std::string line = "- " + markdown_text((*lines)[i]) + "\n";
      if (i == kMostTold || out.size() + line.size() > kMaxMarkdownBytes - 2000) {
        out += fmt::format("- and {} more, left out here\n", lines->size() - i);
        break;
      }
      out += line;
    }
  }
  return out + "\n" + conclusion_of(comparison) + "\n";
}

}  // namespace assay::reports
