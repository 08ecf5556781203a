// Files of environment variables, as editors and containers read them (".env").
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

// NAME=VALUE lines, in order; '#' begins a comment line, quotes around a value are taken off. What
// else stands there is passed over.
std::vector<std::pair<std::string, std::string>> variables_in(const std::string& text);

}  // namespace assay::cli
