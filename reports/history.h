// What earlier runs came to, so that an overview shows whether a target gets better.
//
// The file is JSON lines, one for each result, the oldest first. It is a file of the user's: what
// cannot be read in it is left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

// What one result came to, all its runs together.
struct HistoryPoint {
  std::string started;
  int violated = 0;  // rules that fail the run
  int exercised = 0;
  int applicable = 0;
  bool was_tested = false;

  friend bool operator==(const HistoryPoint&, const HistoryPoint&) = default;
};

// By target, as history_key() names it.
using History = std::map<std::string, std::vector<HistoryPoint>>;

// The last few of each target.
inline constexpr std::size_t kMostHistory = 30;

// Whose history a result belongs to: what the list calls it, or where it is.
std::string history_key(const Result& result);
HistoryPoint history_point(const Result& result);

History parse_history(std::string_view text);
// Adds the results, and forgets what is more than kMostHistory for a target.
void add_to_history(History& history, const Result& result);
std::string render_history(const History& history);

}  // namespace assay::reports
