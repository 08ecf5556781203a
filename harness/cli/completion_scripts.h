// Completions of the command line for three shells, made from what the subcommands declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/command_info.h"

namespace assay::cli {

// What may stand for a value: some words, and paths, perhaps behind one of the words and '='.
enum class Paths { kNone, kFiles, kFolders, kFilesBehindEquals };
struct Values {
  std::vector<std::string> words;
  Paths paths = Paths::kNone;
  std::string command = {};  // prints further words, one on a line, when they are wanted
};
Values values_of(const CommandInfo& command, const OptionInfo& option);

// Each a whole script for the shell of its name.
std::string bash_completion(const std::vector<CommandInfo>& commands);
std::string zsh_completion(const std::vector<CommandInfo>& commands);
std::string fish_completion(const std::vector<CommandInfo>& commands);

}  // namespace assay::cli
