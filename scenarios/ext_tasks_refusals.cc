// Scenarios about requests that name no task of the extension `io.modelcontextprotocol/tasks`, or
// name it in two ways.
//
// Specification: the extension's page, "Streamable HTTP: Routing Headers", "Protocol Errors";
// basic/transports/streamable-http, "Server Validation".
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/stateless_connection.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr const char* kNoDurable = "a55a4000-0000-4000-8000-000000000000";

Json durable_params(std::string_view method, Json id) {
  Json params = {{"taskId", std::move(id)}};
  if (method == "tasks/update") params["inputResponses"] = Json::object();
  return params;
}

void judge_words(Script& script, const Reply& reply, std::string_view method) {
  const std::string_view message = text_member(reply.message()->error(), "message");
  script.check("ext-tasks.errors-informative",
               message.find_first_not_of(" \t\r\n") != std::string_view::npos, reply,
               fmt::format("{} was refused without a word of why", method), "/error/message");
}

void judge_unknown_get(Script& script, const Reply& reply, std::string_view what) {
  const std::string detail = fmt::format(
      "tasks/get {} was answered with {} instead of error -32602", what, reply.describe());
  script.check("ext-tasks.get-unknown-error", reply.is_error(wire::kInvalidParams), reply, detail);
  if (!reply.is_error()) return;
  script.check("ext-tasks.standard-errors", reply.is_error(wire::kInvalidParams), reply, detail,
               "/error/code");
  judge_words(script, reply, "tasks/get");
}

void judge_unknown_other(Script& script, RequirementId rule, const Reply& reply,
                         std::string_view method) {
  const std::string detail =
      fmt::format("{} for an unknown task was answered with {}", method, reply.describe());
  script.check(rule, reply.is_error(), reply, detail);
  if (!reply.is_error()) return;
  script.check("ext-tasks.unknown-error-code", reply.is_error(wire::kInvalidParams), reply,
               detail + " instead of error -32602", "/error/code");
  judge_words(script, reply, method);
}

// An id that is of no task is refused by each method, and so is one that nearly is.
SCENARIO(ext_tasks_refuse_unknown_ids, of_extension("tasks"),
         judges({"ext-tasks.get-unknown-error", "ext-tasks.update-unknown-error",
                 "ext-tasks.cancel-unknown-error", "ext-tasks.unknown-error-code",
                 "ext-tasks.standard-errors", "ext-tasks.errors-informative"})) {
  Connection& session = script.session();
  const auto ask = [&](std::string_view method, Json id) {
    return ask_about_tasks(session, method, durable_params(method, std::move(id)));
  };
  judge_unknown_get(script, ask("tasks/get", kNoDurable), "for an unknown task");
  judge_unknown_other(script, "ext-tasks.update-unknown-error", ask("tasks/update", kNoDurable),
                      "tasks/update");
  judge_unknown_other(script, "ext-tasks.cancel-unknown-error", ask("tasks/cancel", kNoDurable),
                      "tasks/cancel");
  const auto tools = durable_tools(script);
  const DurableCall call =
      tools.empty() ? DurableCall{{}, session.probe(), ""} : call_durably(script, tools.front());
  if (call.is_task()) {
    judge_unknown_get(script, ask("tasks/get", call.id + "0"),
                      "with the id of a task and one character more");
    drop_durable(session, call.id);
  }
  // Over HTTP the header could not say it.
  if (session.http() != nullptr) return;
  const auto on_purpose = session.malformed_on_purpose();
  judge_unknown_get(script, ask("tasks/get", 7), "with a number for an id");
}

// The header that routes a request about a task says what the body says.
SCENARIO(ext_tasks_routing_headers_are_validated, of_extension("tasks"), over_http(),
         judges({"ext-tasks.routing-header-validated"})) {
  constexpr RequirementId kRule("ext-tasks.routing-header-validated");
  const auto call = create_any_durable(script, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const auto request = [&](std::string_view method) {
    return request_as_sent(session, method, durable_params(method, call->id),
                           capabilities_with(session.revision(), tasks_extension()));
  };
  const Json sane = request("tasks/get");
  const HttpAnswer served = post_as_is(session, sane, fields_of(sane));
  if (!served.is_served()) {
    script.unclear(kRule,
                   fmt::format("an unchanged tasks/get was answered with {}", served.describe()),
                   served.events);
    drop_durable(session, call->id);
    return;
  }
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    const auto judge = [&](const Json& body, transport::Headers fields, std::string_view what) {
      const HttpAnswer answer = post_as_is(session, body, std::move(fields));
      script.check(kRule, has_error(answer, kHeaderMismatch), answer.events,
                   fmt::format("{} {} was answered with {}", method, what, answer.describe()));
    };
    const Json wrong = request(method);
    judge(wrong, with(fields_of(wrong), kNameField, kNoDurable),
          "with an Mcp-Name of another task");
    const Json bare = request(method);
    judge(bare, without(fields_of(bare), kNameField), "without an Mcp-Name");
  }
  drop_durable(session, call->id);
}

}  // namespace
}  // namespace assay::scenarios
