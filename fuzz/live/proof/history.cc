#include "fuzz/live/proof/history.h"

#include <algorithm>
#include <utility>

namespace assay::fuzz {

void History::add(Sent sent) {
  bytes_ += bytes_of(sent.made);
  all_.push_back(std::make_shared<const Sent>(std::move(sent)));
  while (bytes_ > kMostBytes && all_.size() > 1) {
    bytes_ -= bytes_of(all_.front()->made);
    all_.pop_front();
  }
}

void History::clear() {
  all_.clear();
  bytes_ = 0;
}

SentPtr History::find(std::size_t number) const {
  const auto found = std::find_if(all_.rbegin(), all_.rend(),
                                  [&](const SentPtr& sent) { return sent->number == number; });
  return found == all_.rend() ? nullptr : *found;
}

std::vector<SentPtr> History::latest(std::size_t most_bytes) const {
  auto begin = all_.end();
  std::size_t bytes = 0;
  while (begin != all_.begin()) {
    bytes += bytes_of((*(begin - 1))->made);
    if (bytes > most_bytes && begin != all_.end()) break;
    --begin;
  }
  return {begin, all_.end()};
}

Recipe gather(std::span<const SentPtr> cases, std::size_t first, std::size_t last, int manners,
              bool is_http) {
  Recipe recipe;
  recipe.manners = manners;
  for (const SentPtr& sent : cases) {
    if (sent->number < first || sent->number > last) continue;
    const Steps& steps = sent->made.steps;
    recipe.steps.insert(recipe.steps.end(), steps.begin(), steps.end());
    if (!is_http && !steps.empty() && !steps.back().bytes.ends_with('\n')) {
      recipe.steps.back().bytes += '\n';
    }
  }
  return recipe;
}

}  // namespace assay::fuzz
