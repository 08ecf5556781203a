// mcp-assay init: writes the first mcp-assay.yaml of a project.
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/interop_file.h"
#include "harness/cli/interop_template.h"
#include "harness/frame/command.h"
#include "harness/frame/shell_words.h"
#include "harness/project/file_schemas.h"
#include "harness/project/project.h"
#include "harness/project/project_guess.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_list.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

// What editors complete and check the project's file by.
constexpr const char* kSchemaFile = "mcp-assay.schema.json";
constexpr const char* kInteropSchemaFile = "mcp-interop.schema.json";

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

// One server of the project: what it is reached by, as lines of YAML.
std::string one_server(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out = fmt::format("servers:\n  {}:\n", yaml_text(name_of_folder()));
  for (const auto& [name, value] : members) out += fmt::format("    {}: {}\n", name, value);
  return out;
}

std::string servers_by_command(const std::vector<std::string>& words) {
  std::string arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    arguments += (i == 1 ? "" : ", ") + yaml_text(words[i]);
  }
  return one_server({{"command", yaml_text(words.front())}, {"args", "[" + arguments + "]"}});
}

std::string servers_by_url(const std::string& url) {
  return one_server({{"url", yaml_text(url)}});
}

// Reads back what is to be written: it has to be what was asked for. Throws UsageError.
void check_command(const std::string& text, const std::vector<std::string>& command) {
  std::vector<std::string> words;
  const auto empty = [](const std::string&) -> std::optional<std::string> { return ""; };
  for (const ListedServer& server : parse_server_list(text, {kProjectFile, true, ""}, {}, empty)) {
    for (const ListedText& word : server.words) words.push_back(word.value);
  }
  if (words == command) return;
  throw UsageError(
      "the file cannot hold this command: it has text that is not UTF-8, or '${', which begins the "
      "name of a variable there");
}

// The same of a URL, but for one with variables, whose values are somebody else's.
void check_url(const std::string& text, const std::string& url) {
  if (url.find("${") != std::string::npos) return;
  make_jobs(parse_server_list(text, {kProjectFile, true, ""}, {}));
}

class InitCommand : public Command {
 public:
  std::string_view name() const override { return "init"; }
  std::string_view summary() const override { return "Write mcp-assay.yaml for this project"; }

  void declare(Arguments& arguments) override {
    arguments.command_line(command_, "The command that starts the project's server, over stdio");
    arguments.text("--from", from_, "FILE",
                   "Take the servers of this file (default: .mcp.json, mcp.json, .cursor/mcp.json "
                   "or .vscode/mcp.json)");
    arguments.text("--url", url_, "URL", "The MCP endpoint of the project's server");
    arguments.flag(
        "--interop", is_interop_,
        "Write mcp-interop.yaml instead: a matrix of clients and servers, for 'mcp-assay "
        "interop'");
    arguments.flag("--force", is_forced_, "Replace an existing file");
    arguments.footer(
        "Without any of these, and without such a file, it takes what package.json, "
        "pyproject.toml, go.mod or\n"
        "Cargo.toml says, or asks you.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay init -- node server.js\n"
        "  mcp-assay init --interop -- node server.js\n"
        "  mcp-assay init --from .mcp.json");
  }

  int run() override {
    const char* path = is_interop_ ? kInteropFile : kProjectFile;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !is_forced_) {
      throw UsageError(fmt::format("{} exists already; --force replaces it", path));
    }
    return is_interop_ ? write_matrix() : write_project();
  }

 private:
  int write_project() const {
    const std::string reached = servers();
    const std::string allowed = tools();
    const std::string text = fmt::format(
        "# The options of 'mcp-assay server' in this project. The command line overrides them.\n"
        "# yaml-language-server: $schema=./{}\n"
        "{}"
        "revision: all\n"
        "{}\n"
        "report:\n"
        "  - html=mcp-report/{{name}}.html\n"
        "  - json=mcp-report/{{name}}.json\n"
        "# strict: true                      a violated SHOULD fails the run too\n"
        "# profile: known.yaml               what is known about the server\n"
        "# expected-failures: expected.yaml  known violations; --write-expected writes the list\n",
        kSchemaFile, reached, allowed);
    write(kProjectFile, text);
    write(kSchemaFile, file_schema("project").dump(2) + "\n");
    fmt::print(
        "Wrote {}, and {} for editors. Run 'mcp-assay server' in this folder, or in one below "
        "it.\n",
        kProjectFile, kSchemaFile);
    return kConformant;
  }

  // With the servers that a project would have.
  int write_matrix() const {
    const std::string text = servers();
    std::vector<ListedServer> found;
    const auto unset = [](const std::string&) -> std::optional<std::string> { return ""; };
    if (text.starts_with("config: ")) {
      const std::string path =
          nlohmann::json::parse(text.substr(8), nullptr, false).get<std::string>();
      found = read_server_list({path}, {}, unset);
    } else {
      found = parse_server_list(text, {kProjectFile, true, ""}, {}, unset);
    }
    write(kInteropFile, interop_template(found, kInteropSchemaFile));
    write(kInteropSchemaFile, file_schema("interop").dump(2) + "\n");
    fmt::print(
        "Wrote {}, and {} for editors. Name your clients in it, and run 'mcp-assay interop'.\n",
        kInteropFile, kInteropSchemaFile);
    return kConformant;
  }

  static void write(const char* path, const std::string& text) {
    if (const auto error = reports::write_file(path, text)) throw UsageError(*error);
  }

  // Which tools may be called, asked once where somebody is there to answer.
  static std::string tools() {
    constexpr const char* kNothing =
        "# tools: safe                       also call tools whose names say that they only read";
    if (isatty(STDIN_FILENO) != 1) return kNothing;
    fmt::print(
        "Tools can change things. mcp-assay calls those that declare readOnlyHint. May it also "
        "call tools whose\nname and description say that they only read (get, list, search)? "
        "[y/N] ");
    std::cout.flush();
    std::string answer;
    std::getline(std::cin, answer);
    return answer.starts_with('y') || answer.starts_with('Y') ? "tools: safe" : kNothing;
  }

  // Lines that name the servers, and that are proved to.
  std::string servers() const {
    const int ways = (from_.empty() ? 0 : 1) + (url_.empty() ? 0 : 1) + (command_.empty() ? 0 : 1);
    if (ways > 1) throw UsageError("give one of --from, --url, -- COMMAND");
    if (!command_.empty()) return by_command(command_);
    if (!url_.empty()) return by_url(url_);
    if (!from_.empty()) return by_client_file(from_);
    std::error_code ignored;
    for (const char* each : kClientFiles) {
      if (std::filesystem::is_regular_file(each, ignored)) return by_client_file(each);
    }
    const std::optional<StartGuess> guess = guess_start(".");
    if (isatty(STDIN_FILENO) == 1) return asked(guess);
    if (guess) return guessed(*guess);
    throw UsageError(
        "standard input is not a terminal, and there is no .mcp.json, package.json, "
        "pyproject.toml, "
        "go.mod or Cargo.toml that says what starts the server: give --from, --url or -- COMMAND");
  }

  static std::string guessed(const StartGuess& guess) {
    const std::string text =
        fmt::format("# Guessed from {}: check that this starts your server, over stdio.\n{}",
                    guess.from, by_command(guess.words));
    fmt::print("Guessed from {}: {}\n", guess.from, shown(guess.words));
    return text;
  }

  static std::string shown(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words)
      out += (out.empty() ? "" : " ") + reports::shell_word(word);
    return reports::printable_line(out);
  }

  static std::string by_command(const std::vector<std::string>& words) {
    std::string text = servers_by_command(words);
    check_command(text, words);
    return text;
  }

  static std::string by_url(const std::string& url) {
    std::string text = servers_by_url(url);
    check_url(text, url);
    return text;
  }

  static std::string by_client_file(const std::string& path) {
    server_names({path});  // throws for what is no such file
    return fmt::format("config: {}\n", yaml_text(path));
  }

  static std::string asked(const std::optional<StartGuess>& guess) {
    fmt::print("What starts your server (node server.js), or what is its URL? ");
    if (guess)
      fmt::print("\nEnter alone takes what {} says: {}\n> ", guess->from, shown(guess->words));
    std::cout.flush();
    std::string answer;
    std::getline(std::cin, answer);
    if (answer.empty() && guess) return guessed(*guess);
    if (answer.starts_with("http://") || answer.starts_with("https://")) return by_url(answer);
    const std::optional<std::vector<std::string>> words = split_shell_words(answer);
    if (!words || words->empty()) throw UsageError("that is neither a command nor a URL");
    return by_command(*words);
  }

  std::string from_;
  std::string url_;
  bool is_forced_ = false;
  bool is_interop_ = false;
  std::vector<std::string> command_;
};

const CommandRegistration<InitCommand> kInitCommandRegistration;

}  // namespace
}  // namespace assay::cli
