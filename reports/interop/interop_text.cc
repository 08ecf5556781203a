#include "reports/interop/interop_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/terminal_paint.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kLongestPartyName = 30;
constexpr std::size_t kLongestSaid = 600;
constexpr std::size_t kLongestTold = 400;
// More are read on the page.
constexpr std::size_t kMostFailures = 12;
// With more cells than these only those that fail have a line.
constexpr std::size_t kMostCellRows = 40;
constexpr int kAccountColumns = 10;

std::string name_of(std::string_view party) {
  return printable_line(cut(party, kLongestPartyName));
}

std::string in_one_line(std::string_view text) {
  return printable_line(cut(text, kLongestTold));
}

// What stands in the column of the revision.
std::string agreed(const PairCell& cell) {
  if (!cell.not_run.empty()) return "not run";
  return cell.agreement.revision.empty() ? "none" : in_one_line(cell.agreement.revision);
}

class MatrixText {
 public:
  MatrixText(const InteropResult& result, const TerminalOptions& options)
      : result_(result), options_(options), paint_(options.color, options.width) {}

  std::string write() {
    const std::vector<Failure> failures = failures_of(result_);
    if (options_.quiet) return brief(failures);
    table();
    legend();
    for (std::size_t i = 0; i < std::min(failures.size(), kMostFailures); ++i) {
      account(failures[i]);
    }
    if (failures.size() > kMostFailures) {
      paint_.line(0, Style::kFaint,
                  fmt::format("and {} more: see the page or the JSON report",
                              failures.size() - kMostFailures));
      paint_.blank();
    }
    end();
    return paint_.take();
  }

 private:
  std::string brief(const std::vector<Failure>& failures) {
    for (const Failure& each : failures) {
      std::string line =
          fmt::format("{}: {}", printable_line(each.cell->title()), failure_title(*each.act));
      for (const std::string& blame : blame_of(*each.cell, *each.act))
        line += "; " + in_one_line(blame);
      paint_.unwrapped(0, Style::kPlain, line);
    }
    end();
    return paint_.take();
  }

  void table() {
    const std::vector<const PairActInfo*> acts = shown_acts(result_);
    const bool is_long = result_.cells.size() > kMostCellRows && !options_.verbose;
    std::string heading;
    for (const PairActInfo* act : acts) heading += std::string(act->mark) + " ";
    std::vector<TableRow> rows = {
        {Style::kFaint, {"client > server", heading, "over", "revision"}}};
    std::size_t left_out = 0;
    for (const PairCell& cell : result_.cells) {
      if (is_long && !has_failed(cell)) {
        ++left_out;
        continue;
      }
      std::string marks;
      for (const PairActInfo* act : acts) {
        const PairAct* seen = cell.act(act->id);
        marks += fmt::format("{}  ", seen == nullptr ? " " : mark_of(seen->outcome));
      }
      const std::string over =
          fmt::format("{}{}{}", cell.transport, cell.era == "oldest" ? ", oldest" : "",
                      cell.gateway.empty() ? "" : ", through " + name_of(cell.gateway));
      rows.push_back({has_failed(cell) ? Style::kBad : Style::kPlain,
                      {fmt::format("{} > {}", name_of(cell.client), name_of(cell.server)), marks,
                       in_one_line(over), agreed(cell)}});
    }
    paint_.table(rows, rows.front().cells.size());
    if (left_out > 0) {
      paint_.line(0, Style::kFaint,
                  fmt::format("and {} in which nothing fails (--verbose shows them)",
                              plural(static_cast<int>(left_out), "cell")));
    }
    paint_.blank();
  }

  void legend() {
    std::string acts;
    for (const PairActInfo* act : shown_acts(result_)) {
      acts += fmt::format("{}{} {}", acts.empty() ? "" : ", ", act->mark, act->label);
    }
    paint_.line(0, Style::kFaint, acts);
    std::string marks;
    for (const ActOutcome outcome : kActOutcomes) {
      marks += fmt::format("{}{} {}", marks.empty() ? "" : ", ", mark_of(outcome), words(outcome));
    }
    paint_.line(0, Style::kFaint, marks);
    paint_.blank();
  }

  void account(const Failure& failure) {
    const PairCell& cell = *failure.cell;
    const PairAct& act = *failure.act;
    paint_.line(0, Style::kBad,
                fmt::format("{} {}", mark_of(act.outcome), in_one_line(cell.title())));
    paint_.line(2, Style::kStrong, failure_title(act));
    const auto row = [this](std::string_view label, const std::string& text) {
      if (!text.empty()) paint_.labelled(label, kAccountColumns, Style::kPlain, in_one_line(text));
    };
    row("what", act.detail);
    for (const std::string& blame : blame_of(cell, act)) row("rule", blame);
    row("agreed", cell.agreement.dead_end);
    if (act.parting) row("parted", act.parting->why);
    if (const Evidence* event = parting_event(cell, act)) {
      paint_.line(4, Style::kFaint,
                  fmt::format("{} (event {}, {})", speaker_word(*event), event->n,
                              printable_line(cut(event->lane, 40))));
      paint_.quoted(4, excerpt(*event, kLongestSaid));
    }
    row("end", cell.end);
    paint_.blank();
  }

  void end() {
    const bool is_bad = has_failed(result_) || !was_tested(result_);
    for (const PairChange& change : result_.changes) {
      paint_.line(0, change.is_worse ? Style::kBad : Style::kGood,
                  "since the last run: " + in_one_line(change.text));
    }
    paint_.line(0, is_bad ? Style::kBad : Style::kGood, conclusion(result_));
    if (result_.was_interrupted) {
      paint_.line(0, Style::kWarning, "The run was cut short: what is missing was not tested.");
    }
    paint_.reports(options_.kept);
  }

  const InteropResult& result_;
  const TerminalOptions& options_;
  Paint paint_;
};

// What is blamed on somebody comes first, then what is nobody's fault.
int place_of(const Failure& failure) {
  if (failure.act->outcome == ActOutcome::kFailsBroken) return 0;
  return failure.act->outcome == ActOutcome::kFailsSound ? 1 : 2;
}

}  // namespace

std::string render_interop_text(const InteropResult& result, const TerminalOptions& options) {
  return MatrixText(result, options).write();
}

std::string_view mark_of(ActOutcome outcome) {
  switch (outcome) {
    case ActOutcome::kWorks:
      return "✓";
    case ActOutcome::kWorksThough:
      return "!";
    case ActOutcome::kUnsteady:
      return "~";
    case ActOutcome::kFailsBroken:
      return "✗";
    case ActOutcome::kFailsUnclear:
      return "x";
    case ActOutcome::kFailsSound:
      return "?";
    case ActOutcome::kUnsupported:
      return "-";
    case ActOutcome::kNotTested:
      return ".";
  }
  return " ";
}

std::vector<const PairActInfo*> shown_acts(const InteropResult& result) {
  std::vector<const PairActInfo*> out;
  for (const PairActInfo& info : pair_acts()) {
    const bool is_shown =
        std::any_of(result.cells.begin(), result.cells.end(), [&](const PairCell& cell) {
          const PairAct* act = cell.act(info.id);
          return act != nullptr && act->outcome != ActOutcome::kUnsupported &&
                 act->outcome != ActOutcome::kNotTested;
        });
    if (is_shown) out.push_back(&info);
  }
  return out;
}

std::vector<Failure> failures_of(const InteropResult& result) {
  std::vector<Failure> out;
  for (const PairCell& cell : result.cells) {
    if (is_trial(result, cell)) continue;
    for (const PairAct& act : cell.acts) {
      if (is_failing(act.outcome)) out.push_back({&cell, &act});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Failure& a, const Failure& b) { return place_of(a) < place_of(b); });
  return out;
}

std::string failure_title(const PairAct& act) {
  const PairActInfo* info = find_pair_act(act.act);
  return fmt::format("{}: {}", info == nullptr ? printable_line(cut(act.act, 40)) : info->label,
                     words(act.outcome));
}

std::vector<std::string> blame_of(const PairCell& cell, const PairAct& act) {
  std::vector<std::string> out;
  for (const std::size_t index : act.breaches) {
    if (index >= cell.breaches.size()) continue;
    const PairBreach& breach = cell.breaches[index];
    const Verdict& verdict = breach.verdict;
    const bool is_rule = strength(verdict.level) == Strength::kMust;
    out.push_back(fmt::format("the {} {} {} ({}): {}", breach.party,
                              is_rule ? "broke" : "did not follow", verdict.requirement,
                              name(verdict.level),
                              verdict.detail.empty() ? verdict.summary : verdict.detail));
  }
  return out;
}

const Evidence* parting_event(const PairCell& cell, const PairAct& act) {
  if (!act.parting || act.parting->session >= cell.sessions.size()) return nullptr;
  const std::vector<Evidence>& events = cell.sessions[act.parting->session].events;
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const Evidence& event) { return event.n == act.parting->n; });
  return found == events.end() ? nullptr : &*found;
}

}  // namespace assay::reports
