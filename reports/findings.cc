#include "reports/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "reports/escape.h"

namespace assay::reports {

Findings collect(const Result& result, const std::function<bool(const Verdict&)>& is_wanted) {
  Findings findings;
  for (const Run& run : result.runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (!is_wanted(verdict)) continue;
      RuleFinding& finding = findings[verdict.requirement];
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

namespace {

// Areas in the order of how many peers meet them; the rest comes behind.
constexpr auto kByUse = std::to_array<std::string_view>(
    {"lifecycle",   "stdio",      "http",      "jsonrpc",   "tools",        "ping",
     "schema",      "pagination", "resources", "prompts",   "content",      "json-schema",
     "discover",    "stateless",  "meta",      "progress",  "cancellation", "sampling",
     "elicitation", "roots",      "logging",   "completion"});

auto use_of(const RuleFinding& finding) {
  return std::find(kByUse.begin(), kByUse.end(), finding.verdict->area()) - kByUse.begin();
}

bool is_provoked(const RuleFinding& finding) {
  const auto& evidence = finding.verdict->evidence;
  return std::any_of(evidence.begin(), evidence.end(),
                     [](const Evidence& each) { return each.is_deliberate && !each.is_context; });
}

std::string newest_revision(const Findings& findings) {
  std::string newest;
  for (const auto& [id, finding] : findings) {
    for (const Run* run : finding.runs) newest = std::max(newest, run->revision);
  }
  return newest;
}

bool is_in(const RuleFinding& finding, const std::string& revision) {
  return std::any_of(finding.runs.begin(), finding.runs.end(),
                     [&](const Run* run) { return run->revision == revision; });
}

}  // namespace

std::vector<const RuleFinding*> by_weight(const Findings& findings, bool is_strict) {
  std::vector<const RuleFinding*> out;
  for (const auto& [id, finding] : findings) out.push_back(&finding);
  const std::string newest = newest_revision(findings);
  const auto weight = [&](const RuleFinding* finding) {
    return std::tuple(!is_failure(*finding->verdict, is_strict), strength(finding->verdict->level),
                      !is_in(*finding, newest), is_provoked(*finding),
                      -static_cast<std::ptrdiff_t>(finding->runs.size()), use_of(*finding));
  };
  std::stable_sort(out.begin(), out.end(), [&weight](const RuleFinding* a, const RuleFinding* b) {
    return weight(a) < weight(b);
  });
  return out;
}

std::string exchange_of(const Verdict& verdict) {
  std::string out;
  for (const Evidence& evidence : verdict.evidence) {
    if (evidence.is_context) continue;
    out += fmt::format("{} {}\n{}\n", evidence.party, evidence.lane, evidence.text);
  }
  return out;
}

std::vector<FindingGroup> grouped(const Findings& findings, bool is_strict) {
  std::vector<FindingGroup> out;
  std::map<std::string, std::size_t> known;
  for (const RuleFinding* finding : by_weight(findings, is_strict)) {
    const std::string proof = exchange_of(*finding->verdict);
    const auto [found, is_new] = known.try_emplace(proof, out.size());
    if (is_new || proof.empty()) {
      out.push_back({finding, {}});
    } else {
      out[found->second].rest.push_back(finding);
    }
  }
  return out;
}

std::string runs_text(const RuleFinding& finding, const Result& result) {
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

bool is_of_fuzzer(const Result& result) {
  return result.catalogue_version == "fuzz";
}

std::string exercised_text(const Exercised& exercised) {
  return fmt::format("{} of {} rule{}", exercised.exercised, exercised.applicable,
                     exercised.applicable == 1 ? "" : "s");
}

}  // namespace assay::reports
