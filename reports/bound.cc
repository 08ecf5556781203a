#include "reports/bound.h"

#include "reports/escape.h"

namespace assay::reports {
namespace {

void bound_text(std::string& text, std::size_t longest) {
  if (text.size() > longest) text = cut(text, longest);
}

}  // namespace

void bound(Verdict& verdict) {
  bound_text(verdict.detail, kLongestDetail);
  bound_text(verdict.hint, kLongestDetail);
  for (Step& step : verdict.history) bound_text(step.detail, kLongestDetail);
  if (verdict.reproduce.size() > kLongestCommand) verdict.reproduce.clear();
  for (Evidence& evidence : verdict.evidence) {
    bound_text(evidence.lane, kLongestName);
    bound_text(evidence.pointer, kLongestDetail);
    const bool is_marked = !evidence.pointer.empty();
    const std::size_t longest = is_marked ? kLongestMarkedText : kLongestEvidenceText;
    if (evidence.text.size() <= longest) continue;
    evidence.text.resize(longest);
    evidence.is_cut = true;
  }
}

void bound(Result& result) {
  bound_text(result.target.name, kLongestName);
  bound_text(result.target.version, kLongestName);
  for (Run& run : result.runs) {
    bound_text(run.reason, kLongestReason);
    for (Verdict& verdict : run.verdicts) bound(verdict);
    for (Candidate& candidate : run.candidates) bound(candidate.verdict);
  }
}

}  // namespace assay::reports
