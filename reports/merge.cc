#include "reports/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "reports/escape.h"
#include "reports/expected.h"
#include "reports/settle.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxProblemBytes = 500;

constexpr std::array kByWeight = {Outcome::kNotApplicable, Outcome::kNotExercised,
                                  Outcome::kInconclusive, Outcome::kSatisfied, Outcome::kViolated};

// As the runner weighs what was found for one requirement: a verdict that a scenario or monitor
// came to counts before one that nothing in that part spoke of.
auto weight(const Verdict& verdict) {
  const auto rank =
      std::find(kByWeight.begin(), kByWeight.end(), verdict.outcome) - kByWeight.begin();
  return std::tuple(verdict.outcome == Outcome::kViolated, !verdict.scenario.empty(), rank);
}

std::string difference(const Result& first, const Result& next) {
  const auto differs = [](std::string_view what, std::string_view a, std::string_view b) {
    return fmt::format("not of one {}: '{}' and '{}'", what, a, b);
  };
  const Target& a = first.target;
  const Target& b = next.target;
  if (a.subject != b.subject || a.command != b.command || a.url != b.url) {
    return differs("target", target_location(a), target_location(b));
  }
  const bool is_named = !a.name.empty() && !b.name.empty();
  if (is_named && (a.name != b.name || a.version != b.version)) {
    return differs("target", target_title(a), target_title(b));
  }
  if (first.tool_version != next.tool_version) {
    return differs("version of mcp-assay", first.tool_version, next.tool_version);
  }
  if (first.catalogue_digest != next.catalogue_digest) {
    return differs("catalogue", first.catalogue_digest, next.catalogue_digest);
  }
  if (first.catalogue_version != next.catalogue_version) {
    return differs("version of the catalogue", first.catalogue_version, next.catalogue_version);
  }
  return "";
}

void join_verdicts(std::vector<Verdict>& verdicts, const std::vector<Verdict>& more) {
  std::map<std::string, Verdict> by_requirement;
  for (Verdict& verdict : verdicts) by_requirement[verdict.requirement] = std::move(verdict);
  for (const Verdict& verdict : more) {
    const auto [found, is_new] = by_requirement.try_emplace(verdict.requirement, verdict);
    if (is_new) continue;
    Verdict& held = found->second;
    const bool is_equal = weight(verdict) == weight(held);
    // A violation that is not expected outweighs one that is, and a reason outweighs none.
    const bool outweighs = weight(verdict) > weight(held) ||
                           (is_equal && held.is_expected && !verdict.is_expected) ||
                           (is_equal && held.detail.empty() && !verdict.detail.empty());
    if (outweighs) held = verdict;
  }
  verdicts.clear();
  for (auto& [id, verdict] : by_requirement) verdicts.push_back(std::move(verdict));
}

RunStatus joined_status(const Run& run, RunStatus a, RunStatus b) {
  if (a == RunStatus::kIncomplete || b == RunStatus::kIncomplete) return RunStatus::kIncomplete;
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const Verdict& verdict) {
        return verdict.outcome == Outcome::kViolated && strength(verdict.level) == Strength::kMust;
      });
  if (is_violated) return RunStatus::kViolations;
  if (a == RunStatus::kFailed || b == RunStatus::kFailed) return RunStatus::kFailed;
  if (a == RunStatus::kUnsupported && b == a) return RunStatus::kUnsupported;
  return RunStatus::kConformant;
}

bool is_same(const Run& a, const Run& b) {
  return a.revision == b.revision && a.transport == b.transport;
}

// Weighs again what all shards of a run found. An expectation is of a requirement, so it stays with
// it whatever breach is told in the end.
Run joined_shards(std::vector<Run> shards) {
  std::sort(shards.begin(), shards.end(),
            [](const Run& a, const Run& b) { return a.shard.index < b.shard.index; });
  Run out = shards.front();
  std::vector<Candidate> candidates;
  std::map<std::string, std::string> expected;
  bool is_one_reason = true;
  for (const Run& shard : shards) {
    candidates.insert(candidates.end(), shard.candidates.begin(), shard.candidates.end());
    for (const Verdict& verdict : shard.verdicts) {
      if (verdict.is_expected) expected.emplace(verdict.requirement, verdict.expected_reason);
    }
    if (&shard == &shards.front()) continue;
    out.duration_ms += shard.duration_ms;
    out.cost += shard.cost;
    is_one_reason = is_one_reason && shard.reason == shards.front().reason;
    if (out.reason.empty()) out.reason = shard.reason;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.from < b.from; });
  out.verdicts = settle(std::move(candidates));
  for (Verdict& verdict : out.verdicts) {
    const auto found = expected.find(verdict.requirement);
    if (found == expected.end() || verdict.outcome != Outcome::kViolated) continue;
    verdict.is_expected = true;
    verdict.expected_reason = found->second;
  }
  const RunStatus first = shards.front().status;
  // One machine on which nothing could be tested leaves its part of the plan open.
  RunStatus status = first;
  for (const Run& shard : shards) status = joined_status(out, status, shard.status);
  out.status = status;
  // Why one machine could test nothing is no reason of the whole's.
  if (was_tested(out) && !is_one_reason) out.reason.clear();
  out.shard = {};
  out.candidates.clear();
  return out;
}

// Puts the shards of each run together, in place; returns what does not fit.
std::string join_all_shards(std::vector<Result>& parts) {
  std::vector<Run> pending;
  for (Result& part : parts) {
    for (Run& run : part.runs) {
      if (run.shard.is_part()) pending.push_back(std::move(run));
    }
    std::erase_if(part.runs, [](const Run& run) { return run.shard.is_part(); });
  }
  while (!pending.empty()) {
    const Run first = pending.front();
    const auto others = std::stable_partition(pending.begin(), pending.end(),
                                              [&](const Run& run) { return !is_same(run, first); });
    std::vector<Run> shards(std::make_move_iterator(others),
                            std::make_move_iterator(pending.end()));
    pending.erase(others, pending.end());
    const std::string name = fmt::format("{} over {}", first.revision, first.transport);
    for (const Run& run : shards) {
      if (run.shard.total == first.shard.total) continue;
      return fmt::format("{} is there in {} shards and in {}", name, first.shard.total,
                         run.shard.total);
    }
    std::vector<int> missing;
    for (int index = 1; index <= first.shard.total; ++index) {
      const auto is_it = [index](const Run& run) { return run.shard.index == index; };
      const auto count = std::count_if(shards.begin(), shards.end(), is_it);
      if (count == 0) missing.push_back(index);
      if (count > 1) return fmt::format("shard {} of {} is there twice", index, name);
    }
    if (!missing.empty()) {
      return fmt::format("of the {} shards of {} these are missing: {}", first.shard.total, name,
                         fmt::join(missing, ", "));
    }
    const bool is_whole_too = std::any_of(parts.begin(), parts.end(), [&](const Result& part) {
      return std::any_of(part.runs.begin(), part.runs.end(),
                         [&](const Run& run) { return is_same(run, first); });
    });
    if (is_whole_too) return fmt::format("{} is there in shards and as a whole", name);
    parts.front().runs.push_back(joined_shards(std::move(shards)));
  }
  return "";
}

void join(Run& run, const Run& more) {
  const RunStatus before = run.status;
  join_verdicts(run.verdicts, more.verdicts);
  run.duration_ms += more.duration_ms;
  run.cost += more.cost;
  run.status = joined_status(run, before, more.status);
  if (run.reason.empty()) run.reason = more.reason;
  if (was_tested(run)) run.reason.clear();
}

// An entry that held in one part may have failed in another.
bool still_fails(const StaleExpectation& stale, const Result& result) {
  for (const Run& run : result.runs) {
    if (!stale.revision.empty() && stale.revision != run.revision) continue;
    if (!stale.transport.empty() && stale.transport != run.transport) continue;
    for (const Verdict& verdict : run.verdicts) {
      if (verdict.outcome == Outcome::kViolated &&
          matches_glob(stale.pattern, verdict.requirement)) {
        return true;
      }
    }
  }
  return false;
}

void add(Result& out, const Result& part) {
  for (const Run& run : part.runs) {
    const auto same = std::find_if(out.runs.begin(), out.runs.end(),
                                   [&run](const Run& each) { return is_same(each, run); });
    if (same == out.runs.end()) {
      out.runs.push_back(run);
    } else {
      join(*same, run);
    }
  }
  for (const StaleExpectation& stale : part.stale_expectations) {
    auto& all = out.stale_expectations;
    if (std::find(all.begin(), all.end(), stale) == all.end()) all.push_back(stale);
  }
  if (out.target.name.empty()) {
    out.target.name = part.target.name;
    out.target.version = part.target.version;
  }
  out.started = std::min(out.started, part.started);
  out.duration_ms += part.duration_ms;
  out.was_interrupted = out.was_interrupted || part.was_interrupted;
  out.is_strict = out.is_strict || part.is_strict;
}

}  // namespace

std::variant<Result, std::string> merge(std::span<const Result> parts) {
  if (parts.empty()) return std::string("nothing to merge");
  const Result* known = &parts.front();
  for (const Result& part : parts.subspan(1)) {
    const std::string problem = difference(*known, part);
    if (!problem.empty()) return problem;
    if (known->target.name.empty()) known = &part;
  }
  std::vector<Result> whole(parts.begin(), parts.end());
  const std::string problem = join_all_shards(whole);
  if (!problem.empty()) return printable_line(cut(problem, kMaxProblemBytes));
  Result out = std::move(whole.front());
  for (std::size_t i = 1; i < whole.size(); ++i) add(out, whole[i]);
  std::erase_if(out.stale_expectations,
                [&out](const StaleExpectation& stale) { return still_fails(stale, out); });
  // As a plan has them: by revision, stdio before everything over HTTP.
  std::stable_sort(out.runs.begin(), out.runs.end(), [](const Run& a, const Run& b) {
    const auto rank = [](const Run& run) {
      return std::tuple(std::string_view(run.revision), run.transport != "stdio",
                        std::string_view(run.transport));
    };
    return rank(a) < rank(b);
  });
  return out;
}

}  // namespace assay::reports
