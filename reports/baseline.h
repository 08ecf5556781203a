// A list of expected failures that follows the target: what fails newly is added with a reason and
// a day, and what holds again is removed, so that the list only has what is true.
#pragma once

#include <string>
#include <vector>

#include "reports/expected.h"
#include "reports/result.h"

namespace assay::reports {

struct BaselineOptions {
  bool may_grow = true;  // false: only remove what holds
  std::string reason;    // of what is added; empty: what happened
};

struct BaselineChange {
  enum class Kind { kAdded, kRemoved, kKept, kLeftOut };
  Kind kind;                // kLeftOut: it fails, is not listed, and may not be added
  std::string requirement;  // id or glob
  std::string where;        // "2025-11-25 over stdio"; empty: everywhere
};

struct Baseline {
  ExpectedFailures list;
  std::vector<BaselineChange> changes;
};

// `before` as this result shows it. What was not judged stays as it is; so do the entries of other
// kinds of targets. The day of new entries is that of the result.
Baseline renewed(ExpectedFailures before, Result result, const BaselineOptions& options);

}  // namespace assay::reports
