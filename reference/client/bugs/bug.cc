#include "reference/client/bugs/bug.h"

#include <algorithm>
#include <iterator>

namespace assay::client {

const std::vector<Bug>& all_bugs() {
  static const std::vector<Bug> kAll = [] {
    std::vector<Bug> all;
    for (auto table : {crash_bugs(), speech_bugs(), wire_bugs()}) {
      std::move(table.begin(), table.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

const Bug* find_bug(std::string_view id) {
  const auto& all = all_bugs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Bug& bug) { return bug.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace assay::client
