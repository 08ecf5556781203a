#include "harness/interop/bisect.h"

#include <algorithm>
#include <map>

namespace assay::harness {
namespace {

// Tries one version, or the nearest one to it within (low, high) of which something can be told.
// The place of that one; nothing where there is none.
class Search {
 public:
  Search(const std::vector<std::string>& versions,
         const std::function<std::optional<bool>(const std::string&)>& works,
         const std::function<bool()>& stop)
      : versions_(versions), works_(works), stop_(stop), known_(versions.size()) {}

  struct Found {
    std::size_t place;
    bool works;
  };
  std::optional<Found> near_middle(std::size_t low, std::size_t high) {
    const std::size_t middle = low + (high - low) / 2;
    for (std::size_t distance = 0; distance <= high - low; ++distance) {
      for (const std::size_t place : {middle + distance, middle - distance}) {
        if (place <= low || place >= high || stop_()) continue;
        if (const auto works = tell(place)) return Found{place, *works};
      }
    }
    return std::nullopt;
  }
  std::optional<bool> tell(std::size_t place) {
    if (!known_[place]) {
      known_[place] = true;
      results_[versions_[place]] = works_(versions_[place]);
      out_.tried.push_back({versions_[place], results_[versions_[place]]});
    }
    return results_[versions_[place]];
  }
  Bisection& out() { return out_; }

 private:
  const std::vector<std::string>& versions_;
  const std::function<std::optional<bool>(const std::string&)>& works_;
  const std::function<bool()>& stop_;
  std::vector<bool> known_;
  std::map<std::string, std::optional<bool>> results_;
  Bisection out_;
};

}  // namespace

Bisection bisect(const std::vector<std::string>& versions,
                 const std::function<std::optional<bool>(const std::string&)>& works,
                 const std::function<bool()>& stop) {
  Search search(versions, works, stop);
  if (versions.empty()) return search.out();
  std::size_t bad = versions.size() - 1;
  const auto last = search.tell(bad);
  if (!last || *last) return search.out();
  search.out().first_bad = versions[bad];
  // The oldest of which something can be told.
  std::size_t good = 0;
  while (good < bad && !stop()) {
    const auto first = search.tell(good);
    if (first) {
      if (*first) break;
      search.out().first_bad = versions[good];
      return search.out();
    }
    ++good;
  }
  if (good >= bad || stop()) return search.out();
  search.out().last_good = versions[good];
  while (bad - good > 1 && !stop()) {
    const auto found = search.near_middle(good, bad);
    if (!found) break;
    (found->works ? good : bad) = found->place;
    search.out().last_good = versions[good];
    search.out().first_bad = versions[bad];
  }
  return search.out();
}

std::vector<std::string> releases_between(const std::vector<std::string>& published,
                                          const std::string& first, const std::string& last) {
  const auto end = std::find(published.begin(), published.end(), last);
  const auto begin =
      first.empty() ? published.begin() : std::find(published.begin(), published.end(), first);
  if (end == published.end() || begin == published.end() || begin > end) return {};
  std::vector<std::string> out;
  for (auto each = begin; each != end; ++each) {
    // "1.2.0-beta.1" is none; what was asked for is, whatever it is called.
    if (each->find('-') == std::string::npos || *each == first) out.push_back(*each);
  }
  out.push_back(last);
  return out;
}

}  // namespace assay::harness
