// Scenarios about how calls become tasks of the extension `io.modelcontextprotocol/tasks`, and for
// whom.
//
// Specification: the extension's page, "Capability Negotiation", "Task Creation", "Protocol
// Errors", "Security Considerations".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/guessing.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Of the tools of one server, this many are tried.
constexpr std::size_t kMostDurableTools = 6;
constexpr std::size_t kIdsToCompare = 12;

std::vector<ToolUse> some_durable_tools(Script& script) {
  std::vector<ToolUse> tools = durable_tools(script);
  if (tools.size() > kMostDurableTools) tools.resize(kMostDurableTools);
  return tools;
}

// A task that the client is told of can be asked for at once.
SCENARIO(ext_tasks_can_be_got_at_once, of_extension("tasks"),
         judges({"ext-tasks.durable-before-answer", "ext-tasks.consistency-awaited"})) {
  constexpr RequirementId kRules[] = {"ext-tasks.durable-before-answer",
                                      "ext-tasks.consistency-awaited"};
  bool is_any = false;
  for (const ToolUse& tool : some_durable_tools(script)) {
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    is_any = true;
    const Reply got = get_durable(script.session(), call.id);
    for (const RequirementId rule : kRules) {
      if (got.is_result() || got.is_error(wire::kInvalidParams)) {
        script.check(rule, got.is_result(), got,
                     fmt::format("the task that {} was answered with is not known to a tasks/get "
                                 "right after it",
                                 tool.name));
      } else {
        script.unclear(rule, fmt::format("tasks/get was answered with {}", got.describe()),
                       got.events());
      }
    }
    drop_durable(script.session(), call.id);
  }
  if (is_any) return;
  for (const RequirementId rule : kRules) script.lacks(rule, Ability::kRunsAsTask);
}

bool names_extension(const Reply& reply) {
  const Json& required = member(member(reply.message()->error(), "data"), "requiredCapabilities");
  return member(member(required, "extensions"), tasks_extension().identifier).is_object();
}

// The result that the same call has in the end as a task; null if it does not complete.
Json result_as_task(Script& script, const ToolUse& tool) {
  const DurableCall call = call_durably(script, tool);
  if (!call.is_task()) return nullptr;
  const Reply end = lead_to_end(script, call.id);
  if (!is_at_end(end)) drop_durable(script.session(), call.id);
  return status_of(end) == "completed" ? member(end.result(), "result") : Json();
}

// The same call ends well with the extension: what stands in its way without is the extension.
bool ends_well_as_task(Script& script, const ToolUse& tool) {
  return result_as_task(script, tool).is_object();
}

bool is_failure(const Json& result) {
  return member(result, "isError") == true;
}

// What fails without the extension and succeeds with it, each time, may not do without a task. But
// a tool may also have less time or fewer means where its caller waits.
void note_failure_without_task(Script& script, const ToolUse& tool, const Reply& plain) {
  const auto succeeds = [&] {
    const Json result = result_as_task(script, tool);
    return result.is_object() && !is_failure(result);
  };
  if (!succeeds() || !is_failure(call_plainly(script, tool).result()) || !succeeds()) return;
  script.unclear("ext-tasks.missing-capability-error",
                 fmt::format("a call of {} that does not declare the extension was answered with "
                             "isError in place of error -32021, and succeeds as a task",
                             tool.name),
                 plain.events());
}

void judge_undeclared_call(Script& script, const ToolUse& tool) {
  constexpr RequirementId kTask("ext-tasks.undeclared-no-task");
  constexpr RequirementId kError("ext-tasks.missing-capability-error");
  const Reply reply = call_plainly(script, tool);
  if (reply.is_result()) {
    const Json& result = reply.result();
    const bool is_task =
        text_member(result, "resultType") == "task" || member(result, "taskId").is_string();
    script.check(kTask, !is_task, reply,
                 fmt::format("a call of {} that does not declare the extension was answered with "
                             "a task",
                             tool.name));
    drop_durable(script.session(), std::string(text_member(result, "taskId")));
    if (!is_task && is_failure(result)) note_failure_without_task(script, tool, reply);
    return;
  }
  if (!reply.is_error()) return;
  script.check(kTask, true, reply);
  const std::string what =
      fmt::format("a call of {} that does not declare the extension was answered with {}",
                  tool.name, reply.describe());
  if (reply.is_error(kMissingCapability)) {
    script.check(kError, names_extension(reply), reply,
                 what + ", and data.requiredCapabilities does not name the extension",
                 "/error/data");
  } else if (ends_well_as_task(script, tool)) {
    script.check(kError, false, reply, what + " instead of error -32021", "/error/code");
  }
}

// A client that does not declare the extension with its request gets no task, whatever it declared
// before.
SCENARIO(ext_tasks_need_a_client_that_declares_them, of_extension("tasks"),
         judges({"ext-tasks.undeclared-no-task", "ext-tasks.missing-capability-error"})) {
  const auto tools = some_durable_tools(script);
  if (tools.empty()) {
    script.lacks("ext-tasks.undeclared-no-task", Ability::kRunsAsTask);
    return;
  }
  drop_durable(script.session(), call_durably(script, tools.front()).id);
  for (const ToolUse& tool : tools) judge_undeclared_call(script, tool);
}

// The methods of the extension are refused where a request does not declare it, also for a task
// that its client has.
SCENARIO(ext_tasks_methods_need_a_client_that_declares_them, of_extension("tasks"),
         judges({"ext-tasks.methods-undeclared-error", "ext-tasks.standard-errors"})) {
  constexpr RequirementId kRule("ext-tasks.methods-undeclared-error");
  const auto call = create_any_durable(script, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const auto judge = [&](std::string_view method, Json params) {
    const Reply reply = session.request(method, std::move(params));
    const std::string detail = fmt::format(
        "{} that does not declare the extension was answered with {} instead of error "
        "-32021",
        method, reply.describe());
    script.check(kRule, reply.is_error(kMissingCapability), reply, detail);
    if (reply.is_error()) {
      script.check("ext-tasks.standard-errors", reply.is_error(kMissingCapability), reply, detail,
                   "/error/code");
    }
  };
  judge("tasks/get", {{"taskId", call->id}});
  judge("tasks/update", {{"taskId", call->id}, {"inputResponses", Json::object()}});
  judge("tasks/cancel", {{"taskId", call->id}});
  drop_durable(session, call->id);
}

// Requests of other methods have no tasks, whatever their client declares.
SCENARIO(ext_tasks_come_of_calls_alone, of_extension("tasks"),
         judges({"ext-tasks.supported-methods-only"})) {
  Connection& session = script.session();
  const auto judge = [&](std::string_view method, Json params) {
    const Reply reply = ask_about_tasks(session, method, std::move(params));
    if (!reply.is_result()) return;
    const bool is_task = text_member(reply.result(), "resultType") == "task" &&
                         member(reply.result(), "taskId").is_string();
    script.check("ext-tasks.supported-methods-only", !is_task, reply,
                 fmt::format("{} was answered with a task", method));
  };
  for (const Listing& listing : script.survey().listings()) {
    if (listing.pages > 0) judge(listing.method, Json::object());
  }
  for (const Json& prompt : script.survey().prompts().items) {
    if (!required_arguments(prompt).empty()) continue;
    judge("prompts/get", {{"name", text_member(prompt, "name")}});
    break;
  }
  for (const Json& resource : script.survey().resources().items) {
    if (text_member(resource, "uri").empty()) continue;
    judge("resources/read", {{"uri", text_member(resource, "uri")}});
    break;
  }
}

// Nobody can guess the id of a task.
SCENARIO(ext_tasks_have_ids_that_nobody_guesses, of_extension("tasks"),
         judges({"ext-tasks.ids-unguessable"})) {
  constexpr RequirementId kRule("ext-tasks.ids-unguessable");
  const auto first = create_any_durable(script, {kRule});
  if (!first) return;
  Connection& session = script.session();
  const std::size_t from = session.mark();
  std::vector<std::string> ids = {first->id};
  while (ids.size() < kIdsToCompare) {
    const DurableCall call = call_durably(script, first->tool);
    if (!call.is_task()) break;  // it may limit them
    ids.push_back(call.id);
  }
  if (ids.size() < kFewestIds) {
    script.unclear(kRule, fmt::format("no more than {} tasks could be created", ids.size()));
  } else {
    const std::size_t varying = varying_characters(ids);
    script.check(kRule, varying >= kFewestVaryingCharacters, session.transcript().events(from),
                 fmt::format("{} ids differ in no more than {} characters: {}, {}", ids.size(),
                             varying, ids[0], ids[1]));
  }
  for (const std::string& id : ids) drop_durable(session, id);
}

}  // namespace
}  // namespace assay::scenarios
