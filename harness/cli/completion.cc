// mcp-assay completion: the completion of the command line, for a shell.
#include <fmt/format.h>

#include <string>

#include "harness/cli/command.h"
#include "harness/cli/completion_scripts.h"

namespace assay::cli {
namespace {

class CompletionCommand : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override {
    return "Print what completes this command line in bash, zsh or fish";
  }
  void declare(Arguments& arguments) override {
    arguments.positional("SHELL", shell_, true, "bash, zsh or fish");
    arguments.footer(
        "Packages install it. Elsewhere, in the file that the shell reads when it starts:\n"
        "  bash, zsh:  source <(mcp-assay completion bash)\n"
        "  fish:       mcp-assay completion fish | source");
  }
  int run() override {
    const auto commands = describe_commands();
    if (shell_ == "bash") {
      fmt::print("{}", bash_completion(commands));
    } else if (shell_ == "zsh") {
      fmt::print("{}", zsh_completion(commands));
    } else if (shell_ == "fish") {
      fmt::print("{}", fish_completion(commands));
    } else {
      throw UsageError("only bash, zsh and fish are known");
    }
    return kConformant;
  }

 private:
  std::string shell_;
};

const CommandRegistration<CompletionCommand> kCompletionCommandRegistration;

}  // namespace
}  // namespace assay::cli
