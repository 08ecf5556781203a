// What earlier runs of a matrix came to, and what changed since the last one.
//
// The file is JSON lines, one for each run, the oldest first. It is a file of the user's: what
// cannot be read in it is left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/interop/interop_result.h"

namespace assay::reports {

// One run, without what was exchanged.
struct InteropPoint {
  std::string started;
  std::map<std::string, std::string> versions;  // by party: "client sdk" is "sdk@1.2.3"
  std::map<std::string, ActOutcome> outcomes;   // by act_key()

  friend bool operator==(const InteropPoint&, const InteropPoint&) = default;
};

// The last few runs.
inline constexpr std::size_t kMostInteropRuns = 30;

// Names an act of a cell among those of all runs.
std::string act_key(const PairCell& cell, const PairAct& act);
InteropPoint interop_point(const InteropResult& result);

std::vector<InteropPoint> parse_interop_history(std::string_view text);
// Adds the run, and forgets what is more than kMostInteropRuns.
void add_to_interop_history(std::vector<InteropPoint>& history, const InteropResult& result);
std::string render_interop_history(const std::vector<InteropPoint>& history);

// Fills `changes` and `changed_since` of the result: which acts work no more, or work now, and
// which version of which party changed. What was not tested in one of the two is no change.
void note_changes(InteropResult& result, const InteropPoint& before);

}  // namespace assay::reports
