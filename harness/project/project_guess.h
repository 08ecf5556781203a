// What probably starts a project's server, by the file that its package manager reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct StartGuess {
  std::vector<std::string> words;  // the command
  std::string from;                // "package.json"
};

// Of package.json (bin, scripts.start, main), pyproject.toml (project.scripts), go.mod and
// Cargo.toml; nothing where none of them says enough.
std::optional<StartGuess> guess_start(const std::filesystem::path& folder);

}  // namespace assay::cli
