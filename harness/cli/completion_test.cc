// Completions and the manual page are made from what the subcommands declare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command_line_testing.h"
#include "harness/cli/completion_scripts.h"
#include "harness/frame/command.h"
#include "harness/frame/command_info.h"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

std::string printed(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_captured(arguments);
  EXPECT_EQ(outcome.status, kConformant);
  return outcome.out;
}

// What bash would offer for the words of a line, the last of which is being written.
std::string bash_offers(const std::string& script, const std::string& words,
                        const std::string& folder = ".") {
  const std::string path = ::testing::TempDir() + "mcp-assay-completion.bash";
  std::ofstream(path) << script;
  const std::string line = "cd '" + folder + "' && bash --norc -c 'source " + path +
                           " && COMP_WORDS=(" + words +
                           ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _mcp_assay 2>&1; "
                           "printf \"%s;\" \"${COMPREPLY[@]}\"'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(line.c_str(), "r"), ::pclose);
  std::string out;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) out += static_cast<char>(c);
  return out;
}

TEST(Completion, NamesEverySubcommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = printed({"completion", shell});
    for (const CommandInfo& command : describe_commands()) {
      EXPECT_THAT(script, HasSubstr(command.name)) << shell;
      for (const OptionInfo& option : command.options) {
        for (const std::string& name : option.names) {
          const std::string bare = name.substr(name.find_first_not_of('-'));
          EXPECT_THAT(script, HasSubstr(bare)) << shell << " " << command.name;
        }
      }
    }
  }
}

TEST(Completion, OffersInBashWhatFits) {
  const std::string script = bash_completion(describe_commands());
  EXPECT_EQ(bash_offers(script, "mcp-assay serv"), "server;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --expe"), "--expected-failures;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --color al"), "always;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --revision 2025-11"), "2025-11-25;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --color = n"), "never;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --report js"), "json=;");
  EXPECT_EQ(bash_offers(script, "mcp-assay completion f"), "fish;");
  EXPECT_EQ(bash_offers(script, "mcp-assay list fau"), "faults;");
  EXPECT_EQ(bash_offers(script, "mcp-assay client --revision al"), "all;");
  EXPECT_EQ(bash_offers(script, "mcp-assay client --profile insp"), "inspector-cli;");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --profile insp"), ";");
  EXPECT_EQ(bash_offers(script, "mcp-assay server --profile server-ev"), "server-everything;");
  EXPECT_EQ(bash_offers(script, "mcp-assay bench --rate 2"), ";") << "R is a rate there";
}

TEST(Completion, OffersNamesWithBlanksInBash) {
  const std::string folder = ::testing::TempDir() + "mcp-assay-completion";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/my file.yaml") << "";
  const std::string script = bash_completion(describe_commands());
  for (const char* words :
       {"mcp-assay server --project my", "mcp-assay tap --watch my",
        "mcp-assay server --project = my", "mcp-assay server --report html = my",
        "mcp-assay server --report = html = my", "mcp-assay server --project my\\\\\\ f",
        "mcp-assay validate my", "mcp-assay server -- cat my"}) {
    EXPECT_EQ(bash_offers(script, words, folder), "my file.yaml;") << words;
  }
  EXPECT_EQ(bash_offers(script, "mcp-assay server --project no", folder), "none;");
  std::filesystem::remove_all(folder);
}

TEST(Completion, RefusesAShellThatItDoesNotKnow) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_command_line({"completion", "tcsh"}), kUsage);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("not one of bash, zsh, fish"));
}

TEST(Manual, TellsOfEverySubcommandAndOption) {
  const std::string page = printed({"manual"});
  EXPECT_THAT(page, ::testing::StartsWith(".TH MCP\\-ASSAY 1 "));
  for (const CommandInfo& command : describe_commands()) {
    for (const OptionInfo& option : command.options) {
      std::string name;
      for (const char c : option.names.front())
        name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr("\\fB" + name + "\\fR")) << command.name;
    }
  }
  for (const char* variable : {"MCP_ASSAY_WATCH", "MCP_ASSAY_CLIENT_SECRET", "BROWSER"}) {
    EXPECT_THAT(page, HasSubstr(variable));
  }
}

}  // namespace
}  // namespace assay::cli
