#include "harness/cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "harness/catalogue/catalogue.h"
#include "harness/frame/did_you_mean.h"
#include "harness/profile/built_in.h"
#include "harness/profile/profile.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/scenario.h"
#include "reference/authorization/fault.h"
#include "reference/client/faults/fault.h"
#include "reference/model/extension.h"
#include "reference/server/faults/fault.h"
#include "reports/writer.h"

namespace assay::cli {
namespace {

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

std::vector<std::string> extension_names() {
  std::vector<std::string> names;
  for (const model::Extension& extension : model::extensions()) names.push_back(extension.name);
  return names;
}

// One line of bash that completes a value.
std::string bash_values(const Values& values) {
  if (values.paths == Paths::kFilesBehindEquals) {
    return fmt::format("_mcp_assay_formats '{}'", fmt::join(values.words, " "));
  }
  std::string out = ":";
  if (!values.words.empty()) {
    out = fmt::format("_mcp_assay_words '{}'", fmt::join(values.words, " "));
  }
  if (!values.command.empty()) {
    out = fmt::format("_mcp_assay_words \"$({} 2>/dev/null)\"", values.command);
  }
  if (values.paths == Paths::kFiles) out += "; _mcp_assay_paths -f";
  if (values.paths == Paths::kFolders) out += "; _mcp_assay_paths -d";
  return out;
}

// For words after the subcommand that are not options: choices, rules, or files.
Values positional_values(const CommandInfo& command) {
  if (command.name == "explain") return {ids_of(catalogue::all()), Paths::kNone};
  for (const PositionalInfo& each : command.positionals) {
    if (!each.choices.empty()) return {each.choices, Paths::kNone};
  }
  return {{}, Paths::kFiles};
}

// What the subcommand's peer can have: faults for each of the reference peers.
std::vector<std::string> faults_of(const std::string& command) {
  if (command == "reference-client") return ids_of(client::all_faults());
  if (command == "reference-authorization-server") return ids_of(authorization::all_faults());
  return ids_of(server::all_faults());
}

std::vector<std::string> scenarios_of(const std::string& command) {
  std::vector<std::string> out;
  const auto add = [&out](const auto& all) {
    for (const auto& each : all) out.emplace_back(each.name);
  };
  if (command == "client") {
    add(harness::client_scenarios());
  } else if (command == "authorization") {
    add(harness::authority_scenarios());
  } else {
    add(harness::scenarios());
  }
  return out;
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
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  switch (values.paths) {
    case Paths::kNone:
      if (!values.command.empty()) {
        return fmt::format("{{compadd -- ${{(f)\"$({} 2>/dev/null)\"}}}}", values.command);
      }
      return words.empty() ? "" : "(" + words + ")";
    case Paths::kFiles:
      // The blank before it keeps _arguments from adding words of its own.
      return words.empty() ? "_files" : " _mcp_assay_words_or_files " + words;
    case Paths::kFolders:
      return "_files -/";
    case Paths::kFilesBehindEquals:
      return " _mcp_assay_formats " + words;
  }
  return "";
}

std::string zsh_option(const CommandInfo& command, const OptionInfo& option) {
  std::string out;
  for (const std::string& name : option.names) {
    // "*": each option may be given again, as those that are repeatable may.
    // "=": the value may stand behind one, or be the next word.
    const bool takes_equals = !option.placeholder.empty() && name.starts_with("--");
    std::string spec =
        fmt::format("*{}{}[{}]", name, takes_equals ? "=" : "", zsh_text(option.help));
    if (!option.placeholder.empty()) {
      spec += fmt::format(":{}:{}", zsh_text(option.placeholder),
                          zsh_values(values_of(command, option)));
    }
    out += fmt::format(" \\\n        {}", quoted_for_shell(spec));
  }
  return out;
}

std::string fish_values(const Values& values) {
  const bool is_format = values.paths == Paths::kFilesBehindEquals;
  std::string words;
  for (const std::string& word : values.words) {
    words += (words.empty() ? "" : " ") + word + (is_format ? "=" : "");
  }
  const std::string offered = words.empty() ? "" : " -a " + quoted_for_shell(words);
  switch (values.paths) {
    case Paths::kNone:
      if (!values.command.empty()) return fmt::format(" -x -a '({} 2>/dev/null)'", values.command);
      return " -x" + offered;
    case Paths::kFiles:
    case Paths::kFilesBehindEquals:
      return " -r -F" + offered;
    case Paths::kFolders:
      return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

std::string fish_option(const std::string& condition, const CommandInfo& command,
                        const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return fmt::format("complete -c mcp-assay -n {}{}{} -d {}\n", quoted_for_shell(condition), names,
                     option.placeholder.empty() ? "" : fish_values(values_of(command, option)),
                     quoted_for_shell(option.help));
}

}  // namespace

Values values_of(const CommandInfo& command, const OptionInfo& option) {
  if (!option.choices.empty()) return {option.choices, Paths::kNone};
  const std::string& name = option.names.front();
  if (name == "--fault") return {faults_of(command.name), Paths::kNone};
  if (name == "--scenario") return {scenarios_of(command.name), Paths::kNone};
  if (name == "--rule") return {ids_of(catalogue::all()), Paths::kNone};
  if (name == "--extension") return {extension_names(), Paths::kNone};
  if (name == "--name") return {{}, Paths::kNone, "mcp-assay list servers"};
  Values values;
  if (option.placeholder == "FORMAT=PATH") {
    values.paths = Paths::kFilesBehindEquals;
    for (const reports::Format& format : reports::formats()) values.words.emplace_back(format.name);
    return values;
  }
  if (option.placeholder == "json=PATH") return {{"json"}, Paths::kFilesBehindEquals};
  if (option.names.front() == "--profile") {
    const bool is_of_clients = option.placeholder == "FILE|NAME";
    for (const harness::Profile& profile : harness::built_in_profiles()) {
      if (profile.client.empty() != is_of_clients) values.words.push_back(profile.name);
    }
  }
  // "FILE|none": what is written small stands as it is.
  std::istringstream parts(option.placeholder);
  for (std::string part; std::getline(parts, part, '|');) {
    const bool is_word =
        !part.empty() &&
        std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::islower(c) != 0; });
    if (is_word) values.words.push_back(part);
    if (part == "REVISION") {
      for (const model::Revision revision : model::Revision::all()) {
        values.words.emplace_back(revision.text());
      }
    }
    if (part == "FILE" || part == "PATH" || part == "SOCKET") values.paths = Paths::kFiles;
    if (part == "DIR") values.paths = Paths::kFolders;
  }
  return values;
}

std::string bash_completion(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  std::string values;
  std::string options;
  std::string positionals;
  for (const CommandInfo& command : commands) {
    names.push_back(command.name);
    positionals +=
        fmt::format("    {}) {} ;;\n", command.name, bash_values(positional_values(command)));
    options += fmt::format("    {}) options='{}' ;;\n", command.name,
                           fmt::join(option_words(command), " "));
    for (const OptionInfo& option : command.options) {
      if (option.placeholder.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(fmt::format("'{} {}'", command.name, name));
      }
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "),
                            bash_values(values_of(command, option)));
    }
  }
  return fmt::format(
      R"(# Completion of mcp-assay for bash; `mcp-assay completion bash` makes it.
# Each adds what begins with $word, whatever blanks are in it.
_mcp_assay_words() {{
  local each IFS=$' \t\n'
  for each in $1; do [[ $each != "$word"* ]] || COMPREPLY+=("$each"); done
}}
_mcp_assay_paths() {{
  local each plain=${{word#[\'\"]}}
  compopt -o filenames 2>/dev/null
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen "$1" -- "${{plain//\\/}}")
}}
# "html=PATH": the word is what stands behind the last '='.
_mcp_assay_formats() {{
  case "$value" in
    *=*) _mcp_assay_paths -f ;;
    *) compopt -o nospace 2>/dev/null; _mcp_assay_words "${{1// /= }}=" ;;
  esac
}}
_mcp_assay() {{
  local words=() value word before options i command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  # Behind -- stands a command of its own.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "${{COMP_WORDS[i]}}" = -- ] || continue
    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); return; fi
    word=${{COMP_WORDS[COMP_CWORD]}}
    if [ $((i + 1)) = "$COMP_CWORD" ]; then COMPREPLY=($(compgen -c -- "$word")); return; fi
    _mcp_assay_paths -f
    return
  done
  # What bash takes apart at '=' is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [ "$i" -gt 0 ] && [[ $word = '=' || ${{COMP_WORDS[i - 1]}} = '=' ]]; then
      words[${{#words[@]}} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  value=${{words[${{#words[@]}} - 1]}} before=${{words[${{#words[@]}} - 2]}}
  case "$value" in --*=*) before=${{value%%=*}} value=${{value#*=}} ;; esac
  word=${{value##*=}}
  if [ "$COMP_CWORD" = 1 ]; then
    _mcp_assay_words '{} --help --version'
    return
  fi
  case "$command $before" in
{}  esac
  case "$command" in
{}  esac
  case "$word" in -*) _mcp_assay_words "$options"; return ;; esac
  case "$command" in
{}  esac
}}
complete -F _mcp_assay mcp-assay
)",
      fmt::join(names, " "), values, options, positionals);
}

std::string zsh_completion(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names +=
        fmt::format("    {}\n", quoted_for_shell(command.name + ":" + zsh_text(command.summary)));
    cases +=
        fmt::format("    {})\n      _arguments -S '--help[Print what it takes]'", command.name);
    for (const OptionInfo& option : command.options) cases += zsh_option(command, option);
    const Values values = positional_values(command);
    cases += fmt::format(
        " \\\n        {} ;;\n",
        quoted_for_shell((values.words.empty() ? "*: :" : "1: :") + zsh_values(values)));
  }
  return fmt::format(R"zsh(#compdef mcp-assay
# Completion of mcp-assay for zsh; `mcp-assay completion zsh` makes it.
_mcp_assay_words_or_files() {{
  _alternative "words:word:($*)" 'files:file:_files'
}}
# "html=PATH"
_mcp_assay_formats() {{
  if compset -P '*='; then _files; else compadd -S = -- "$@"; fi
}}
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
)zsh",
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
# What stands behind -- is a command of its own.
function __mcp_assay_is_behind
  contains -- -- (commandline -opc)
end
function __mcp_assay_behind
  set -l words (commandline -opc)
  set -l rest
  set -l is_behind no
  for each in $words
    test $is_behind = no; or set -a rest (string escape -- $each)
    test "$each" = --; and set is_behind yes
  end
  complete -C (string join ' ' -- $rest (commandline -ct))
end
complete -c mcp-assay -n __mcp_assay_is_behind -x -a '(__mcp_assay_behind)'
complete -c mcp-assay -n __mcp_assay_first -f
complete -c mcp-assay -n __mcp_assay_first -l help -d 'Print what it takes'
complete -c mcp-assay -n __mcp_assay_first -l version -d 'Print the version'
)";
  for (const CommandInfo& command : commands) {
    out += fmt::format("complete -c mcp-assay -n __mcp_assay_first -a {} -d {}\n", command.name,
                       quoted_for_shell(command.summary));
    const std::string condition = "__mcp_assay_runs " + command.name;
    for (const OptionInfo& option : command.options) out += fish_option(condition, command, option);
    const Values values = positional_values(command);
    if (!values.words.empty()) {
      out += fmt::format("complete -c mcp-assay -n '{}'{}\n", condition, fish_values(values));
    }
    out +=
        fmt::format("complete -c mcp-assay -n '{}' -l help -d 'Print what it takes'\n", condition);
  }
  return out;
}

}  // namespace assay::cli
