// mcp-assay completion: the completion of the command line, for a shell.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/completion_scripts.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const std::vector<CommandInfo>& commands);
};
constexpr Shell kShells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

class CompletionCommand : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "Print completions for bash, zsh or fish"; }
  void declare(Arguments& arguments) override {
    std::vector<std::string> shells;
    for (const Shell& each : kShells) shells.emplace_back(each.name);
    arguments.positional_choice("SHELL", shell_, shells, "bash, zsh or fish");
    arguments.footer(
        "Packages install it. Elsewhere, in the file that the shell reads when it starts:\n"
        "  bash, zsh:  source <(mcp-assay completion bash)\n"
        "  fish:       mcp-assay completion fish | source");
  }
  int run() override {
    for (const Shell& each : kShells) {
      if (each.name == shell_) fmt::print("{}", each.script(describe_commands()));
    }
    return kConformant;
  }

 private:
  std::string shell_;
};

const CommandRegistration<CompletionCommand> kCompletionCommandRegistration;

}  // namespace
}  // namespace assay::cli
