#include "reports/result.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace assay::reports {
namespace {

template <typename Enum, std::size_t kSize>
using Names = std::array<std::pair<Enum, std::string_view>, kSize>;

constexpr Names<Level, 5> kLevels{{{Level::kMust, "MUST"},
                                   {Level::kMustNot, "MUST NOT"},
                                   {Level::kShould, "SHOULD"},
                                   {Level::kShouldNot, "SHOULD NOT"},
                                   {Level::kMay, "MAY"}}};
constexpr Names<Strength, 3> kStrengths{
    {{Strength::kMust, "must"}, {Strength::kShould, "should"}, {Strength::kMay, "may"}}};
constexpr Names<Outcome, 5> kOutcomeNames{{{Outcome::kSatisfied, "satisfied"},
                                           {Outcome::kViolated, "violated"},
                                           {Outcome::kNotExercised, "not_exercised"},
                                           {Outcome::kNotApplicable, "not_applicable"},
                                           {Outcome::kInconclusive, "inconclusive"}}};
constexpr Names<RunStatus, 5> kStatuses{{{RunStatus::kConformant, "conformant"},
                                         {RunStatus::kViolations, "violations"},
                                         {RunStatus::kUnsupported, "unsupported"},
                                         {RunStatus::kFailed, "failed"},
                                         {RunStatus::kIncomplete, "incomplete"}}};

template <typename Enum, std::size_t kSize>
std::string_view name_in(const Names<Enum, kSize>& names, Enum value) {
  for (const auto& [candidate, text] : names) {
    if (candidate == value) return text;
  }
  return "";
}

template <typename Enum, std::size_t kSize>
std::optional<Enum> parse_in(const Names<Enum, kSize>& names, std::string_view text) {
  for (const auto& [value, candidate] : names) {
    if (candidate == text) return value;
  }
  return std::nullopt;
}

}  // namespace

Strength strength(Level level) {
  switch (level) {
    case Level::kMust:
    case Level::kMustNot:
      return Strength::kMust;
    case Level::kShould:
    case Level::kShouldNot:
      return Strength::kShould;
    case Level::kMay:
      return Strength::kMay;
  }
  return Strength::kMay;
}

std::string_view name(Level level) {
  return name_in(kLevels, level);
}
std::string_view name(Strength strength) {
  return name_in(kStrengths, strength);
}
std::string_view name(Outcome outcome) {
  return name_in(kOutcomeNames, outcome);
}
std::string_view name(RunStatus status) {
  return name_in(kStatuses, status);
}
std::optional<Level> parse_level(std::string_view text) {
  return parse_in(kLevels, text);
}
std::optional<Outcome> parse_outcome(std::string_view text) {
  return parse_in(kOutcomeNames, text);
}
std::optional<RunStatus> parse_run_status(std::string_view text) {
  return parse_in(kStatuses, text);
}

std::string_view Verdict::area() const {
  return std::string_view(requirement).substr(0, requirement.find('.'));
}

Counts count(const Run& run) {
  Counts counts;
  for (const auto& [strength, text] : kStrengths) {
    for (const Outcome outcome : kOutcomes) counts[strength][outcome] = 0;
  }
  for (const Verdict& verdict : run.verdicts) ++counts[strength(verdict.level)][verdict.outcome];
  return counts;
}

Cost& Cost::operator+=(const Cost& more) {
  sessions += more.sessions;
  requests += more.requests;
  bytes_sent += more.bytes_sent;
  bytes_received += more.bytes_received;
  for (const auto& [scenario, ms] : more.waits) waits[scenario] += ms;
  return *this;
}

std::int64_t Cost::waited_ms() const {
  return std::accumulate(waits.begin(), waits.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& wait) { return sum + wait.second; });
}

Cost cost_of(const Result& result) {
  Cost out;
  for (const Run& run : result.runs) out += run.cost;
  return out;
}

bool is_failure(const Verdict& verdict, bool strict) {
  if (verdict.outcome != Outcome::kViolated || verdict.is_expected) return false;
  const Strength weight = strength(verdict.level);
  return weight == Strength::kMust || (strict && weight == Strength::kShould);
}

int unexpected_violations(const Result& result, bool strict) {
  int total = 0;
  for (const Run& run : result.runs) {
    for (const Verdict& verdict : run.verdicts) total += is_failure(verdict, strict) ? 1 : 0;
  }
  return total;
}

bool was_tested(const Run& run) {
  return run.status == RunStatus::kConformant || run.status == RunStatus::kViolations;
}

bool has_remark(const Run& run) {
  return was_tested(run) && !run.reason.empty();
}

bool was_tested(const Result& result) {
  return std::any_of(result.runs.begin(), result.runs.end(),
                     [](const Run& run) { return was_tested(run); });
}

int count_runs(const Result& result, RunStatus status) {
  return static_cast<int>(std::count_if(result.runs.begin(), result.runs.end(),
                                        [status](const Run& run) { return run.status == status; }));
}

bool is_complete(const Result& result) {
  return !result.was_interrupted && count_runs(result, RunStatus::kIncomplete) == 0;
}

bool has_failed(const Result& result) {
  return unexpected_violations(result, result.is_strict) > 0 || !result.stale_expectations.empty();
}

bool has_passed(const Result& result) {
  return was_tested(result) && is_complete(result) && !has_failed(result) &&
         count_runs(result, RunStatus::kFailed) == 0;
}

}  // namespace assay::reports
