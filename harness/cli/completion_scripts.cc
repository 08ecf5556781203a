#include "harness/cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "reference/model/revision.h"

namespace assay::cli {
namespace {

constexpr std::array<std::string_view, 5> kFilePlaceholders{"FILE", "PATH", "FILE|NAME|none",
                                                            "FORMAT=PATH", "json=PATH"};

// In single quotes, for any of the three shells.
std::string quoted_for_shell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// The long names first: those are what people read.
std::vector<std::string> option_words(const CommandInfo& command) {
  std::vector<std::string> words;
  for (const OptionInfo& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  words.push_back("--help");
  return words;
}

// One line of bash that completes a value.
std::string bash_values(const Values& values) {
  switch (values.kind) {
    case ValueKind::kWords:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                         fmt::join(values.words, " "));
    case ValueKind::kFiles:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
    case ValueKind::kFolders:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
    case ValueKind::kUnknown:
      return "COMPREPLY=()";
  }
  return "";
}

// What stands in square brackets and behind colons of a specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const Values& values) {
  switch (values.kind) {
    case ValueKind::kWords:
      return fmt::format("({})", fmt::join(values.words, " "));
    case ValueKind::kFiles:
      return "_files";
    case ValueKind::kFolders:
      return "_files -/";
    case ValueKind::kUnknown:
      return "";
  }
  return "";
}

std::string zsh_option(const OptionInfo& option) {
  std::string out;
  for (const std::string& name : option.names) {
    // "*": each option may be given again, as those that are repeatable may.
    std::string spec = fmt::format("*{}[{}]", name, zsh_text(option.help));
    if (!option.placeholder.empty()) {
      spec += fmt::format(":{}:{}", zsh_text(option.placeholder), zsh_values(values_of(option)));
    }
    out += fmt::format(" \\\n        {}", quoted_for_shell(spec));
  }
  return out;
}

std::string fish_values(const Values& values) {
  switch (values.kind) {
    case ValueKind::kWords:
      return fmt::format(" -x -a {}",
                         quoted_for_shell(fmt::format("{}", fmt::join(values.words, " "))));
    case ValueKind::kFiles:
      return " -r -F";
    case ValueKind::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kUnknown:
      return " -x";
  }
  return "";
}

std::string fish_option(const std::string& condition, const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return fmt::format("complete -c mcp-assay -n {}{}{} -d {}\n", quoted_for_shell(condition), names,
                     option.placeholder.empty() ? "" : fish_values(values_of(option)),
                     quoted_for_shell(option.help));
}

}  // namespace

Values values_of(const OptionInfo& option) {
  if (!option.choices.empty()) return {ValueKind::kWords, option.choices};
  if (option.placeholder == "REVISION" || option.placeholder == "R") {
    Values revisions{ValueKind::kWords, {}};
    for (const model::Revision revision : model::Revision::all()) {
      revisions.words.emplace_back(revision.text());
    }
    return revisions;
  }
  if (option.placeholder == "DIR") return {ValueKind::kFolders, {}};
  const bool is_file = std::find(kFilePlaceholders.begin(), kFilePlaceholders.end(),
                                 option.placeholder) != kFilePlaceholders.end();
  return {is_file ? ValueKind::kFiles : ValueKind::kUnknown, {}};
}

std::string bash_completion(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  std::string values;
  std::string options;
  for (const CommandInfo& command : commands) {
    names.push_back(command.name);
    options += fmt::format("    {}) options='{}' ;;\n", command.name,
                           fmt::join(option_words(command), " "));
    for (const OptionInfo& option : command.options) {
      if (option.placeholder.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(fmt::format("'{} {}'", command.name, name));
      }
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "),
                            bash_values(values_of(option)));
    }
  }
  return fmt::format(
      R"(# Completion of mcp-assay for bash; `mcp-assay completion bash` makes it.
_mcp_assay() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} options= i
  # Behind -- stands a command of its own.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "${{COMP_WORDS[i]}}" = -- ] || continue
    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); return; fi
    compopt -o filenames
    if [ $((i + 1)) = "$COMP_CWORD" ]; then COMPREPLY=($(compgen -c -- "$word")); return; fi
    COMPREPLY=($(compgen -f -- "$word"))
    return
  done
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case "$command $before" in
{}  esac
  case "$command" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -F _mcp_assay mcp-assay
)",
      fmt::join(names, " "), values, options);
}

std::string zsh_completion(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names +=
        fmt::format("    {}\n", quoted_for_shell(command.name + ":" + zsh_text(command.summary)));
    cases +=
        fmt::format("    {})\n      _arguments -S '--help[Print what it takes]'", command.name);
    for (const OptionInfo& option : command.options) cases += zsh_option(option);
    cases += " \\\n        '*::: :_files' ;;\n";
  }
  return fmt::format(R"(#compdef mcp-assay
# Completion of mcp-assay for zsh; `mcp-assay completion zsh` makes it.
_mcp_assay() {{
  local -a commands
  commands=(
{})
  if (( CURRENT == 2 )); then
    _describe subcommand commands
    _arguments '--help[Print what it takes]' '--version[Print the version]'
    return
  fi
  # Behind -- stands a command of its own.
  local dashes=${{words[(i)--]}}
  if (( dashes < CURRENT )); then
    shift $dashes words
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _mcp_assay ]; then _mcp_assay "$@"; else compdef _mcp_assay mcp-assay; fi
)",
                     names, cases);
}

std::string fish_completion(const std::vector<CommandInfo>& commands) {
  std::string out =
      R"(# Completion of mcp-assay for fish; `mcp-assay completion fish` makes it.
function __mcp_assay_runs
  set -l words (commandline -opc)
  not contains -- -- $words; and test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end
function __mcp_assay_first
  test (count (commandline -opc)) -eq 1
end
complete -c mcp-assay -n __mcp_assay_first -f
complete -c mcp-assay -n __mcp_assay_first -l help -d 'Print what it takes'
complete -c mcp-assay -n __mcp_assay_first -l version -d 'Print the version'
)";
  for (const CommandInfo& command : commands) {
    out += fmt::format("complete -c mcp-assay -n __mcp_assay_first -a {} -d {}\n", command.name,
                       quoted_for_shell(command.summary));
    const std::string condition = "__mcp_assay_runs " + command.name;
    for (const OptionInfo& option : command.options) out += fish_option(condition, option);
    out +=
        fmt::format("complete -c mcp-assay -n '{}' -l help -d 'Print what it takes'\n", condition);
  }
  return out;
}

}  // namespace assay::cli
