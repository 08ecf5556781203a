// One page for many reports: targets as rows, revisions as columns.
#pragma once

#include <span>
#include <string>

#include "reports/result.h"

namespace assay::reports {

struct OverviewEntry {
  const Result* result = nullptr;
  std::string link;  // relative, to the target's own page; empty if it has none
};

std::string render_overview(std::span<const OverviewEntry> entries);

}  // namespace assay::reports
