// Which of many versions is the first with which something fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::harness {

struct Bisection {
  struct Try {
    std::string version;
    std::optional<bool> works;  // nothing: it could not be told
  };
  std::vector<Try> tried;  // in the order of the tries
  std::string last_good;   // empty: none is known
  std::string first_bad;   // empty: nothing shows that the last version fails
};

// `versions`: the oldest first. The last one is tried, then the first one, and then those between.
// Versions of which nothing can be told are passed over, so that there may be some between
// `last_good` and `first_bad`. Ends early where `works` throws or `stop` is true.
Bisection bisect(const std::vector<std::string>& versions,
                 const std::function<std::optional<bool>(const std::string&)>& works,
                 const std::function<bool()>& stop);

// What can be tried of what was published: releases up to `last`, from `first` on (empty: from the
// beginning). Nothing where one of them is not there.
std::vector<std::string> releases_between(const std::vector<std::string>& published,
                                          const std::string& first, const std::string& last);

}  // namespace assay::harness
