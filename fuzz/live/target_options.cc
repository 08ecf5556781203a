#include "fuzz/live/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "harness/runner/target.h"

namespace assay::fuzz {
namespace {

constexpr std::chrono::milliseconds kHurriedStart{10'000};

// "K: V" as curl takes it.
transport::Headers parse_headers(const std::vector<std::string>& texts) {
  transport::Headers headers;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
      throw cli::UsageError(fmt::format("--header takes 'NAME: VALUE', not '{}'", text));
    }
    const std::size_t value = text.find_first_not_of(" \t", colon + 1);
    headers.emplace_back(text.substr(0, colon),
                         value == std::string::npos ? std::string() : text.substr(value));
  }
  return headers;
}

}  // namespace

void TargetOptions::declare(cli::Arguments& arguments, const std::string& command_help) {
  arguments.text("--url", url_, "URL", "The Streamable HTTP server at this MCP endpoint");
  arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
  arguments.texts("--env", environment_, "K=V", "Set this for the command (repeatable)");
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

harness::TargetAccess TargetOptions::access() const {
  if (!command_.empty() && !url_.empty()) {
    throw cli::UsageError("give either --url URL or -- COMMAND, not both");
  }
  if (!headers_.empty() && url_.empty()) throw cli::UsageError("--header needs --url");
  if (!environment_.empty() && command_.empty()) throw cli::UsageError("--env needs -- COMMAND");
  for (const std::string& assignment : environment_) {
    if (assignment.find('=') == std::string::npos || assignment.front() == '=') {
      throw cli::UsageError(fmt::format("--env takes K=V, not '{}'", assignment));
    }
  }
  if (!command_.empty()) return harness::over_stdio({command_, environment_, ""});
  auto access = harness::over_http({url_, parse_headers(headers_)});
  if (const auto* failure = std::get_if<transport::Failure>(&access)) {
    throw cli::UsageError(failure->detail);
  }
  return std::get<harness::TargetAccess>(std::move(access));
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
