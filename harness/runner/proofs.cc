#include "harness/runner/proofs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace assay::harness {
namespace {

// One is shown; which one is settled when all are known.
constexpr std::size_t kMostProved = 16;
constexpr std::size_t kLargeEvent = 64u << 10;

void let_go_of_large(std::vector<EventPtr>& events) {
  std::erase_if(events,
                [](const EventPtr& event) { return event && event->share.bytes() > kLargeEvent; });
}

}  // namespace

void bound_proofs(Judgements& judgements, const wire::BudgetPtr& budget) {
  std::map<std::string_view, std::vector<Judgement*>> proved;
  const bool is_tight = budget && budget->taken() > budget->limit() / 2;
  for (Judgement& judgement : judgements) {
    if (judgement.evidence.empty()) continue;
    proved[judgement.finding.requirement.text()].push_back(&judgement);
    if (!is_tight) continue;
    let_go_of_large(judgement.finding.events);
    let_go_of_large(judgement.finding.more_events);
  }
  for (auto& [requirement, all] : proved) {
    if (all.size() <= kMostProved) continue;
    std::stable_sort(all.begin(), all.end(),
                     [](const Judgement* a, const Judgement* b) { return a->from < b->from; });
    for (std::size_t i = kMostProved; i < all.size(); ++i) all[i]->evidence = {};
  }
}

}  // namespace assay::harness
