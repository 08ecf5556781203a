#include "reports/findings.h"

#include "reports/escape.h"

namespace assay::reports {

Findings collect(const Result& result, const std::function<bool(const Verdict&)>& is_wanted) {
  Findings findings;
  for (const Run& run : result.runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (!is_wanted(verdict)) continue;
      Finding& finding = findings[verdict.requirement];
      if (finding.verdict == nullptr) finding.verdict = &verdict;
      finding.runs.push_back(&run);
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

}  // namespace assay::reports
