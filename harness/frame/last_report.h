// Which reports were written last, for 'mcp-assay show'.
//
// Their paths are kept in a file of the user's (XDG_STATE_HOME/mcp-assay/last-reports). Where that
// cannot be written nothing is kept, and nothing is said: no run fails for it.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

// Of one run; those of the run before are forgotten.
void remember_reports(const std::vector<std::string>& paths);
// Absolute paths of those that are still there, as they were remembered.
std::vector<std::string> last_reports();

}  // namespace assay::cli
