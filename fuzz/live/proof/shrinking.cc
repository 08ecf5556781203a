// What was proved, made smaller with the time that is left in the end.
#include <algorithm>
#include <utility>

#include "fuzz/live/proof/proving.h"

namespace assay::fuzz {
namespace {

// Fewer messages are small enough.
constexpr std::size_t kLarge = 4;
// From here on it may be their number that counts.
constexpr std::size_t kMany = 16;
constexpr std::size_t kMoreTrials = 2000;
constexpr std::chrono::seconds kLongest{60};

bool can_shrink(const ServerFinding& finding) {
  const Oracle oracle = finding.suspicion.oracle;
  return finding.messages >= kLarge && oracle != Oracle::kMemory && oracle != Oracle::kDescriptors;
}

}  // namespace

const ServerFinding* Proving::largest() const {
  const ServerFinding* found = nullptr;
  for (const ServerFinding& each : findings_) {
    if (!can_shrink(each) || shrunk_.contains(each.id)) continue;
    if (found == nullptr || each.messages > found->messages) found = &each;
  }
  return found;
}

std::chrono::milliseconds Proving::shrinking_time() const {
  const ServerFinding* large = largest();
  if (large == nullptr) return std::chrono::milliseconds(0);
  Suspect suspect;
  suspect.suspicion = large->suspicion;
  return least_time(suspect);
}

bool Proving::make_smaller(std::chrono::milliseconds time) {
  const ServerFinding* large = largest();
  const std::chrono::milliseconds least = shrinking_time();
  if (large == nullptr || time <= least) return false;
  shrunk_.insert(large->id);
  const Worker worker{setting_.prober,
                      Clock::now() + std::min<Clock::duration>(time - least, kLongest)};
  ServerFinding smaller = *large;
  for (const auto wait : kShortWaits) {
    smaller.repeats = Repeats::kNotKnown;
    const Recipe recipe = shrunk(*large, worker, wait, smaller.repeats);
    if (recipe == large->recipe) continue;
    if (!confirm(smaller, recipe, large->suspicion, setting_.prober)) continue;
    smaller.messages = std::max<std::size_t>(count_messages(recipe.steps, setting_.is_http), 1);
    findings_[static_cast<std::size_t>(large - findings_.data())] = smaller;
    setting_.on_smaller(smaller);
    break;
  }
  return true;
}

Recipe Proving::shrunk(const ServerFinding& finding, const Worker& worker,
                       std::chrono::milliseconds wait, Repeats& repeats) const {
  Prober& prober = worker.prober;
  const Oracle oracle = finding.suspicion.oracle;
  const Waits quick = quick_waits(prober.waits(), wait, oracle);
  const bool is_one_process = !setting_.is_http && !finding.recipe.is_fresh && is_survived(oracle);
  const std::string signature = finding.suspicion.signature();
  const std::function<bool(const Recipe&)> shows = [&](const Recipe& smaller) {
    if (prober.is_stopped()) return false;
    return is_one_process ? prober.may_show(smaller, signature, quick)
                          : prober.find(smaller, signature, quick).has_value();
  };
  if (finding.messages >= kMany && !setting_.is_http) {
    const Steps& steps = finding.recipe.steps;
    for (const auto& [kind, one] : {std::pair(Repeats::kOfAnyKind, prober.fence_step()),
                                    std::pair(Repeats::kOfOneKind, steps.back())}) {
      if (auto counted = fewest(one, finding, worker, shows)) {
        repeats = kind;
        return *std::move(counted);
      }
    }
  }
  MinimizeLimits all = limits(worker);
  all.trials = kMoreTrials;
  all.time = std::chrono::duration_cast<std::chrono::milliseconds>(worker.until - Clock::now());
  return minimize(finding.recipe, shows, all);
}

std::optional<Recipe> Proving::fewest(const Step& one, const ServerFinding& finding,
                                      const Worker& worker,
                                      const std::function<bool(const Recipe&)>& shows) const {
  const auto repeated = [&](std::size_t count) {
    Recipe recipe{{}, finding.recipe.is_fresh, 0};
    for (std::size_t i = 0; i < count; ++i) recipe.steps.push_back(with_own_id(one, i));
    return recipe;
  };
  std::size_t high = finding.messages + 1;
  if (!shows(repeated(high))) return std::nullopt;
  std::size_t low = 0;  // does not show it
  while (high - low > 1 && Clock::now() < worker.until) {
    const std::size_t middle = low + (high - low) / 2;
    (shows(repeated(middle)) ? high : low) = middle;
  }
  // A few are no matter of their number.
  if (high < kMany) return std::nullopt;
  return repeated(high);
}

}  // namespace assay::fuzz
