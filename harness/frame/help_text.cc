#include "harness/frame/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace assay::cli {
namespace {

constexpr std::size_t kHelpColumn = 28;

struct Topic {
  std::string_view title;
  std::vector<std::string_view> commands;
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"Test",
       {"server", "client", "authorization", "interop", "surface", "annotations", "profile",
        "init"}},
      {"Judge traffic", {"tap", "watch", "judge", "validate"}},
      {"Fuzz and measure", {"fuzz", "replay", "fuzz-parser", "bench"}},
      {"Work with reports", {"show", "report", "compare", "merge", "baseline"}},
      {"Look things up", {"list", "explain", "schema", "manual", "completion"}},
      {"Reference peers",
       {"reference-server", "reference-client", "reference-authorization-server"}}};
  return all;
}

// `name`, and `text` from the column of help on, in as many lines as it takes.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  std::size_t column = out.size();
  if (column + 2 > kHelpColumn) {
    out += "\n";
    column = 0;
  }
  bool is_first = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= kHelpWidth;
    if (!is_first && fits) {
      out += " " + word;
      column += 1 + word.size();
      continue;
    }
    if (!is_first) {
      out += "\n";
      column = 0;
    }
    out += std::string(kHelpColumn - column, ' ') + word;
    column = kHelpColumn + word.size();
    is_first = false;
  }
  return out + "\n";
}

std::string name_of(const OptionInfo& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  return option.placeholder.empty() ? names : names + " " + option.placeholder;
}

std::string usage_of(const CommandInfo& command) {
  std::string out = fmt::format("Usage: mcp-assay {} [OPTIONS]", command.name);
  for (const PositionalInfo& each : command.positionals) {
    const std::string name = each.name + (each.is_repeatable ? "..." : "");
    out += each.is_required ? " " + name : " [" + name + "]";
  }
  if (!command.command_line_help.empty()) out += " [-- COMMAND [ARG...]]";
  return out + "\n";
}

void open_group(std::string& out, const std::string& title) {
  out += fmt::format("\n{}:\n", title.empty() ? "Options" : title);
}

}  // namespace

std::string help_text(const CommandInfo& command) {
  std::string out = command.summary + "\n\n" + usage_of(command);
  if (!command.positionals.empty()) open_group(out, "Arguments");
  for (const PositionalInfo& each : command.positionals) {
    out += entry(each.name + (each.is_repeatable ? "..." : ""), each.help);
  }
  bool is_command_told = command.command_line_help.empty();
  std::string group;
  bool is_group_open = false;
  const auto begin = [&](const std::string& title) {
    if (is_group_open && title == group) return;
    open_group(out, title);
    group = title;
    is_group_open = true;
    if (is_command_told || title != command.command_line_group) return;
    out += entry("-- COMMAND [ARG...]", command.command_line_help);
    is_command_told = true;
  };
  if (!is_command_told) begin(command.command_line_group);
  for (const OptionInfo& option : command.options) {
    begin(option.group);
    out += entry(name_of(option), option.help);
  }
  if (!is_group_open) begin("");
  out += entry("-h, --help", "Show this help");
  if (command.footer.empty()) return out;
  return out + "\n" + command.footer + (command.footer.ends_with('\n') ? "" : "\n");
}

std::string overview_text(const std::string& summary, const std::vector<CommandInfo>& commands) {
  std::string out = summary + "\n\nUsage: mcp-assay SUBCOMMAND [OPTIONS]\n";
  std::vector<std::string> told;
  const auto tell = [&](const CommandInfo& command) {
    out += entry(command.name, command.summary);
    told.push_back(command.name);
  };
  for (const Topic& topic : topics()) {
    open_group(out, std::string(topic.title));
    for (const std::string_view name : topic.commands) {
      const auto at = std::find_if(commands.begin(), commands.end(),
                                   [&](const CommandInfo& each) { return each.name == name; });
      if (at != commands.end()) tell(*at);
    }
  }
  open_group(out, "Started by other programs");
  for (const CommandInfo& each : commands) {
    if (std::find(told.begin(), told.end(), each.name) == told.end()) tell(each);
  }
  open_group(out, "Options");
  out += entry("-h, --help", "Show this help");
  out += entry("--version", "Show the version, the commit and the catalogue");
  return out + "\nRun 'mcp-assay SUBCOMMAND --help' for the options of one.\n";
}

}  // namespace assay::cli
