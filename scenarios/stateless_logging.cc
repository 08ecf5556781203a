// Scenarios about log messages, which each request asks for by itself.
//
// Specification of 2026-07-28: server/utilities/logging.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/logger_names.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr const char* kMessage = "notifications/message";

std::vector<EventPtr> logged_since(Connection& session, std::size_t from) {
  std::vector<EventPtr> logged;
  for (const EventPtr& event : session.transcript().events(from)) {
    const wire::Message* message = event->is_from_server() ? event->message() : nullptr;
    if (message != nullptr && message->method() == kMessage) logged.push_back(event);
  }
  return logged;
}

Json call_of_logger(Connection& session, const ToolUse& tool) {
  return request_as_sent(session, "tools/call",
                         {{"name", tool.name}, {"arguments", tool.arguments}});
}

// A call without a log level, and what was logged meanwhile.
struct Quiet {
  Reply reply;
  std::vector<EventPtr> heard;
};

// Over HTTP what comes for another request comes on its stream; on one line of traffic the log of
// an earlier call may come late.
std::optional<Quiet> call_quietly(Connection& session, const ToolUse& tool) {
  const std::size_t from = session.mark();
  Quiet quiet{ask(session, call_of_logger(session, tool)), {}};
  if (!quiet.reply.is_result() || !session.fence()) return std::nullopt;
  quiet.heard = logged_since(session, from);
  if (session.http() == nullptr) return quiet;
  const transport::Lane lane = quiet.reply.events().back()->observation.lane;
  std::erase_if(quiet.heard,
                [&](const EventPtr& event) { return event->observation.lane != lane; });
  return quiet;
}

// Only who asks for log messages gets them, with that request and no later one.
SCENARIO(stateless_log_messages_are_asked_for, stateless(), in_turn(),
         judges({"logging.level-requested", "logging.on-requesting-stream-only"})) {
  constexpr RequirementId kRequested("logging.level-requested");
  constexpr RequirementId kOwnStream("logging.on-requesting-stream-only");
  const auto tool = script.tool_with(Ability::kLogs);
  if (!tool) {
    script.lacks(kRequested, Ability::kLogs);
    script.lacks(kOwnStream, Ability::kLogs);
    return;
  }
  Connection& session = script.session();
  Json loud = call_of_logger(session, *tool);
  loud["params"]["_meta"][kLogLevel] = "debug";
  std::size_t from = session.mark();
  const Reply asked = ask(session, loud);
  const auto heard = logged_since(session, from);
  if (!asked.is_result() || heard.empty()) {
    script.not_exercised(kRequested, "a call that asked for log messages brought none",
                         hint(Ability::kLogs));
    script.not_exercised(kOwnStream, "a call that asked for log messages brought none",
                         hint(Ability::kLogs));
    return;
  }
  if (script.transport().answers_in_exchanges()) {
    for (const EventPtr& event : heard) {
      script.check(kOwnStream, event->observation.lane == asked.events().back()->observation.lane,
                   {asked.events().front(), event},
                   "a log message came on another stream than that of its request");
    }
  }
  std::optional<Quiet> quiet = call_quietly(session, *tool);
  if (quiet && !quiet->heard.empty()) {
    session.wait_for(
        session.mark(), [](const Event&) { return false; }, session.patience().grace);
    quiet = call_quietly(session, *tool);
  }
  if (!quiet) return;
  std::vector<EventPtr> evidence = quiet->reply.events();
  if (!quiet->heard.empty()) evidence = {evidence.front(), quiet->heard.front()};
  script.check(kRequested, quiet->heard.empty(), evidence,
               "a request without a log level brought a log message", Crossed{});
}

// The same call logs under the same names.
SCENARIO(stateless_loggers_are_named_alike, stateless(), in_turn(),
         judges({"logging.logger-names-consistent"})) {
  const auto tool = script.tool_with(Ability::kLogs);
  if (!tool) return script.lacks("logging.logger-names-consistent", Ability::kLogs);
  Connection& session = script.session();
  judge_logger_names(script, [&] {
    Json call = call_of_logger(session, *tool);
    call["params"]["_meta"][kLogLevel] = "debug";
    const std::size_t from = session.mark();
    ask(session, call);
    return session.transcript().events(from);
  });
}

// A level that there is not is refused: another word, one that other logs have, one in other
// letters, and what is no word.
SCENARIO(stateless_unknown_log_levels_are_refused, stateless(),
         judges({"logging.invalid-level-error"})) {
  constexpr RequirementId kRule("logging.invalid-level-error");
  Connection& session = script.session();
  if (!session.has_capability("logging")) {
    script.not_applicable(kRule, "the server does not declare logging");
    return;
  }
  if (!serves(script, {kRule})) return;
  const auto judge = [&](Json request, const Json& level) {
    request["params"]["_meta"][kLogLevel] = level;
    const Reply reply = ask(session, request);
    script.check(kRule, reply.is_error(wire::kInvalidParams), reply,
                 fmt::format("{} with {}, which is not a log level, was answered with {}",
                             text_member(request, "method"), level.dump(), reply.describe()));
  };
  for (const Json& level :
       {Json("assay-loud"), Json("warn"), Json("trace"), Json("WARNING"), Json(""), Json(3)}) {
    judge(request_as_sent(session, cheap_method(script)), level);
  }
  const auto tools = plain_tools(script.survey(), script.tool_policy(), 1);
  if (tools.empty() || !ask(session, call_of_logger(session, tools.front())).is_result()) return;
  judge(call_of_logger(session, tools.front()), "warn");
}

}  // namespace
}  // namespace assay::scenarios
