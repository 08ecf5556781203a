// Runs a program that shares our terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

// To its end, with `words` from its own name on, and with no signal blocked. Ctrl-C reaches it as
// it reaches us, unless it `is_apart`. Returns its status as waitpid() tells it; nothing if it
// cannot be started.
std::optional<int> run_program(const char* path, std::vector<std::string> words,
                               bool is_apart = false);

}  // namespace assay::cli
