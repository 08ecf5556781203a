#include "reports/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "reports/escape.h"
#include "reports/markdown.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr auto kKinds = std::to_array<KindWords>({
    {ChangeKind::kWorse, "Worse"},
    {ChangeKind::kLost, "No longer judged"},
    {ChangeKind::kNew, "Violated, and not in the old report"},
    {ChangeKind::kAdvisory, "Violated now, without failing the run"},
    {ChangeKind::kBetter, "Better"},
    {ChangeKind::kExercised, "Newly exercised and satisfied"},
});

bool is_judged(Outcome outcome) {
  return outcome == Outcome::kSatisfied || outcome == Outcome::kViolated;
}

// What was found before an interruption stands.
bool is_tested(RunStatus status) {
  return status == RunStatus::kConformant || status == RunStatus::kViolations ||
         status == RunStatus::kIncomplete;
}

std::optional<ChangeKind> kind_of(const Verdict* before, const Verdict& after, bool is_strict) {
  if (before == nullptr) {
    return after.outcome == Outcome::kViolated ? std::optional(ChangeKind::kNew) : std::nullopt;
  }
  const bool failed_before = is_failure(*before, is_strict);
  const bool fails_now = is_failure(after, is_strict);
  if (fails_now && !failed_before) return ChangeKind::kWorse;
  if (before->outcome == after.outcome) return std::nullopt;
  if (after.outcome == Outcome::kViolated) return ChangeKind::kAdvisory;
  if (after.outcome == Outcome::kSatisfied) {
    return before->outcome == Outcome::kViolated ? ChangeKind::kBetter : ChangeKind::kExercised;
  }
  return is_judged(before->outcome) ? std::optional(ChangeKind::kLost) : std::nullopt;
}

void compare_runs(const Run& before, const Run& after, bool is_strict, std::vector<Change>& out) {
  if (before.status != after.status && is_tested(before.status) != is_tested(after.status)) {
    const bool is_lost = is_tested(before.status);
    out.push_back({is_lost ? ChangeKind::kWorse : ChangeKind::kBetter, after.revision,
                   after.transport, "", "", std::string(name(before.status)),
                   std::string(name(after.status)), after.reason, ""});
    if (is_lost) return;  // its requirements are not judged for that one reason
  }
  const bool is_cut = after.status == RunStatus::kIncomplete;
  if (is_cut && is_tested(before.status) && before.status != after.status) {
    out.push_back({ChangeKind::kLost, after.revision, after.transport, "", "",
                   std::string(name(before.status)), std::string(name(after.status)), after.reason,
                   ""});
    if (after.verdicts.empty()) return;
  }
  std::map<std::string_view, const Verdict*> old;
  for (const Verdict& verdict : before.verdicts) old[verdict.requirement] = &verdict;
  for (const Verdict& verdict : after.verdicts) {
    const auto found = old.find(verdict.requirement);
    const Verdict* was = found == old.end() ? nullptr : found->second;
    if (was != nullptr) old.erase(found);
    const auto kind = kind_of(was, verdict, is_strict);
    if (!kind) continue;
    std::string earlier;
    if (was != nullptr) earlier = outcome_words(was->outcome);
    out.push_back({*kind, after.revision, after.transport, verdict.requirement, verdict.summary,
                   earlier, std::string(outcome_words(verdict.outcome)), verdict.detail,
                   verdict.fix});
  }
  for (const auto& [requirement, was] : old) {
    if (!is_judged(was->outcome)) continue;
    out.push_back({ChangeKind::kLost, after.revision, after.transport, std::string(requirement),
                   was->summary, std::string(outcome_words(was->outcome)), "not in the new report",
                   "", ""});
  }
}

const Run* find_run(const Result& result, const Run& like) {
  const auto found = std::find_if(result.runs.begin(), result.runs.end(), [&like](const Run& run) {
    return run.revision == like.revision && run.transport == like.transport;
  });
  return found == result.runs.end() ? nullptr : &*found;
}

// What the old report judged and the new one cannot have judged.
void compare_extent(const Result& before, const Result& after, std::vector<Change>& out) {
  const bool names_runs = std::any_of(after.runs.begin(), after.runs.end(), [](const Run& run) {
    return run.status == RunStatus::kIncomplete;
  });
  if (after.was_interrupted && !before.was_interrupted && !names_runs) {
    out.push_back({ChangeKind::kLost, "", "", "", "", "complete", "interrupted", "", ""});
  }
  for (const Run& run : before.runs) {
    if (!is_tested(run.status) || find_run(after, run) != nullptr) continue;
    out.push_back({ChangeKind::kLost, run.revision, run.transport, "", "",
                   std::string(name(run.status)), "not in the new report", "", ""});
  }
}

std::vector<std::string> notes(const Result& before, const Result& after) {
  std::vector<std::string> out;
  const auto note = [&out](std::string_view what, const std::string& a, const std::string& b) {
    if (a != b) {
      out.push_back(fmt::format("{}: {} before, {} now", what, printable_line(cut(a, 100)),
                                printable_line(cut(b, 100))));
    }
  };
  note("target", target_title(before.target), target_title(after.target));
  note("mcp-assay", before.tool_version, after.tool_version);
  note("catalogue", before.catalogue_version, after.catalogue_version);
  if (before.was_interrupted) out.push_back("the old report is of an interrupted run");
  if (after.was_interrupted) out.push_back("the new report is of an interrupted run");
  for (const Run& run : after.runs) {
    if (find_run(before, run) == nullptr) {
      out.push_back(fmt::format("only the new report has a run in {} over {}",
                                printable_line(run.revision), printable_line(run.transport)));
    }
  }
  return out;
}

}  // namespace

bool Comparison::is_worse() const {
  if (!has_common_run) return true;
  return std::any_of(changes.begin(), changes.end(), [this](const Change& change) {
    return change.kind == ChangeKind::kWorse ||
           (change.kind == ChangeKind::kLost && !options.allow_missing);
  });
}

Comparison compare(const Result& before, const Result& after, const CompareOptions& options) {
  Comparison out;
  out.options = options;
  out.title = target_title(after.target);
  out.before = before.started;
  out.after = after.started;
  out.notes = notes(before, after);
  out.has_common_run =
      std::any_of(before.runs.begin(), before.runs.end(),
                  [&after](const Run& run) { return find_run(after, run) != nullptr; });
  compare_extent(before, after, out.changes);
  for (const Run& run : after.runs) {
    const Run* old = find_run(before, run);
    Run none;
    none.revision = run.revision;
    none.transport = run.transport;
    none.status = run.status;
    compare_runs(old == nullptr ? none : *old, run, after.is_strict, out.changes);
  }
  const auto rank = [](ChangeKind kind) {
    return std::find_if(kKinds.begin(), kKinds.end(),
                        [kind](const KindWords& words) { return words.kind == kind; });
  };
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [&](const Change& a, const Change& b) { return rank(a.kind) < rank(b.kind); });
  return out;
}

std::span<const KindWords> change_kinds() {
  return kKinds;
}

std::string change_words(const Change& change) {
  if (change.before.empty()) return change.after;
  return fmt::format("{}, was {}", change.after, change.before);
}

std::vector<ToldChange> told_once(const Comparison& comparison, ChangeKind kind) {
  std::vector<ToldChange> out;
  std::map<std::array<std::string, 3>, std::size_t> at;
  for (const Change& change : comparison.changes) {
    if (change.kind != kind) continue;
    const std::string run = change.revision.empty() ? std::string("the whole report")
                                                    : printable_line(change.revision) + " " +
                                                          printable_line(change.transport);
    const auto [found, is_new] =
        at.try_emplace({change.requirement, change.before, change.after}, out.size());
    if (is_new) {
      out.push_back({&change, run});
    } else {
      out[found->second].runs += ", " + run;
    }
  }
  return out;
}

std::string comparison_conclusion(const Comparison& comparison) {
  if (!comparison.has_common_run) {
    return "Nothing could be compared: no revision and transport is in both reports.";
  }
  if (comparison.changes.empty()) return "Nothing changed.";
  const auto has = [&comparison](ChangeKind kind) {
    return std::any_of(comparison.changes.begin(), comparison.changes.end(),
                       [kind](const Change& change) { return change.kind == kind; });
  };
  if (has(ChangeKind::kWorse)) return "Worse.";
  if (!has(ChangeKind::kLost)) return "Not worse.";
  return comparison.options.allow_missing
             ? "Not worse, as far as it was judged."
             : "Worse: less is judged than before (--allow-missing accepts that).";
}

std::string render_comparison_text(const Comparison& comparison) {
  std::string out;
  for (const std::string& note : comparison.notes) out += "note: " + note + "\n";
  for (const auto& [kind, title] : kKinds) {
    const std::vector<ToldChange> changes = told_once(comparison, kind);
    if (changes.empty()) continue;
    out += fmt::format("{}{} ({})\n", out.empty() ? "" : "\n", title, changes.size());
    for (const auto& [change, runs] : changes) {
      const bool is_run = change->requirement.empty();
      out +=
          fmt::format("  {}: {} in {}\n", is_run ? "the run" : printable_line(change->requirement),
                      change_words(*change), runs);
      const bool fails = kind == ChangeKind::kWorse || kind == ChangeKind::kLost;
      if (fails && !change->detail.empty()) {
        out += "    " + printable_line(cut(change->detail, 500)) + "\n";
      }
    }
  }
  return out + (comparison.changes.empty() ? "" : "\n") + comparison_conclusion(comparison) + "\n";
}

std::string render_comparison_markdown(const Comparison& comparison) {
  std::string out =
      fmt::format("### MCP conformance: {}\n", comparison.is_worse()        ? "worse"
                                               : comparison.changes.empty() ? "unchanged"
                                                                            : "not worse");
  for (const std::string& note : comparison.notes) out += "\n- " + markdown_text(note);
  if (!comparison.notes.empty()) out += "\n";
  for (const auto& [kind, title] : kKinds) {
    const std::vector<ToldChange> changes = told_once(comparison, kind);
    if (changes.empty()) continue;
    std::string rows;
    for (const auto& [change, runs] : changes) {
      const bool is_run = change->requirement.empty();
      const std::string row =
          fmt::format("| {} | {} | {} |\n", is_run ? "the run" : markdown_code(change->requirement),
                      markdown_text(change_words(*change)), markdown_text(runs));
      if (out.size() + rows.size() + row.size() > kMaxMarkdownBytes - 2000) {
        rows += "| and more, left out here | | |\n";
        break;
      }
      rows += row;
    }
    const bool fails = kind == ChangeKind::kWorse || kind == ChangeKind::kLost;
    out += fmt::format(
        "\n<details{}><summary>{} ({})</summary>\n\n| requirement | outcome | runs "
        "|\n|---|---|---|\n"
        "{}\n</details>\n",
        fails ? " open" : "", title, changes.size(), rows);
  }
  return out + "\n" + comparison_conclusion(comparison) + "\n";
}

}  // namespace assay::reports
