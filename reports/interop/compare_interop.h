// What changed between two runs of a matrix.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/compare.h"
#include "reports/interop/interop_result.h"

namespace assay::reports {

struct InteropComparison {
  // Printable lines: what worked and fails now, what failed and works now, what worked or failed
  // and is not tested any more, and what fails in a place that the older run does not have.
  std::vector<std::string> worse;
  std::vector<std::string> better;
  std::vector<std::string> lost;
  std::vector<std::string> added;
  bool has_common_act = false;  // false: nothing could be compared, which is always worse
  CompareOptions options;

  bool is_worse() const;
};

InteropComparison compare_interop(InteropResult before, InteropResult after,
                                  const CompareOptions& options = {});

std::string render_interop_comparison_text(const InteropComparison& comparison);
std::string render_interop_comparison_markdown(const InteropComparison& comparison);

}  // namespace assay::reports
