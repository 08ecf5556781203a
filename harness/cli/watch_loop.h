// server --watch: tests again whenever a source file changes, what failed first.
#pragma once

#include <string>
#include <vector>

#include "reports/result.h"

namespace assay::cli {

// Each test is this program once more, with `words` (without --watch) and the command behind "--".
// Ends with Ctrl-C, and returns the exit status of the last test.
int watch_loop(std::vector<std::string> words, const std::vector<std::string>& command);

// In such a test: leaves the result to the loop that started it; does nothing elsewhere.
void keep_for_watch_loop(const reports::Result& result);

}  // namespace assay::cli
