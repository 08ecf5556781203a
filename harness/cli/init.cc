// mcp-assay init: writes the first mcp-assay.yaml of a project.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/project.h"
#include "harness/cli/shell_words.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

// Where clients keep the servers of a project.
constexpr std::array<const char*, 4> kClientFiles{".mcp.json", "mcp.json", ".cursor/mcp.json",
                                                  ".vscode/mcp.json"};

// A text as YAML takes it: JSON is YAML.
std::string yaml_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The folder's name, as the name of a server.
std::string name_of_folder() {
  std::error_code ignored;
  std::string name = std::filesystem::current_path(ignored).filename().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '-';
  }
  return name.empty() ? "server" : name;
}

std::string servers_by_command(const std::vector<std::string>& words) {
  std::string arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    arguments += (i == 1 ? "" : ", ") + yaml_text(words[i]);
  }
  return fmt::format("servers:\n  {}:\n    command: {}\n    args: [{}]\n",
                     yaml_text(name_of_folder()), yaml_text(words.front()), arguments);
}

std::string servers_by_url(const std::string& url) {
  return fmt::format("servers:\n  {}:\n    url: {}\n", yaml_text(name_of_folder()), yaml_text(url));
}

class InitCommand : public Command {
 public:
  std::string_view name() const override { return "init"; }
  std::string_view summary() const override {
    return "Write mcp-assay.yaml, which tells 'server' what to do in this project";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--from", from_, "FILE",
                   "The file with mcpServers or servers to go by (default: .mcp.json, mcp.json, "
                   ".cursor/mcp.json or .vscode/mcp.json, where there is one)");
    arguments.text("--url", url_, "URL", "The MCP endpoint of the project's server");
    arguments.flag("--force", is_forced_, "Replace the file that there is");
    arguments.command_line(command_, "what starts the project's server over stdio");
    arguments.footer(
        "Without any of these, and without such a file, it asks.\n\n"
        "Examples:\n"
        "  mcp-assay init -- node server.js\n"
        "  mcp-assay init --from .mcp.json");
  }

  int run() override {
    std::error_code ignored;
    if (std::filesystem::exists(kProjectFile, ignored) && !is_forced_) {
      throw UsageError(fmt::format("{} is there already; --force replaces it", kProjectFile));
    }
    const std::string text = fmt::format(
        "# What 'mcp-assay server' does in this project. Any option of it may stand here by its "
        "name;\n"
        "# those of the command line win. For editors: mcp-assay schema --of project\n"
        "{}"
        "revision: all\n"
        "report:\n"
        "  - html=mcp-report/{{name}}.html\n"
        "  - json=mcp-report/{{name}}.json\n"
        "# strict: true                      a violated SHOULD fails the run too\n"
        "# profile: known.yaml               what is known of the server\n"
        "# expected-failures: expected.yaml  what need not be fixed yet; --write-expected writes "
        "it\n",
        servers());
    if (const auto error = reports::write_file(kProjectFile, text)) throw UsageError(*error);
    fmt::print("Wrote {}. Run 'mcp-assay server' in this folder, or in one below it.\n",
               kProjectFile);
    return kConformant;
  }

 private:
  std::string servers() const {
    const int ways = (from_.empty() ? 0 : 1) + (url_.empty() ? 0 : 1) + (command_.empty() ? 0 : 1);
    if (ways > 1) throw UsageError("give one of --from, --url, -- COMMAND");
    if (!command_.empty()) return servers_by_command(command_);
    if (!url_.empty()) return servers_by_url(url_);
    if (!from_.empty()) return servers_of_client(from_);
    std::error_code ignored;
    for (const char* each : kClientFiles) {
      if (std::filesystem::is_regular_file(each, ignored)) return servers_of_client(each);
    }
    return asked();
  }

  static std::string servers_of_client(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      throw UsageError(fmt::format("there is no file '{}'", path));
    }
    return fmt::format("config: {}\n", yaml_text(path));
  }

  static std::string asked() {
    if (isatty(STDIN_FILENO) != 1) {
      throw UsageError(
          "there is nobody to ask, and no .mcp.json: give --from, --url or -- COMMAND");
    }
    fmt::print("What starts your server (node server.js), or what is its URL? ");
    std::cout.flush();
    std::string answer;
    std::getline(std::cin, answer);
    if (answer.starts_with("http://") || answer.starts_with("https://"))
      return servers_by_url(answer);
    const std::optional<std::vector<std::string>> words = split_shell_words(answer);
    if (!words || words->empty()) throw UsageError("that is neither a command nor a URL");
    return servers_by_command(*words);
  }

  std::string from_;
  std::string url_;
  bool is_forced_ = false;
  std::vector<std::string> command_;
};

const CommandRegistration<InitCommand> kInitCommandRegistration;

}  // namespace
}  // namespace assay::cli
