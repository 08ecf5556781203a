#include "harness/runner/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "harness/script/json_member.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"
#include "reference/wire/message.h"
#include "reports/escape.h"
#include "reports/vault.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Beyond this nobody pastes a command; the transcript serves better.
constexpr std::size_t kLongestCommand = 8'000;

// What a report would have to spell out does not reach the shell as it was.
bool is_printable(std::string_view text) {
  return reports::printable_line(text) == text;
}

bool is_handshake(const Event& event) {
  if (event.message() == nullptr) return false;
  const std::string_view method = event.message()->method();
  return method == "initialize" || method == "notifications/initialized";
}

// Ids and states that a target makes up anew for each task and session; and what is asked of tasks
// that were made before.
bool names_a_task(const Event& event) {
  if (event.message() == nullptr) return false;
  const Json& params = event.message()->params();
  const Json& meta = member(params, "_meta");
  return event.message()->method().starts_with("tasks/") || !member(params, "taskId").is_null() ||
         !member(params, "requestState").is_null() ||
         !member(member(params, "notifications"), "taskIds").is_null() ||
         !member(meta, "io.modelcontextprotocol/related-task").is_null();
}

bool names_a_session(const Event& event) {
  const auto* http = event.observation.http();
  return http && std::any_of(http->headers.begin(), http->headers.end(), [](const auto& header) {
           const std::string name = transport::lower_case(header.first);
           return name == "mcp-session-id" || name == "last-event-id";
         });
}

// "Authorization: $AUTHORIZATION", in quotes: the value stays with the reader.
std::string variable_field(std::string_view name) {
  std::string variable;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    variable += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return fmt::format("\"{}: ${{{}}}\"", name, variable);
}

bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

bool is_secret(const TargetAccess& access, std::string_view name) {
  return reports::is_credential_field(name) ||
         std::any_of(access.secret_headers.begin(), access.secret_headers.end(),
                     [&](const std::string& secret) {
                       return transport::lower_case(secret) == transport::lower_case(name);
                     });
}

// The same of a transcript's "Bearer token#2", where several tokens were given.
std::string token_field(std::string_view name, std::string_view value) {
  constexpr std::string_view kLabel = "Bearer token#";
  const bool is_label = value.starts_with(kLabel) && value.size() > kLabel.size() &&
                        value.find_first_not_of("0123456789", kLabel.size()) == value.npos;
  if (!is_label) return variable_field(name);
  return fmt::format("\"{}: Bearer ${{TOKEN_{}}}\"", name, value.substr(kLabel.size()));
}

// The fields of the exchange as options of curl; nothing if they cannot be shown.
std::optional<std::string> field_options(const TargetAccess& access,
                                         const transport::HttpHead& head, bool has_body) {
  std::string out;
  for (const auto& [key, value] : head.headers) {
    const std::string name = transport::lower_case(key);
    // curl sets these itself.
    if (name == "host" || name == "content-length" || name == "connection" ||
        name == "user-agent") {
      continue;
    }
    if (!is_plain_name(key) || !is_printable(value)) return std::nullopt;
    if (!is_secret(access, name)) {
      out += " -H " + reports::shell_word(key + ": " + value);
    } else {
      out += " -H " + (access.tokens.size() > 1 ? token_field(key, value) : variable_field(key));
    }
  }
  // And these it would add.
  if (!transport::find_header(head.headers, "accept")) out += " -H Accept:";
  if (has_body && !transport::find_header(head.headers, "content-type")) {
    out += " -H Content-Type:";
  }
  return out;
}

bool is_answer(const wire::Message& message) {
  return message.kind() == wire::MessageKind::kResult ||
         message.kind() == wire::MessageKind::kError;
}

// The messages that the event carries: those in a batch, or the one that it is.
std::span<const wire::Message> messages_in(const Event& event) {
  const wire::Message* message = event.message();
  if (message == nullptr) return {};
  if (message->kind() == wire::MessageKind::kBatch) return message->members();
  return {message, 1};
}

bool is_answer_to(const wire::Message& answer, const Event& request) {
  if (!answer.id() || !request.is_from_client()) return false;
  const auto asked = messages_in(request);
  return std::any_of(asked.begin(), asked.end(), [&](const wire::Message& each) {
    return each.kind() == wire::MessageKind::kRequest && each.id() == answer.id();
  });
}

// Everything that the server said in the evidence answers a request that is in it: what else was
// sent before matters little.
bool explains_itself(std::span<const EventPtr> evidence) {
  return std::all_of(evidence.begin(), evidence.end(), [&](const EventPtr& event) {
    if (!event->is_from_server()) return event->carries_message();
    const auto said = messages_in(*event);
    return !said.empty() && std::all_of(said.begin(), said.end(), [&](const wire::Message& each) {
      return is_answer(each) &&
             std::any_of(evidence.begin(), evidence.end(),
                         [&](const EventPtr& request) { return is_answer_to(each, *request); });
    });
  });
}

// How a request was answered: with a result that holds something, an empty one, an error, or not
// yet.
std::string kind_of_answer(std::span<const EventPtr> transcript, const Event& request) {
  for (const EventPtr& event : transcript.subspan(request.n)) {
    for (const wire::Message& said : messages_in(*event)) {
      if (!event->is_from_server() || !is_answer_to(said, request)) continue;
      const bool is_empty = said.kind() == wire::MessageKind::kResult && said.result().empty();
      return is_empty ? "an empty result" : std::string(wire::name(said.kind()));
    }
  }
  return "";
}

// The same was asked before, and answered in another way: what came in between matters.
bool was_answered_otherwise(std::span<const EventPtr> transcript,
                            std::span<const EventPtr> evidence) {
  const auto is_same = [](const Event& one, const Event& other) {
    return one.message()->method() == other.message()->method() &&
           one.message()->params() == other.message()->params();
  };
  const auto is_request = [](const Event& event) {
    return event.is_from_client() && event.message() != nullptr &&
           event.message()->kind() == wire::MessageKind::kRequest;
  };
  return std::any_of(evidence.begin(), evidence.end(), [&](const EventPtr& asked) {
    if (!is_request(*asked)) return false;
    const std::string kind = kind_of_answer(transcript, *asked);
    const auto before = transcript.first(static_cast<std::size_t>(asked->n) - 1);
    return std::any_of(before.begin(), before.end(), [&](const EventPtr& earlier) {
      return is_request(*earlier) && is_same(*earlier, *asked) &&
             kind_of_answer(transcript, *earlier) != kind;
    });
  });
}

// What a server may remember: a call, a subscription, a level.
bool leaves_state(const Event& event) {
  if (!event.is_from_client()) return false;
  const auto sent = messages_in(event);
  return std::any_of(sent.begin(), sent.end(), [](const wire::Message& each) {
    const std::string_view method = each.method();
    return method == "tools/call" || method == "subscriptions/listen" ||
           method == "resources/subscribe" || method == "resources/unsubscribe" ||
           method == "logging/setLevel";
  });
}

// Something of the kind was asked before the evidence was: what the server remembers of it may be
// why it answers so.
bool follows_state(std::span<const EventPtr> transcript, std::span<const EventPtr> evidence) {
  return std::any_of(evidence.begin(), evidence.end(), [&](const EventPtr& asked) {
    if (!leaves_state(*asked)) return false;
    const auto before = transcript.first(static_cast<std::size_t>(asked->n) - 1);
    return std::any_of(before.begin(), before.end(),
                       [](const EventPtr& earlier) { return leaves_state(*earlier); });
  });
}

// Where nothing answered the last of the evidence, what cancelled something meanwhile is why: the
// number of that event, or of the last of the evidence.
std::uint64_t end_of_waiting(std::span<const EventPtr> transcript, const Event& last) {
  if (last.is_from_server()) return last.n;
  std::uint64_t end = last.n;
  for (const EventPtr& event : transcript.subspan(static_cast<std::size_t>(last.n))) {
    const bool is_sent = event->is_from_client() && event->message() != nullptr;
    if (is_sent && event->message()->method() == "notifications/cancelled") end = event->n;
  }
  return end;
}

bool is_of(std::span<const EventPtr> transcript, const EventPtr& event) {
  return event->n > 0 && event->n <= transcript.size() && transcript[event->n - 1] == event;
}

// The handshake, and what of the evidence was sent; or, where that alone shows nothing, all that
// was sent in a short session. Without a handshake a first server/discover stands for it: a server
// may go by what it remembers of that one, though it should not.
std::string over_stdio(const TargetAccess& access, std::span<const EventPtr> transcript,
                       std::span<const EventPtr> evidence) {
  constexpr int kLongestSession = 24;  // lines that a person may read
  std::uint64_t first = evidence.back()->n;
  for (const EventPtr& event : evidence) {
    // What takes two sessions to show does not fit into one command.
    if (!is_of(transcript, event)) return "";
    first = std::min(first, event->n);
  }
  const bool is_whole = !explains_itself(evidence) ||
                        was_answered_otherwise(transcript, evidence) ||
                        follows_state(transcript, evidence);
  const std::uint64_t last = end_of_waiting(transcript, *evidence.back());
  std::string words;
  int lines = 0;
  bool is_nothing_sent = true;
  for (const EventPtr& event : transcript) {
    if (event->n > last) break;
    if (event->is_from_server() || event->observation.kind != Kind::kLine) continue;
    // What was sent between the parts of the evidence may be what it is about.
    const bool is_between = event->n >= first;
    const bool is_first = std::exchange(is_nothing_sent, false) && event->message() != nullptr &&
                          event->message()->method() == "server/discover";
    if (!is_whole && !is_first && !is_handshake(*event) && !is_between) continue;
    // An answer to a question that was not asked yet is none.
    const auto sent = messages_in(*event);
    if (std::any_of(sent.begin(), sent.end(), is_answer)) return "";
    if (!is_printable(event->observation.bytes()) || names_a_task(*event)) return "";
    words += ' ';
    words += reports::shell_word(event->observation.bytes());
    if (words.size() > kLongestCommand || ++lines > kLongestSession) return "";
  }
  if (words.empty()) return "";
  return fmt::format("(printf '%s\\n'{}; sleep 2) | {}", words, access.shell_form);
}

std::string over_http(const TargetAccess& access, std::span<const EventPtr> evidence,
                      std::span<const EventPtr> transcript) {
  const auto lane = evidence.back()->observation.lane;
  const bool is_one_exchange =
      std::all_of(evidence.begin(), evidence.end(), [&](const EventPtr& event) {
        return event->observation.lane == lane && is_of(transcript, event);
      });
  if (!is_one_exchange || follows_state(transcript, evidence)) return "";
  for (const EventPtr& event : transcript) {
    const auto& observation = event->observation;
    if (observation.lane != lane || observation.kind != Kind::kHttpRequest || !observation.http()) {
      continue;
    }
    if (names_a_session(*event) || names_a_task(*event)) return "";
    const std::string_view body = observation.bytes();
    const auto fields = field_options(access, *observation.http(), !body.empty());
    if (!fields || !is_printable(body)) return "";
    // A stream need not end by itself.
    std::string command =
        fmt::format("curl -i -N -m 10 -X {}{}", observation.http()->method, *fields);
    if (!body.empty()) command += fmt::format(" --data-raw {}", reports::shell_word(body));
    // Brackets and braces mean a range of addresses to curl.
    if (access.shell_form.find_first_of("[]{}") != std::string::npos) command += " --globoff";
    command += fmt::format(" {}", access.shell_form);
    return command.size() > kLongestCommand ? "" : command;
  }
  return "";
}

}  // namespace

std::string reproduce(const TargetAccess& access, std::span<const EventPtr> transcript,
                      std::span<const EventPtr> proof) {
  // A proof may have a gap where something was not found.
  std::vector<EventPtr> evidence(proof.begin(), proof.end());
  std::erase(evidence, nullptr);
  if (evidence.empty() || !proof.back() || access.shell_form.empty()) return "";
  if (access.kind.has_process()) {
    return over_stdio(access, transcript, evidence);
  }
  if (access.kind.is_streamable_http()) {
    return over_http(access, evidence, transcript);
  }
  return "";
}

std::string reproduce_with_suite(const TargetAccess& access, model::Revision revision,
                                 std::string_view scenario) {
  if (access.shell_form.empty()) return "";
  const auto target = [&access]() -> std::string_view {
    switch (access.kind.value()) {
      case TransportKind::Value::kStdio:
        return "--";
      case TransportKind::Value::kHttp:
        return "--url";
      case TransportKind::Value::kHttpSse:
        return "--sse-url";
    }
    return "";
  };
  std::string fields;
  if (access.issuer) {
    fields += fmt::format(" --auth-server --auth-server-port {}", access.issuer->port());
  } else if (!access.tokens.empty()) {
    fields += " --auth-token-file \"${AUTH_TOKEN_FILE}\"";
  }
  if (access.upstream)
    fields += fmt::format(" --upstream --upstream-port {}", access.upstream->port());
  for (const std::string& name : access.secret_headers) {
    if (!is_plain_name(name)) return "";
    fields += " --header " + variable_field(name);
  }
  const std::string chosen =
      scenario.empty() ? "" : fmt::format(" --scenario {}", reports::shell_word(scenario));
  return fmt::format("mcp-assay server --revision {}{} --verbose{} {} {}", revision.text(), chosen,
                     fields, target(), access.shell_form);
}

}  // namespace assay::harness
