#include "fuzz/live/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "fuzz/live/target/text.h"
#include "harness/frame/named_tools.h"
#include "harness/frame/target_words.h"
#include "harness/runner/target.h"

namespace assay::fuzz {
namespace {

constexpr std::chrono::milliseconds kHurriedStart{10'000};

bool holds_sandbox(std::string_view word) {
  return word.find(kSandboxPlace) != std::string_view::npos;
}

bool any_holds_sandbox(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), holds_sandbox);
}

constexpr std::string_view kSchemeCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";

// Keeps what stands beside the sandbox in a value, without the slashes that part them and without
// schemes: "sqlite://" and "file:///" are in too many texts to tell anything, and who quotes the
// rest may leave them out.
void keep_piece(std::string_view piece, const std::string& label, reports::Vault& vault) {
  const std::size_t scheme_end = piece.find_first_not_of(kSchemeCharacters);
  if (scheme_end != piece.npos && piece.substr(scheme_end).starts_with("://")) {
    piece.remove_prefix(scheme_end + 1);
  }
  piece.remove_prefix(std::min(piece.find_first_not_of('/'), piece.size()));
  const std::size_t size = piece.find_last_not_of('/') + 1;
  const bool ends_with_scheme = piece.substr(0, size).ends_with(':') && piece.size() >= size + 2;
  piece = piece.substr(0, size);
  if (ends_with_scheme) {
    piece.remove_suffix(1);
    piece = piece.substr(0, piece.find_last_not_of(kSchemeCharacters) + 1);
  }
  vault.add(std::string(piece), label);
}

// What was given in confidence. Of a value that names the sandbox, unless it says no more than
// where in it something is: what stands around that, and all of it as the command has it.
void keep_secret(const std::vector<std::string>& environment, const Sandbox* sandbox,
                 reports::Vault& vault) {
  for (const auto& [name, value] : cli::parse_environment(environment)) {
    const std::string label = fmt::format("${{{}}}", name);
    if (!holds_sandbox(value)) {
      vault.add(value, label);
      continue;
    }
    if (is_plain_variable(name + "=" + value)) continue;
    if (sandbox != nullptr) {
      std::string filled = value;
      replace_each(filled, kSandboxPlace, sandbox->served());
      vault.add(filled, label);
    }
    std::string_view rest = value;
    for (std::size_t at = rest.find(kSandboxPlace); at != std::string_view::npos;
         at = rest.find(kSandboxPlace)) {
      keep_piece(rest.substr(0, at), label, vault);
      rest.remove_prefix(at + kSandboxPlace.size());
    }
    keep_piece(rest, label, vault);
  }
}

// Who is not told what to serve may serve all that there is.
void demand_sandbox(const std::vector<std::string>& command,
                    const std::vector<std::string>& environment) {
  if (any_holds_sandbox(command) || any_holds_sandbox(environment)) return;
  throw cli::UsageError(fmt::format(
      "with --sandbox the server has to be told what to serve: put {0} into its command, or into a "
      "variable that it reads, such as --env {1}={0}",
      kSandboxPlace, kSandboxVariable));
}

}  // namespace

void TargetOptions::declare(cli::Arguments& arguments, const std::string& command_help) {
  arguments.group("The target");
  arguments.command_line(command_, command_help);
  arguments.text("--url", url_, "URL", "The MCP endpoint of a Streamable HTTP server");
  trust_.declare(arguments);
  arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
  arguments.texts("--env", environment_, "NAME=VALUE",
                  "Set this environment variable for COMMAND (repeatable)");
  arguments.text(
      "--sandbox", sandbox_, "DIR",
      "Look for ways out of a folder, with files in this scratch directory. The server "
      "must serve only DIR/served, which {sandbox} in COMMAND or in an --env stands for");
  arguments.seconds("--timeout", timeout_,
                    "Longest wait for an answer before it counts as missing (default: 5; a start "
                    "has 30, or 10 with this option)");
}

void TargetOptions::set_target(std::vector<std::string> command, std::string url,
                               const std::vector<std::string>& environment) {
  command_ = std::move(command);
  url_ = std::move(url);
  for (const std::string& variable : environment) {
    const std::string begin = variable.substr(0, variable.find('=')) + "=";
    const bool is_given =
        std::any_of(environment_.begin(), environment_.end(),
                    [&](const std::string& given) { return given.starts_with(begin); });
    if (!is_given) environment_.push_back(variable);
  }
}

bool TargetOptions::names_sandbox() const {
  return any_holds_sandbox(command_) || any_holds_sandbox(environment_);
}

std::unique_ptr<Sandbox> TargetOptions::make_sandbox() const {
  if (sandbox_.empty()) return nullptr;
  auto made = Sandbox::make(sandbox_);
  if (const auto* trouble = std::get_if<std::string>(&made)) {
    throw cli::UsageError("--sandbox: " + *trouble);
  }
  return std::get<std::unique_ptr<Sandbox>>(std::move(made));
}

harness::TargetAccess TargetOptions::access(const Sandbox* sandbox) const {
  if (!command_.empty() && !url_.empty()) {
    throw cli::UsageError("give either --url URL or -- COMMAND, not both");
  }
  if (!headers_.empty() && url_.empty()) throw cli::UsageError("--header needs --url");
  trust_.apply();
  if (!environment_.empty() && command_.empty()) throw cli::UsageError("--env needs -- COMMAND");
  if (!command_.empty()) {
    auto environment = cli::parse_environment(environment_);
    std::vector<std::string> command = command_;
    if (sandbox != nullptr) {
      demand_sandbox(command_, environment_);
      const std::string served = sandbox->served();
      for (std::string& word : command) replace_each(word, kSandboxPlace, served);
      for (auto& [name, value] : environment) replace_each(value, kSandboxPlace, served);
      environment.emplace_back(kSandboxVariable, served);
    }
    auto vault = std::make_shared<reports::Vault>();
    keep_secret(environment_, sandbox, *vault);
    auto access = harness::over_stdio({std::move(command), std::move(environment), ""});
    access.vault = std::move(vault);
    return access;
  }
  const auto headers = cli::parse_headers(headers_);
  auto access = harness::over_http({url_, headers});
  if (const auto* failure = std::get_if<transport::Failure>(&access)) {
    throw cli::UsageError(failure->detail);
  }
  auto vault = std::make_shared<reports::Vault>();
  for (const auto& [name, value] : headers) vault->add_field(name, value);
  vault->add_query(url_);
  std::get<harness::TargetAccess>(access).vault = std::move(vault);
  return std::get<harness::TargetAccess>(std::move(access));
}

std::vector<std::pair<std::string, std::string>> TargetOptions::client_environment() const {
  if (!url_.empty() || !headers_.empty() || !sandbox_.empty() || timeout_ != 0) {
    throw cli::UsageError(
        "--url, --header, --sandbox and --timeout are for servers; a client has -- COMMAND");
  }
  return cli::parse_environment(environment_);
}

std::vector<std::string> TargetOptions::sandbox_environment() const {
  std::vector<std::string> named;
  std::copy_if(environment_.begin(), environment_.end(), std::back_inserter(named), holds_sandbox);
  return named;
}

Waits TargetOptions::waits() const {
  Waits waits;
  if (timeout_ == 0) return waits;
  waits.ping = waits.answer = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
  // A start takes longer than an answer, but who is in a hurry does not wait half a minute.
  waits.start = std::max(kHurriedStart, waits.ping);
  return waits;
}

void check_tools(const Vocabulary& words, std::string_view tools) {
  std::vector<std::string> listed = words.forbidden_tools;
  for (const Json& tool : words.tools) listed.push_back(text_member(tool, "name"));
  std::vector<std::string> unlisted;
  for (const std::string& name : harness::ToolPolicy::parse(tools).names) {
    const bool is_there = std::find(listed.begin(), listed.end(), name) != listed.end();
    if (!is_there) unlisted.push_back(name);
  }
  cli::NamedTools(1).note(unlisted, listed);
}

}  // namespace assay::fuzz
