#include "reports/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace assay::reports {
namespace {

int rank(Outcome outcome) {
  switch (outcome) {
    case Outcome::kViolated:
      return 4;
    case Outcome::kSatisfied:
      return 3;
    case Outcome::kInconclusive:
      return 2;
    case Outcome::kNotExercised:
      return 1;
    case Outcome::kNotApplicable:
      return 0;
  }
  return 0;
}

// What a scenario or monitor came to counts before what nobody spoke of.
auto weight(const Verdict& verdict) {
  return std::tuple(!verdict.scenario.empty(), rank(verdict.outcome));
}

// Copies, since a cause may itself be explained by another one.
struct Cause {
  std::string requirement;
  std::string judge;
};

void explain_silence(std::vector<Candidate>& candidates) {
  std::vector<Cause> causes;
  for (const Candidate& each : candidates) {
    if (each.explains_silence) causes.push_back({each.verdict.requirement, each.verdict.scenario});
  }
  // Whatever order the candidates came in, one cause is named.
  std::sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
    return std::tie(a.requirement, a.judge) < std::tie(b.requirement, b.judge);
  });
  for (Candidate& candidate : candidates) {
    Verdict& verdict = candidate.verdict;
    if (verdict.outcome != Outcome::kViolated || !candidate.is_silence) continue;
    const auto cause = std::find_if(causes.begin(), causes.end(), [&](const Cause& each) {
      // What one scenario says, it says together.
      return each.requirement != verdict.requirement && each.judge != verdict.scenario;
    });
    if (cause == causes.end()) continue;
    verdict.outcome = Outcome::kInconclusive;
    verdict.caused_by = cause->requirement;
    verdict.detail = fmt::format("{}; {} was broken first", verdict.detail, cause->requirement);
  }
}

}  // namespace

std::vector<Verdict> settle(std::vector<Candidate> candidates) {
  explain_silence(candidates);
  std::map<std::string_view, const Verdict*> strongest;
  for (const Candidate& candidate : candidates) {
    if (candidate.is_cause_only) continue;
    const Verdict*& best = strongest[candidate.verdict.requirement];
    if (best == nullptr || weight(candidate.verdict) > weight(*best)) best = &candidate.verdict;
  }
  std::vector<Verdict> verdicts;
  verdicts.reserve(strongest.size());
  for (const auto& [requirement, verdict] : strongest) verdicts.push_back(*verdict);
  return verdicts;
}

std::vector<Candidate> worth_keeping(const std::vector<Candidate>& candidates) {
  // The first of each kind: what may explain, and what may be explained, by judge.
  std::set<std::tuple<std::string_view, Outcome, bool, bool, std::string_view>> known;
  std::vector<Candidate> out;
  for (const Candidate& each : candidates) {
    const bool has_judge = each.is_silence || each.explains_silence;
    const std::string_view judge = has_judge ? std::string_view(each.verdict.scenario) : "";
    const bool is_new = known
                            .emplace(each.verdict.requirement, each.verdict.outcome,
                                     each.is_silence, each.explains_silence, judge)
                            .second;
    if (is_new) out.push_back(each);
  }
  return out;
}

}  // namespace assay::reports
