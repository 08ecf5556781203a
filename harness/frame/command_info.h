// What the subcommands take, as data: help, completions and the manual page are made of what the
// subcommands themselves declare.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

class Command;

struct NumberRange {
  double minimum = 0;
  double maximum = 0;
  bool is_whole = false;
};

// "is not a whole number from 1 to 64"; empty if the text is such a number.
std::string why_not_in_range(const NumberRange& range, const std::string& text);

struct OptionInfo {
  std::vector<std::string> names;  // "-q", "--quiet"
  std::string placeholder;         // "FILE"; empty: a flag
  std::vector<std::string> choices;
  std::string help;
  bool is_repeatable = false;
  std::optional<NumberRange> range = std::nullopt;  // of a number
  std::string group = "";                           // its heading in the help; empty: none
};

struct PositionalInfo {
  std::string name;
  std::string help;
  bool is_required = false;
  bool is_repeatable = false;
  std::vector<std::string> choices;
};

struct CommandInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;  // without --help, which all have
  std::vector<PositionalInfo> positionals;
  std::string command_line_help;   // of what follows "--"; empty: nothing may follow
  std::string command_line_group;  // its heading, as an option's
  std::string footer;
};

CommandInfo describe(Command& command);

// Of every subcommand, by name.
std::vector<CommandInfo> describe_commands();

}  // namespace assay::cli
