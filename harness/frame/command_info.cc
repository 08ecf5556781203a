#include "harness/frame/command_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> out;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) out.push_back(name);
  return out;
}

// Writes down what a subcommand declares.
class ArgumentsRecorder : public Arguments {
 public:
  explicit ArgumentsRecorder(CommandInfo& info) : info_(info) {}

  void group(const std::string& title) override { group_ = title; }
  void flag(const std::string& names, bool& /*value*/, const std::string& help) override {
    add(names, "", {}, help);
  }
  void text(const std::string& names, std::string& /*value*/, const std::string& placeholder,
            const std::string& help) override {
    add(names, placeholder, {}, help);
  }
  void texts(const std::string& names, std::vector<std::string>& /*values*/,
             const std::string& placeholder, const std::string& help) override {
    add(names, placeholder, {}, help);
    info_.options.back().is_repeatable = true;
  }
  void number(const std::string& names, std::int64_t& /*value*/, std::int64_t minimum,
              std::int64_t maximum, const std::string& placeholder,
              const std::string& help) override {
    add(names, placeholder, {}, help);
    info_.options.back().range = {static_cast<double>(minimum), static_cast<double>(maximum), true};
  }
  void seconds(const std::string& names, double& /*value*/, const std::string& help) override {
    add(names, "SECONDS", {}, help);
    info_.options.back().range = {kShortestSeconds, kLongestSeconds, false};
  }
  void choice(const std::string& names, std::string& /*value*/,
              const std::vector<std::string>& choices, const std::string& help) override {
    add(names, fmt::format("{}", fmt::join(choices, "|")), choices, help);
  }
  void positional(const std::string& name, std::string& /*value*/, bool is_required,
                  const std::string& help) override {
    info_.positionals.push_back({name, help, is_required, false, {}});
  }
  void positional_choice(const std::string& name, std::string& /*value*/,
                         const std::vector<std::string>& choices,
                         const std::string& help) override {
    info_.positionals.push_back({name, help, true, false, choices});
  }
  void positionals(const std::string& name, std::vector<std::string>& /*values*/, bool is_required,
                   const std::string& help) override {
    info_.positionals.push_back({name, help, is_required, true, {}});
  }
  void command_line(std::vector<std::string>& /*words*/, const std::string& help) override {
    info_.command_line_help = help;
    info_.command_line_group = group_;
  }
  void footer(const std::string& text) override { info_.footer = text; }

 private:
  void add(const std::string& names, const std::string& placeholder,
           const std::vector<std::string>& choices, const std::string& help) {
    info_.options.push_back(
        {split_names(names), placeholder, choices, help, false, std::nullopt, group_});
  }

  CommandInfo& info_;
  std::string group_;
};

}  // namespace

std::string why_not_in_range(const NumberRange& range, const std::string& text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                         (!range.is_whole || std::floor(number) == number);
  if (is_number && number >= range.minimum && number <= range.maximum) return "";
  return fmt::format("is not a {}number from {} to {}", range.is_whole ? "whole " : "",
                     range.minimum, range.maximum);
}

CommandInfo describe(Command& command) {
  CommandInfo info{.name = std::string(command.name()),
                   .summary = std::string(command.summary()),
                   .options = {},
                   .positionals = {},
                   .command_line_help = "",
                   .command_line_group = "",
                   .footer = ""};
  ArgumentsRecorder recorder(info);
  command.declare(recorder);
  return info;
}

std::vector<CommandInfo> describe_commands() {
  std::vector<CommandInfo> all;
  for (const std::unique_ptr<Command>& command : make_commands()) all.push_back(describe(*command));
  return all;
}

}  // namespace assay::cli
