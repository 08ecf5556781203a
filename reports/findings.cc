#include "reports/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/escape.h"

namespace assay::reports {

Findings collect(const Result& result, const std::function<bool(const Verdict&)>& is_wanted) {
  Findings findings;
  for (const Run& run : result.runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (!is_wanted(verdict)) continue;
      Finding& finding = findings[verdict.requirement];
      // Runs are in the order of their revisions.
      const bool is_newer = finding.runs.empty() || finding.runs.back()->revision != run.revision;
      if (is_newer) finding.verdict = &verdict;
      finding.runs.push_back(&run);
      finding.verdicts.push_back(&verdict);
    }
  }
  return findings;
}

Findings collect(const Result& result, Outcome outcome) {
  return collect(result, [outcome](const Verdict& verdict) { return verdict.outcome == outcome; });
}

Findings failures(const Result& result) {
  return collect(
      result, [&result](const Verdict& verdict) { return is_failure(verdict, result.is_strict); });
}

std::vector<const Finding*> by_weight(const Findings& findings, bool is_strict) {
  std::vector<const Finding*> out;
  for (const auto& [id, finding] : findings) out.push_back(&finding);
  const auto weight = [is_strict](const Finding* finding) {
    return std::pair(!is_failure(*finding->verdict, is_strict), strength(finding->verdict->level));
  };
  std::stable_sort(out.begin(), out.end(),
                   [&weight](const Finding* a, const Finding* b) { return weight(a) < weight(b); });
  return out;
}

std::string runs_text(const Finding& finding, const Result& result) {
  if (finding.runs.size() == result.runs.size() && finding.runs.size() > 1) return "in every run";
  std::string out = "in ";
  for (const Run* run : finding.runs) {
    if (run != finding.runs.front()) out += ", ";
    out += printable_line(run->revision) + " " + printable_line(run->transport);
  }
  return out;
}

RunFigures figures_of(const Run& run, bool is_strict) {
  RunFigures out;
  for (const Verdict& verdict : run.verdicts) {
    switch (verdict.outcome) {
      case Outcome::kSatisfied:
        ++out.satisfied;
        break;
      case Outcome::kViolated:
        ++(verdict.is_expected ? out.expected
                               : (is_failure(verdict, is_strict) ? out.violated : out.advisory));
        break;
      case Outcome::kNotExercised:
        ++out.not_exercised;
        break;
      case Outcome::kNotApplicable:
        ++out.not_applicable;
        break;
      case Outcome::kInconclusive:
        ++out.inconclusive;
        break;
    }
  }
  return out;
}

namespace {

// Applicable rules of a run, and whether they were exercised.
void note_exercised(const Run& run, std::map<std::string_view, bool>& rules) {
  for (const Verdict& verdict : run.verdicts) {
    if (verdict.outcome == Outcome::kNotApplicable) continue;
    bool& is_exercised = rules[verdict.requirement];
    is_exercised = is_exercised || verdict.outcome == Outcome::kSatisfied ||
                   verdict.outcome == Outcome::kViolated;
  }
}

Exercised total(const std::map<std::string_view, bool>& rules) {
  Exercised out;
  out.applicable = static_cast<int>(rules.size());
  for (const auto& [rule, is_exercised] : rules) out.exercised += is_exercised ? 1 : 0;
  return out;
}

}  // namespace

Exercised exercised_in(const Run& run) {
  std::map<std::string_view, bool> rules;
  note_exercised(run, rules);
  return total(rules);
}

Exercised exercised_in(const Result& result) {
  std::map<std::string_view, bool> rules;
  for (const Run& run : result.runs) {
    if (was_tested(run)) note_exercised(run, rules);
  }
  return total(rules);
}

std::string exercised_text(const Exercised& exercised) {
  return fmt::format("{} of {} rule{}", exercised.exercised, exercised.applicable,
                     exercised.applicable == 1 ? "" : "s");
}

}  // namespace assay::reports
