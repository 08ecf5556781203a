#include "harness/runner/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Beyond this nobody pastes a command; the transcript serves better.
constexpr std::size_t kLongestCommand = 8'000;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_handshake(const Event& event) {
  if (event.message() == nullptr) return false;
  const std::string_view method = event.message()->method();
  return method == "initialize" || method == "notifications/initialized";
}

// Ids that a target makes up anew for each task and session.
bool names_a_task(const Event& event) {
  if (event.message() == nullptr) return false;
  const Json& params = event.message()->params();
  const Json& meta = member(params, "_meta");
  return !member(params, "taskId").is_null() ||
         !member(meta, "io.modelcontextprotocol/related-task").is_null();
}

bool names_a_session(const Event& event) {
  const auto* http = event.observation.http();
  return http && std::any_of(http->headers.begin(), http->headers.end(), [](const auto& header) {
           return transport::lower_case(header.first) == "mcp-session-id";
         });
}

// The handshake, and what of the evidence was sent.
std::string over_stdio(const TargetAccess& access, std::span<const EventPtr> transcript,
                       std::span<const EventPtr> evidence) {
  const auto is_evidence = [&](const EventPtr& event) {
    return std::find(evidence.begin(), evidence.end(), event) != evidence.end();
  };
  const std::uint64_t last = evidence.back()->n;
  std::string words;
  for (const EventPtr& event : transcript) {
    if (event->n > last) break;
    if (!event->is_sent() || event->observation.kind != Kind::kLine) continue;
    if (!is_handshake(*event) && !is_evidence(event)) continue;
    if (!is_printable(event->observation.bytes()) || names_a_task(*event)) return "";
    words += ' ';
    words += shell_quote(event->observation.bytes());
    if (words.size() > kLongestCommand) return "";
  }
  if (words.empty()) return "";
  return fmt::format("(printf '%s\\n'{}; sleep 2) | {}", words, access.shell_form);
}

std::string over_http(std::span<const EventPtr> evidence, std::span<const EventPtr> transcript,
                      std::string_view url) {
  const auto lane = evidence.back()->observation.lane;
  for (const EventPtr& event : transcript) {
    const auto& observation = event->observation;
    if (observation.lane != lane || observation.kind != Kind::kHttpRequest || !observation.http()) {
      continue;
    }
    if (names_a_session(*event) || names_a_task(*event)) return "";
    std::string command = fmt::format("curl -i -X {}", observation.http()->method);
    for (const auto& [key, value] : observation.http()->headers) {
      const std::string name = transport::lower_case(key);
      // curl sets these itself, and credentials stay out of reports.
      if (name == "host" || name == "content-length" || name == "connection" ||
          name == "user-agent" || name == "authorization" || name == "cookie") {
        continue;
      }
      command += fmt::format(" -H {}", shell_quote(key + ": " + value));
    }
    if (!observation.bytes().empty()) {
      if (!is_printable(observation.bytes())) return "";
      command += fmt::format(" --data-binary {}", shell_quote(observation.bytes()));
    }
    command += fmt::format(" {}", url);
    return command.size() > kLongestCommand ? "" : command;
  }
  return "";
}

}  // namespace

std::string shell_quote(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string reproduce(const TargetAccess& access, std::span<const EventPtr> transcript,
                      std::span<const EventPtr> evidence) {
  if (evidence.empty() || !evidence.back() || access.shell_form.empty()) return "";
  if (access.kind == TransportKind::kStdio) {
    return over_stdio(access, transcript, evidence);
  }
  if (access.kind == TransportKind::kHttp) {
    return over_http(evidence, transcript, access.shell_form);
  }
  return "";
}

std::string reproduce_with_suite(const TargetAccess& access, model::Revision revision,
                                 std::string_view scenario) {
  if (access.shell_form.empty()) return "";
  const auto target = [&access]() -> std::string_view {
    switch (access.kind) {
      case TransportKind::kStdio:
        return "--";
      case TransportKind::kHttp:
        return "--url";
      case TransportKind::kHttpSse:
        return "--sse-url";
    }
    return "";
  };
  return fmt::format("mcp-assay server --revision {} --scenario {} --verbose {} {}",
                     revision.text(), shell_quote(scenario), target(), access.shell_form);
}

}  // namespace assay::harness
