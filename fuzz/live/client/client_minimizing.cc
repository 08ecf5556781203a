// What a finding about a client takes: as few spoils as it goes, and as few words in them.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "fuzz/live/client/client_fuzzer.h"

namespace assay::fuzz {
namespace {

// Singles that are tried in a row when a finding is minimized.
constexpr std::size_t kMostSingles = 24;

}  // namespace

std::optional<std::size_t> ClientFuzzer::first_that_shows(const ClientSuspicion& suspicion,
                                                          const std::vector<Spoils>& tries) {
  std::vector<SpoilPlan> plans;
  for (const Spoils& each : tries) plans.push_back(plan_of(each));
  outcome_.progress.trials += tries.size();
  const auto all = launch_all(target_, plans, outcome_.baseline.limits(1), limit_.token());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* report = std::get_if<LaunchReport>(&all[i]);
    if (report == nullptr) continue;
    const auto said = judge_launch(*report, outcome_.baseline, {suspicion.oracle});
    if (!said.empty() && has_cause(target_, said.front(), suspicion.cause)) return i;
  }
  return std::nullopt;
}

// As a rule it is one of the last.
Spoils ClientFuzzer::minimize(const ClientSuspicion& suspicion, Spoils spoils) {
  const std::size_t most = outcome_.progress.trials + options_.minimize_trials;
  const auto may_go_on = [&] { return outcome_.progress.trials < most && !limit_.is_over(); };
  if (spoils.size() < 2 || shows(suspicion, {spoils.back()}, 1)) {
    return spoils.empty() ? spoils : Spoils{spoils.back()};
  }
  std::vector<Spoils> singles;
  for (auto one = std::next(spoils.rbegin()); one != spoils.rend() && singles.size() < kMostSingles;
       ++one) {
    singles.push_back({*one});
  }
  for (std::size_t at = 0; at < singles.size() && may_go_on(); at += options_.at_once) {
    const auto begin = singles.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = std::min(options_.at_once, singles.size() - at);
    const std::vector<Spoils> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    if (const auto which = first_that_shows(suspicion, some)) return some[*which];
  }
  if (!shows(suspicion, spoils, 1)) return spoils;
  // It takes several: parts are left out, from large ones to single ones.
  for (std::size_t size = spoils.size() / 2; size > 0 && may_go_on(); size /= 2) {
    for (std::size_t at = 0; at < spoils.size() && may_go_on();) {
      Spoils fewer = spoils;
      const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, fewer.size() - at)));
      if (shows(suspicion, fewer, 1)) {
        spoils = std::move(fewer);
      } else {
        at += size;
      }
    }
  }
  return spoils;
}

// Of what is found by waiting nothing is cut: each try takes long, and what is left might rightly
// be waited for.
Spoils ClientFuzzer::minimize_wording(const ClientFinding& finding) {
  Spoils spoils = finding.recipe;
  MinimizeLimits limits = options_.wording;
  limits.stop = limit_.token();
  const ClientOracle oracle = finding.suspicion.oracle;
  const bool takes_waiting = oracle == ClientOracle::kHang || oracle == ClientOracle::kMemory;
  if (options_.wording.trials == 0 || takes_waiting || finding.wordings.size() != spoils.size())
    return spoils;
  for (std::size_t i = 0; i < spoils.size(); ++i) {
    // One that lasts says something else each time.
    if (!finding.wordings[i] || spoils[i].occurrence == 0) continue;
    const auto shows_with = [&](const Wording& wording) {
      Spoils tried = spoils;
      tried[i].wording = wording;
      return shows(finding.suspicion, tried, 1);
    };
    const Wording& whole = *finding.wordings[i];
    if (!shows_with(whole)) continue;
    spoils[i].wording = fuzz::minimize_wording(whole, shows_with, limits);
  }
  return spoils;
}

}  // namespace assay::fuzz
