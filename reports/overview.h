// One page for many reports: a table of servers, one of clients and one of pairs, with targets as
// rows and revisions as columns. Those that fail come first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/history.h"
#include "reports/result.h"

namespace assay::reports {

struct OverviewEntry {
  const Result* result = nullptr;
  std::string link;  // relative, to the target's own page; empty if it has none
  std::vector<HistoryPoint> history = {};  // this result and those before it, the oldest first
};

// The same as a table of text.
std::string render_overview_text(std::span<const OverviewEntry> entries);
std::string render_overview(std::span<const OverviewEntry> entries);

}  // namespace assay::reports
