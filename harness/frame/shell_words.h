// A line taken apart into words as a shell would, and nothing else: no variables, no globs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

// Blanks separate words; quotes and backslashes keep them together. Nothing if a quote is not
// closed.
std::optional<std::vector<std::string>> split_shell_words(std::string_view line);

}  // namespace assay::cli
