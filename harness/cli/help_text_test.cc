#include "harness/frame/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "harness/cli/command_line_testing.h"

namespace assay::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandInfo example() {
  CommandInfo info;
  info.name = "roast";
  info.summary = "Roast beans";
  OptionInfo light;
  light.names = {"--light"};
  light.help = "Stop early";
  OptionInfo output;
  output.names = {"-o", "--output"};
  output.placeholder = "A-NAME-THAT-IS-LONG|none";
  output.help = "Put them here";
  output.group = "Beans";
  info.options = {light, output};
  return info;
}

TEST(HelpText, HasAHeadingForEachGroup) {
  EXPECT_EQ(help_text(example()),
            "Roast beans\n\n"
            "Usage: mcp-assay roast [OPTIONS]\n\n"
            "Options:\n"
            "  --light                   Stop early\n\n"
            "Beans:\n"
            "  -o, --output A-NAME-THAT-IS-LONG|none\n"
            "                            Put them here\n"
            "  -h, --help                Show this help\n");
}

TEST(HelpText, ShowsTheCommandFirstInItsGroup) {
  CommandInfo info = example();
  info.command_line_help = "What roasts";
  info.command_line_group = "Beans";
  EXPECT_THAT(help_text(info), HasSubstr("Usage: mcp-assay roast [OPTIONS] [-- COMMAND [ARG...]]"));
  EXPECT_THAT(help_text(info), HasSubstr("Beans:\n  -- COMMAND [ARG...]       What roasts\n"));
}

TEST(HelpText, NamesTheCommandOnceWhereGroupsAlternate) {
  CommandInfo info = example();
  info.command_line_help = "What roasts";
  const std::string text = help_text(info);
  EXPECT_EQ(text.find("What roasts"), text.rfind("What roasts"));
}

// Of every subcommand, its footer included.
TEST(HelpText, FitsIntoItsWidth) {
  for (const CommandInfo& command : describe_commands()) {
    std::istringstream lines(help_text(command));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), kHelpWidth) << command.name << ": " << line;
    }
  }
}

TEST(HelpText, NamesEverySubcommandOnce) {
  const std::string text = overview_text("Summary", describe_commands());
  for (const CommandInfo& command : describe_commands()) {
    const std::string line = "\n  " + command.name + " ";
    const std::string alone = "\n  " + command.name + "\n";
    EXPECT_NE(text.find(line) == std::string::npos, text.find(alone) == std::string::npos)
        << command.name;
  }
}

TEST(HelpText, IsWhatHelpPrints) {
  EXPECT_THAT(run_captured({"bench", "--help"}).out, Not(HasSubstr("INT in")));
  EXPECT_THAT(run_captured({"--help"}).out, HasSubstr("Usage: mcp-assay SUBCOMMAND"));
}

}  // namespace
}  // namespace assay::cli
