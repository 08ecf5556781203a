// Scenarios about log messages and their levels.
//
// Specification: server/utilities/logging.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/logger_names.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// RFC 5424, least severe first.
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

std::size_t severity(std::string_view level) {
  return static_cast<std::size_t>(std::find(kLevels.begin(), kLevels.end(), level) -
                                  kLevels.begin());
}

// A level that there is not is refused as invalid params: another word, one that other logs have,
// one in other letters, what is no word, and none.
SCENARIO(logging_refuses_unknown_levels, judges({"logging.invalid-level-error"})) {
  if (!script.session().has_capability("logging")) return;
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const Json& params :
       {Json{{"level", "assay"}}, Json{{"level", "warn"}}, Json{{"level", "trace"}},
        Json{{"level", "WARNING"}}, Json{{"level", ""}}, Json{{"level", 3}}, Json::object()}) {
    const Reply reply = script.request("logging/setLevel", params);
    if (reply.is_error(wire::kMethodNotFound)) {
      script.unclear("logging.invalid-level-error", "the server does not serve logging/setLevel",
                     reply.events());
      return;
    }
    script.check("logging.invalid-level-error", reply.is_error(wire::kInvalidParams), reply,
                 fmt::format("logging/setLevel with {}, which names no level, was answered with {}",
                             params.dump(), reply.describe()));
  }
}

// After logging/setLevel nothing less severe is logged, whichever of the eight levels it names.
SCENARIO(logging_respects_every_level, in_turn(), judges({"logging.session-level-respected"})) {
  constexpr catalogue::RequirementId kRule = "logging.session-level-respected";
  if (!script.is_declared("logging")) return;
  const auto tool = script.tool_with(Ability::kLogsEveryLevel);
  if (!tool) {
    script.lacks(kRule, Ability::kLogsEveryLevel);
    return;
  }
  Connection& session = script.session();
  session.listen();
  // The most severe first: what is logged late is never below a level that was set meanwhile.
  for (auto next = kLevels.rbegin(); next != kLevels.rend(); ++next) {
    const std::string_view level = *next;
    const Reply set = session.request("logging/setLevel", {{"level", level}});
    if (!set.is_result()) {
      script.unclear(kRule, fmt::format("the level {} could not be set", level), set.events());
      continue;
    }
    session.fence();     // the level holds for certain
    script.call(*tool);  // the monitor judges what is logged
    session.fence();
  }
}

// The messages of the server's log since `from`.
std::vector<EventPtr> logged(Connection& session, std::size_t from) {
  std::vector<EventPtr> messages;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->method() == "notifications/message") messages.push_back(event);
  }
  return messages;
}

// What any server does, and may log: lists, reads, plain calls. False if something of it was not
// answered, and may go on.
bool keep_busy(Script& script) {
  constexpr std::size_t kMostCalls = 4;
  bool is_all_answered = true;
  const auto note = [&](const Reply& reply) {
    is_all_answered = is_all_answered && reply.is_answered();
  };
  for (const Listing& listing : script.survey().listings()) {
    if (listing.is_declared) note(script.request(listing.method));
  }
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    note(script.request("resources/read", {{"uri", member(resource, "uri")}}));
    break;
  }
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    note(script.call(tool));
  }
  if (const auto tool = script.tool_with(Ability::kLogs)) note(script.call(*tool));
  return is_all_answered;
}

// What was logged at the lowest level is not logged at the highest: no tool needs to be known for
// it. That nothing comes below a level is judged by the monitor.
SCENARIO(logging_grows_quiet_when_told, in_turn(), judges({"logging.session-level-respected"})) {
  if (!script.is_declared("logging")) return;
  Connection& session = script.session();
  session.listen();
  if (!session.request("logging/setLevel", {{"level", kLevels.front()}}).is_result()) return;
  session.fence();
  std::size_t from = session.mark();
  // What still runs may have looked at the level before it is raised, and be heard after.
  if (!keep_busy(script) || !session.fence()) return;
  const std::vector<EventPtr> before = logged(session, from);
  const bool is_any_lower = std::any_of(before.begin(), before.end(), [](const EventPtr& event) {
    return severity(text_member(event->message()->params(), "level")) + 1 < kLevels.size();
  });
  if (!is_any_lower) return;
  // What was logged before may come late.
  session.wait_for(
      session.mark(), [](const Event&) { return false; }, session.patience().grace);
  if (!session.request("logging/setLevel", {{"level", kLevels.back()}}).is_result()) return;
  session.fence();
  from = session.mark();
  keep_busy(script);
  if (!session.fence() || !logged(session, from).empty()) return;
  script.check("logging.session-level-respected", true, before, "");
}

// A tool that logs is called, so that monitors see its messages.
SCENARIO(logging_can_be_watched, judges({"logging.capability-declared"})) {
  constexpr catalogue::RequirementId kRule = "logging.capability-declared";
  if (const auto tool = script.tool_with(Ability::kLogs)) {
    script.call(*tool);
    return;
  }
  const bool is_declared = script.session().has_capability("logging");
  if (!is_declared &&
      script.request("logging/setLevel", {{"level", "debug"}}).is_error(wire::kMethodNotFound)) {
    return script.not_applicable(kRule, "the server neither declares logging nor serves it");
  }
  script.lacks(kRule, Ability::kLogs);
}

// The same call logs under the same names.
SCENARIO(logging_names_its_loggers_alike, judges({"logging.logger-names-consistent"})) {
  const auto tool = script.tool_with(Ability::kLogs);
  if (!tool) return script.lacks("logging.logger-names-consistent", Ability::kLogs);
  judge_logger_names(script, [&] {
    const std::size_t from = script.session().mark();
    script.call(*tool);
    return script.session().transcript().events(from);
  });
}

}  // namespace
}  // namespace assay::scenarios
