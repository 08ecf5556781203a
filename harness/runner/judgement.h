// A finding with what a verdict needs to know of where it was made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/finding.h"
#include "reports/result.h"

namespace assay::harness {

struct Judgement {
  Finding finding;
  // Which part of the run's plan it comes from, so that verdicts do not depend on which thread was
  // quicker: see plan_part().
  std::string from;
  // What proves it, with what stands around it, once its session is over; empty where that is not
  // known, and then the finding's own events are the evidence.
  std::vector<reports::Evidence> evidence;
  // What became of it after it was found: see confirmation.h.
  std::vector<reports::Step> history{};
  bool is_confirmed = false;  // by a second look
  // See causes.h.
  std::string explained_by{};
  std::string ended_over{};
  bool explains_silence = false;
};

using Judgements = std::vector<Judgement>;

inline bool is_breach(const Finding& finding) {
  return finding.kind == Finding::Kind::kBroke;
}
inline bool is_breach(const Judgement& judgement) {
  return is_breach(judgement.finding);
}

// Sorts as the plan does: the opening, the session that polite scenarios share, what they say
// themselves, and the scenarios with sessions of their own, by name.
enum class Part { kOpening, kSharedSession, kShared, kOwn };
inline std::string plan_part(Part part, std::string_view scenario = "") {
  return std::to_string(static_cast<int>(part)) + " " + std::string(scenario);
}
// The scenario of a part; empty for those that are no scenario's.
inline std::string_view scenario_of(std::string_view plan_part) {
  return plan_part.substr(plan_part.find(' ') + 1);
}

}  // namespace assay::harness
