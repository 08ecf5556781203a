#include "fuzz/live/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "harness/cli/target_words.h"
#include "harness/runner/target.h"

namespace assay::fuzz {
namespace {

constexpr std::chrono::milliseconds kHurriedStart{10'000};

std::vector<std::string> told_of(const Sandbox* sandbox, std::vector<std::string> command) {
  if (sandbox == nullptr) return command;
  const std::string served = sandbox->served();
  for (std::string& word : command) {
    for (std::size_t at = word.find(kSandboxPlace); at != std::string::npos;
         at = word.find(kSandboxPlace, at + served.size())) {
      word.replace(at, kSandboxPlace.size(), served);
    }
  }
  return command;
}

}  // namespace

void TargetOptions::declare(cli::Arguments& arguments, const std::string& command_help) {
  arguments.text("--url", url_, "URL", "The Streamable HTTP server at this MCP endpoint");
  arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
  arguments.texts("--env", environment_, "K=V", "Set this for the command (repeatable)");
  arguments.text("--sandbox", sandbox_, "DIR",
                 "A scratch directory. The server is to serve DIR/served, which stands in place of "
                 "{sandbox} in the command and in MCP_ASSAY_SANDBOX, and nothing else: files "
                 "beside it with content that nobody can guess must not come back");
  arguments.seconds(
      "--timeout", timeout_,
      "How long to wait for an answer before it counts as missing (default: 5; a start "
      "has 30, or 10 with this option)");
  arguments.command_line(command_, command_help);
}

void TargetOptions::set_target(std::vector<std::string> command, std::string url) {
  command_ = std::move(command);
  url_ = std::move(url);
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
  if (!environment_.empty() && command_.empty()) throw cli::UsageError("--env needs -- COMMAND");
  if (!command_.empty()) {
    auto environment = cli::parse_environment(environment_);
    if (sandbox != nullptr) environment.emplace_back(kSandboxVariable, sandbox->served());
    return harness::over_stdio({told_of(sandbox, command_), std::move(environment), ""});
  }
  auto access = harness::over_http({url_, cli::parse_headers(headers_)});
  if (const auto* failure = std::get_if<transport::Failure>(&access)) {
    throw cli::UsageError(failure->detail);
  }
  return std::get<harness::TargetAccess>(std::move(access));
}

std::vector<std::pair<std::string, std::string>> TargetOptions::client_environment() const {
  if (!url_.empty() || !headers_.empty() || !sandbox_.empty() || timeout_ != 0) {
    throw cli::UsageError(
        "--url, --header, --sandbox and --timeout are for servers; a client has -- COMMAND");
  }
  return cli::parse_environment(environment_);
}

Waits TargetOptions::waits() const {
  Waits waits;
  if (timeout_ == 0) return waits;
  waits.ping = waits.answer = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
  // A start takes longer than an answer, but who is in a hurry does not wait half a minute.
  waits.start = std::max(kHurriedStart, waits.ping);
  return waits;
}

}  // namespace assay::fuzz
