#include "scenarios/guessing.h"

#include <algorithm>

namespace assay::scenarios {

std::size_t varying_characters(const std::vector<std::string>& ids) {
  const std::string& first = ids.front();
  std::size_t begin = first.size();
  std::size_t end = first.size();
  std::size_t longest = 0;
  for (const std::string& id : ids) {
    const auto front = std::mismatch(first.begin(), first.end(), id.begin(), id.end());
    begin = std::min(begin, static_cast<std::size_t>(front.first - first.begin()));
    const auto back = std::mismatch(first.rbegin(), first.rend(), id.rbegin(), id.rend());
    end = std::min(end, static_cast<std::size_t>(back.first - first.rbegin()));
    longest = std::max(longest, id.size());
  }
  return longest > begin + end ? longest - begin - end : 0;
}

}  // namespace assay::scenarios
