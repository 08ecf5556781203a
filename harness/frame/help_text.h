// What --help prints, made from what the subcommands declare.
#pragma once

#include <string>
#include <vector>

#include "harness/frame/command_info.h"

namespace assay::cli {

// No line has more columns, unless a footer has.
inline constexpr std::size_t kHelpWidth = 100;

// The help of one subcommand: its options in their groups, then its footer.
std::string help_text(const CommandInfo& command);

// The help of the program: its subcommands, by what they are for.
std::string overview_text(const std::string& summary, const std::vector<CommandInfo>& commands);

}  // namespace assay::cli
