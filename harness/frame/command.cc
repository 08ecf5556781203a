#include "harness/frame/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <system_error>

#include "harness/frame/command_info.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/help_text.h"
#include "harness/frame/standard_output.h"
#include "harness/frame/version.h"
#include "reports/escape.h"
#include "reports/vault.h"

namespace assay::cli {
namespace {

// Filled before main() by the registrations, and only read afterwards.
std::vector<CommandFactory>& factories() {
  static std::vector<CommandFactory> all;
  return all;
}

class Cli11Arguments : public Arguments {
 public:
  Cli11Arguments(CLI::App& app, const std::vector<std::string>& after_dashes)
      : app_(app), after_dashes_(after_dashes) {}

  void group(const std::string& /*title*/) override {}  // help_text() knows the groups
  void flag(const std::string& names, bool& value, const std::string& help) override {
    app_.add_flag(names, value, help);
  }
  void text(const std::string& names, std::string& value, const std::string& placeholder,
            const std::string& help) override {
    app_.add_option(names, value, help)->type_name(placeholder);
  }
  void texts(const std::string& names, std::vector<std::string>& values,
             const std::string& placeholder, const std::string& help) override {
    app_.add_option(names, values, help)
        ->type_name(placeholder)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);  // one value for each mention: the next word is no value
  }
  void number(const std::string& names, std::int64_t& value, std::int64_t minimum,
              std::int64_t maximum, const std::string& placeholder,
              const std::string& help) override {
    const NumberRange range{static_cast<double>(minimum), static_cast<double>(maximum), true};
    app_.add_option(names, value, help)->type_name(placeholder)->check(within(range));
  }
  void seconds(const std::string& names, double& value, const std::string& help) override {
    const NumberRange range{kShortestSeconds, kLongestSeconds, false};
    app_.add_option(names, value, help)->type_name("SECONDS")->check(within(range));
  }
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
              const std::string& help) override {
    app_.add_option(names, value, help)
        ->type_name(fmt::format("{}", fmt::join(choices, "|")))
        ->check(one_of(choices));
  }
  void positional(const std::string& name, std::string& value, bool is_required,
                  const std::string& help) override {
    app_.add_option(name, value, help)->type_name("")->required(is_required);
  }
  void positional_choice(const std::string& name, std::string& value,
                         const std::vector<std::string>& choices,
                         const std::string& help) override {
    app_.add_option(name, value, help)->type_name("")->required(true)->check(one_of(choices));
  }
  void positionals(const std::string& name, std::vector<std::string>& values, bool is_required,
                   const std::string& help) override {
    app_.add_option(name, values, help)->type_name("")->required(is_required);
  }
  void command_line(std::vector<std::string>& words, const std::string& /*help*/) override {
    words = after_dashes_;
    takes_command_line_ = true;
  }
  void footer(const std::string& /*text*/) override {}

  bool takes_command_line() const { return takes_command_line_; }

 private:
  static CLI::Validator one_of(const std::vector<std::string>& choices) {
    return CLI::Validator(
        [choices](const std::string& text) {
          const bool is_known = std::find(choices.begin(), choices.end(), text) != choices.end();
          return is_known ? std::string()
                          : fmt::format("'{}' is not one of {}{}", reports::printable_line(text),
                                        fmt::join(choices, ", "), did_you_mean(text, choices));
        },
        "");
  }
  static CLI::Validator within(const NumberRange& range) {
    return CLI::Validator(
        [range](const std::string& text) {
          const std::string wrong = why_not_in_range(range, text);
          return wrong.empty() ? wrong
                               : fmt::format("'{}' {}", reports::printable_line(text), wrong);
        },
        "");
  }

  CLI::App& app_;
  const std::vector<std::string>& after_dashes_;
  bool takes_command_line_ = false;
};

struct Entry {
  std::unique_ptr<Command> command;
  CLI::App* app = nullptr;
  std::unique_ptr<Cli11Arguments> arguments;
};

int usage_error(std::string_view command, std::string_view text) {
  fmt::print(stderr, "mcp-assay{}{}: {}\n", command.empty() ? "" : " ", command, text);
  fmt::print(stderr, "Try 'mcp-assay{}{} --help'.\n", command.empty() ? "" : " ", command);
  return kUsage;
}

// A line with a mistake may hold tokens all the same, and what names the mistake repeats words of
// it: whatever such a line gives is hidden there, but for options and addresses.
std::string without_tokens(std::string text, const std::vector<std::string>& words) {
  const bool gives_tokens = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("--") && word.find("tok") != std::string::npos;
  });
  if (!gives_tokens) return text;
  reports::Vault vault;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_given = equals != std::string::npos || !word.starts_with('-');
    if (!is_given || word.find("://") != std::string::npos) continue;
    vault.add(equals == std::string::npos ? word : word.substr(equals + 1));
  }
  vault.redact(text);
  return text;
}

// A word that no option takes, of a subcommand that starts a command: the mark before it is
// missing.
std::string missing_dashes(const Entry& entry, const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> words = app.remaining(true);
  const bool is_forgotten =
      entry.arguments->takes_command_line() &&
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !words.empty() &&
      !words.front().starts_with('-');
  if (!is_forgotten) return "";
  constexpr std::size_t kMostWords = 8;
  std::string line;
  for (std::size_t i = 0; i < words.size() && i < kMostWords; ++i) {
    line += " " + reports::shell_word(words[i]);
  }
  return fmt::format("write '--' before the command to start: mcp-assay {} --{}{}",
                     entry.command->name(), line, words.size() > kMostWords ? " ..." : "");
}

// An option that the subcommand does not have, with the nearest that it has.
std::string unknown_option(const Entry& entry, const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError)) return "";
  for (const std::string& word : app.remaining(true)) {
    if (word.size() < 2 || !word.starts_with('-')) continue;
    std::vector<std::string> known{"--help"};
    for (const OptionInfo& option : describe(*entry.command).options) {
      known.insert(known.end(), option.names.begin(), option.names.end());
    }
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}", reports::printable_line(reports::cut(name, 80)),
                       did_you_mean(name, known));
  }
  return "";
}

// "--url needs a value".
std::string wrong_number_of_values(const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) return "";
  const std::string what = error.what();
  const std::string name = what.substr(0, what.find(':'));
  if (what.ends_with(" missing")) return name + " needs a value";
  return name + " is given more than once";
}

// What is wrong with the words, as plainly as they allow.
std::string mistake(const Entry& entry, const CLI::App& app, const CLI::ParseError& error,
                    bool has_dashes) {
  std::string text = has_dashes ? "" : missing_dashes(entry, app, error);
  if (text.empty()) text = unknown_option(entry, app, error);
  if (text.empty()) text = wrong_number_of_values(error);
  const std::vector<std::string> extra = app.remaining(true);
  const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (text.empty() && is_extra && !extra.empty()) {
    text = fmt::format("unexpected word '{}'",
                       reports::printable_line(reports::cut(extra.front(), 80)));
  }
  return text.empty() ? error.what() : text;
}

// The first word names no subcommand.
std::string unknown_subcommand(const std::vector<Entry>& entries, const std::string& word) {
  std::vector<std::string> known{"help"};
  for (const Entry& entry : entries) known.emplace_back(entry.command->name());
  const char* what = word.starts_with('-') ? "option" : "subcommand";
  if (word.starts_with('-')) known = {"--help", "--version"};
  return fmt::format("unknown {} '{}'{}", what, reports::printable_line(reports::cut(word, 80)),
                     did_you_mean(word, known));
}

// 'mcp-assay help SUBCOMMAND' is 'mcp-assay SUBCOMMAND --help'.
bool replace_help(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return false;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(words.size(), 1));
  words.emplace_back("--help");
  return words.size() == 2;
}

bool is_one_subcommand(const std::vector<Entry>& entries, const std::vector<std::string>& words) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.command->name() == words.front(); });
}

// Of the subcommand that the words name.
std::vector<std::string> further_words(const std::vector<Entry>& entries,
                                       const std::vector<std::string>& words, bool has_command) {
  for (const Entry& entry : entries) {
    if (words.empty() || entry.command->name() != words.front()) continue;
    return entry.command->further_words(words, has_command);
  }
  return {};
}

// Only what a word may name: to declare the options of all subcommands costs more than half of
// what it takes to start.
void declare_named(std::vector<Entry>& entries, const std::vector<std::string>& words,
                   const std::vector<std::string>& after_dashes) {
  for (Entry& entry : entries) {
    if (std::find(words.begin(), words.end(), entry.command->name()) == words.end()) continue;
    entry.arguments = std::make_unique<Cli11Arguments>(*entry.app, after_dashes);
    entry.command->declare(*entry.arguments);
    entry.app->formatter_fn([&entry](const CLI::App*, const std::string&, CLI::AppFormatMode) {
      return help_text(describe(*entry.command));
    });
  }
}

int run_parsed(const std::vector<Entry>& entries, bool has_dashes) {
  for (const Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    const std::string_view name = entry.command->name();
    if (has_dashes && !entry.arguments->takes_command_line()) {
      return usage_error(name, "nothing may follow '--' here");
    }
    try {
      return entry.command->run();
    } catch (const UsageError& error) {
      return usage_error(name, error.text());
    }
  }
  return usage_error("", "a subcommand is required");
}

}  // namespace

void register_command(CommandFactory factory) {
  factories().push_back(factory);
}

std::vector<std::unique_ptr<Command>> make_commands() {
  std::vector<std::unique_ptr<Command>> all;
  for (const CommandFactory factory : factories()) all.push_back(factory());
  std::sort(all.begin(), all.end(),
            [](const auto& left, const auto& right) { return left->name() < right->name(); });
  return all;
}

int run_command_line(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const bool has_dashes = dashes != arguments.end();
  const std::vector<std::string> after_dashes(has_dashes ? dashes + 1 : dashes, arguments.end());

  CLI::App app(kSummary, "mcp-assay");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);

  std::vector<Entry> entries;
  for (auto& command : make_commands()) {
    CLI::App* const part =
        app.add_subcommand(std::string(command->name()), std::string(command->summary()));
    entries.push_back({std::move(command), part, nullptr});
  }

  app.formatter_fn([](const CLI::App*, const std::string&, CLI::AppFormatMode) {
    return overview_text(kSummary, describe_commands());
  });

  std::vector<std::string> words(arguments.begin(), dashes);
  const bool asks_for_help = replace_help(words);
  if (asks_for_help && !is_one_subcommand(entries, words)) {
    return usage_error("", unknown_subcommand(entries, words.front()));
  }
  try {
    for (const std::string& more : further_words(entries, words, !after_dashes.empty())) {
      words.push_back(more);
    }
  } catch (const UsageError& error) {
    return usage_error(words.front(), error.text());
  }
  declare_named(entries, words, after_dashes);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    for (const Entry& entry : entries) {
      if (!entry.app->parsed()) continue;
      return usage_error(entry.command->name(),
                         without_tokens(mistake(entry, app, error, has_dashes), arguments));
    }
    return usage_error("", arguments.empty() || arguments.front() == "--"
                               ? error.what()
                               : unknown_subcommand(entries, arguments.front()));
  }
  int status = kUsage;
  std::string why;
  try {
    status = run_parsed(entries, has_dashes);
  } catch (const std::system_error& error) {  // fmt::print, of a standard output that is full
    why = why_not_written(error.code().value());
  }
  if (why.empty()) why = finish_standard_output();
  if (why.empty()) return status;
  fmt::print(stderr, "mcp-assay: {}\n", why);
  return std::max(status, kUsage);
}

}  // namespace assay::cli
