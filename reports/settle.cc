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

// It seemed to be broken, and a second look did not show it again; or nobody can tell.
bool is_unconfirmed(const Verdict& verdict) {
  if (verdict.outcome != Outcome::kInconclusive || verdict.history.empty()) return false;
  const std::string& what = verdict.history.back().what;
  return what == kNotConfirmed || what == kLeftOpen;
}

// It says with how many specimens the rule held.
bool tells_what_held(const Verdict& verdict) {
  return verdict.outcome == Outcome::kSatisfied && !verdict.detail.empty();
}

// What a scenario or monitor came to counts before what none of them spoke of; and a breach that
// was seen once counts before the proof that the rule held elsewhere.
auto standing(const Verdict& verdict) {
  return std::tuple(!verdict.scenario.empty(), verdict.outcome == Outcome::kViolated,
                    is_unconfirmed(verdict), rank(verdict.outcome), tells_what_held(verdict));
}

// A requirement, and who says that it was broken.
using Breach = std::pair<std::string_view, std::string_view>;

Breach breach_of(const Candidate& candidate) {
  return {candidate.verdict.requirement, candidate.verdict.scenario};
}

bool is_open_breach(const Candidate& candidate) {
  return candidate.verdict.outcome == Outcome::kViolated && candidate.explained_by.empty();
}

// What breaches in other sessions, perhaps of other shards, explain.
class Causes {
 public:
  explicit Causes(const std::vector<Candidate>& candidates) {
    for (const Candidate& each : candidates) {
      if (each.explains_silence) (is_silent(each) ? silent_ : loud_).insert(&each);
      if (each.verdict.requirement == kEnd) ended_over_.insert(each.ended_over);
    }
    // Silence that is explained explains nothing itself, so that the first of all is named.
    for (const Candidate* ping : silent_) {
      const std::string_view cause = cause_of(*ping, loud_);
      if (!cause.empty()) roots_.emplace(breach_of(*ping), cause);
    }
    for (const Candidate& each : candidates) {
      if (is_explained_end(each)) roots_.emplace(breach_of(each), kEnd);
    }
  }

  // The requirement whose breach came first; empty if the candidate stands for itself.
  std::string cause_of(const Candidate& candidate) const {
    if (is_explained_end(candidate)) return std::string(kEnd);
    if (is_open_breach(candidate) && is_silent(candidate)) {
      const std::string_view loud = cause_of(candidate, loud_);
      return std::string(loud.empty() ? cause_of(candidate, silent_) : loud);
    }
    const bool is_found = candidate.explained_by.empty();
    const std::string& known = is_found ? candidate.verdict.caused_by : candidate.explained_by;
    const auto root = roots_.find({known, candidate.verdict.scenario});
    return root == roots_.end() ? known : std::string(root->second);
  }

 private:
  // Whatever order the candidates came in, one cause is named.
  struct ByBreach {
    bool operator()(const Candidate* a, const Candidate* b) const {
      return breach_of(*a) < breach_of(*b);
    }
  };
  using Set = std::set<const Candidate*, ByBreach>;

  static constexpr std::string_view kEnd = "jsonrpc.request-answered-once";

  static bool is_silent(const Candidate& candidate) {
    return candidate.is_silence || candidate.lacks_answer;
  }

  // Who ends at every ping does not end because of what came before one.
  bool is_explained_end(const Candidate& candidate) const {
    return is_open_breach(candidate) && !candidate.ended_over.empty() &&
           candidate.verdict.requirement != kEnd && ended_over_.contains(candidate.ended_over);
  }

  // Answers that nobody can use explain that one did not come in time, and who answers no ping
  // explains that nothing came at all.
  std::string_view cause_of(const Candidate& silence, const Set& causes) const {
    if (&causes == &loud_ && !silence.is_silence) return "";
    for (const Candidate* cause : causes) {
      // What one scenario says, it says together.
      const bool is_other = cause->verdict.requirement != silence.verdict.requirement &&
                            cause->verdict.scenario != silence.verdict.scenario;
      if (!is_other) continue;
      const auto root = roots_.find(breach_of(*cause));
      if (root != roots_.end()) return root->second;
      return cause->explained_by.empty() ? cause->verdict.requirement : cause->explained_by;
    }
    return "";
  }

  Set loud_;                                  // answers came, but none that anybody can use
  Set silent_;                                // not even a ping was answered
  std::set<std::string_view> ended_over_;     // by sessions that ended over a sound request
  std::map<Breach, std::string_view> roots_;  // causes that have one themselves
};

void name_causes(std::vector<Candidate>& candidates) {
  const std::vector<Candidate> found = candidates;
  const Causes causes(found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::string cause = causes.cause_of(found[i]);
    Verdict& verdict = candidates[i].verdict;
    if (verdict.outcome == Outcome::kViolated && !cause.empty()) {
      verdict.outcome = Outcome::kInconclusive;
      verdict.detail = fmt::format("{}; {} was broken first", verdict.detail, cause);
      // Silence gives way to what was proved. What was seen was there, whatever it came of.
      const bool is_seen = !found[i].is_silence && !found[i].lacks_answer;
      verdict.history.push_back(
          {is_seen ? std::string(kLeftOpen) : "explained", cause, "it was broken first"});
    }
    verdict.caused_by = std::move(cause);
  }
}

}  // namespace

std::vector<Verdict> settle(std::vector<Candidate> candidates) {
  name_causes(candidates);
  std::map<std::string_view, const Verdict*> strongest;
  for (const Candidate& candidate : candidates) {
    if (candidate.is_cause_only) continue;
    const Verdict*& best = strongest[candidate.verdict.requirement];
    if (best == nullptr || standing(candidate.verdict) > standing(*best)) best = &candidate.verdict;
  }
  std::vector<Verdict> verdicts;
  verdicts.reserve(strongest.size());
  for (const auto& [requirement, verdict] : strongest) verdicts.push_back(*verdict);
  return verdicts;
}

std::vector<Candidate> worth_keeping(const std::vector<Candidate>& candidates) {
  // The first of each kind: what may explain, and what may be explained, by judge.
  using Kind = std::tuple<std::string_view, Outcome, bool, bool, bool, bool, bool, std::string_view,
                          std::string_view, std::string_view, std::string_view>;
  std::set<Kind> known;
  std::vector<Candidate> out;
  for (const Candidate& each : candidates) {
    const bool has_judge = each.is_silence || each.lacks_answer || each.explains_silence ||
                           !each.ended_over.empty() || !each.explained_by.empty() ||
                           !each.verdict.caused_by.empty();
    const std::string_view judge = has_judge ? std::string_view(each.verdict.scenario) : "";
    const bool is_new =
        known
            .emplace(each.verdict.requirement, each.verdict.outcome, is_unconfirmed(each.verdict),
                     tells_what_held(each.verdict), each.is_silence, each.lacks_answer,
                     each.explains_silence, each.ended_over, each.explained_by,
                     each.verdict.caused_by, judge)
            .second;
    if (is_new) out.push_back(each);
  }
  return out;
}

}  // namespace assay::reports
