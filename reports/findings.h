// What the writers for people have in common: one rule is told once, with the runs it concerns.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

// One rule, and every run in which its verdict was wanted. Points into the Result.
struct RuleFinding {
  // Of the newest revision among the runs, which its author cares for most, and there of the first
  // transport.
  const Verdict* verdict = nullptr;
  std::vector<const Run*> runs;
  std::vector<const Verdict*> verdicts;  // of these runs, in their order
};

// By requirement, which begins with the area.
using Findings = std::map<std::string_view, RuleFinding>;
Findings collect(const Result& result, const std::function<bool(const Verdict&)>& is_wanted);
Findings collect(const Result& result, Outcome outcome);
// What fails the whole: see is_failure().
Findings failures(const Result& result);

// As people read them, what matters most first: what fails the whole; MUST before SHOULD; what the
// newest revision shows; what an ordinary request shows before what one shows that was wrong on
// purpose; what most runs show; and what most peers meet (tools before tasks, say).
std::vector<const RuleFinding*> by_weight(const Findings& findings, bool is_strict);

// What was exchanged, as a key by which to tell that two verdicts show the same; empty where
// nothing is shown.
std::string exchange_of(const Verdict& verdict);

// Rules that one and the same exchange breaks: the weightiest, and the others.
struct FindingGroup {
  const RuleFinding* first = nullptr;
  std::vector<const RuleFinding*> rest;
};
// In the order of by_weight().
std::vector<FindingGroup> grouped(const Findings& findings, bool is_strict);

// "in every run"; "in 2025-11-25 stdio, 2025-11-25 http". Printable.
std::string runs_text(const RuleFinding& finding, const Result& result);

// The numbers of one run, as a table shows them. Each verdict is in exactly one of them.
struct RunFigures {
  int satisfied = 0;
  int violated = 0;  // what fails the run
  int advisory = 0;  // violated, but no MUST: fails nothing
  int expected = 0;
  int not_exercised = 0;
  int not_applicable = 0;
  int inconclusive = 0;
};
RunFigures figures_of(const Run& run, bool is_strict = false);

// What fuzzing found, and no verdicts on the rules of the specification.
bool is_of_fuzzer(const Result& result);

// How much was judged: a result over a few rules says little.
struct Exercised {
  int exercised = 0;   // rules that held or were violated
  int applicable = 0;  // all but those that are not applicable

  // Of the applicable ones.
  double percent() const { return applicable == 0 ? 0 : 100.0 * exercised / applicable; }
};
Exercised exercised_in(const Run& run);
// Of all runs that were tested: a rule counts once, and is exercised if it is in one of them.
Exercised exercised_in(const Result& result);
// "33 of 240 rules"
std::string exercised_text(const Exercised& exercised);

}  // namespace assay::reports
