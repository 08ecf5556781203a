// Scenarios about the results of tasks: when they come, and that they are what the plain request
// would have given.
//
// Specification: basic/utilities/tasks, "Result Retrieval", "Task Execution Errors".
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// What of a result is the tool's: without the metadata that tells whose it is.
Json without_related_task(Json result) {
  const auto meta = result.find("_meta");
  if (meta == result.end() || !meta->is_object()) return result;
  meta->erase(kRelatedTask);
  if (meta->empty()) result.erase(meta);
  return result;
}

// The result of a task that a look at it, now, shows completed; nothing is said if it is not.
void judge_result_of_completed(Script& script, const std::string& id, const Reply& result) {
  const Reply after = get_task(script.session(), id);
  if (status_of(after) != "completed") {
    script.unclear("tasks.result-of-terminal",
                   fmt::format("the task did not complete: {}", status_of(after)), after.events());
    return;
  }
  if (result.kind() == Reply::Kind::kGone) return;
  script.check(
      "tasks.result-of-terminal", result.is_result(), result,
      fmt::format("tasks/result of a completed task was answered with {}", result.describe()));
}

// Asks for the result of a task, on several lanes where lanes have no common order: an answer that
// one of them delays shows on another that it came early.
std::vector<Pending> ask_for_result(Script& script, const std::string& id) {
  constexpr std::size_t kMostLanes = 3;
  Connection& session = script.session();
  const std::size_t lanes = script.transport().has_order() ? 1 : kMostLanes;
  std::vector<Pending> asked;
  for (std::size_t i = 0; i < lanes; ++i) {
    asked.push_back(session.start("tasks/result", {{"taskId", id}}));
  }
  return asked;
}

std::optional<Reply> first_of(Connection& session, const std::vector<Pending>& asked) {
  for (const Pending& each : asked) {
    if (auto reply = session.poll(each)) return reply;
  }
  return std::nullopt;
}

// The one that is answered first; what the first came to where none is.
Reply await_first_of(Connection& session, const std::vector<Pending>& asked) {
  const std::size_t from = session.mark();
  std::optional<Reply> first = first_of(session, asked);
  const auto is_there = [&](const Event&) {
    first = first_of(session, asked);
    return first.has_value();
  };
  if (!first) session.wait_for(from, is_there, task_patience(session));
  return first ? *first : session.await(asked.front());
}

// The result comes when the task is at its end, and not before.
SCENARIO(tasks_give_their_result_at_their_end, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.result-blocks", "tasks.result-of-terminal"})) {
  const auto rules = {RequirementId("tasks.result-blocks"),
                      RequirementId("tasks.result-of-terminal")};
  const auto tool = task_tool(script, Ability::kTaskTakesTime, rules);
  if (!tool) return;
  Connection& session = script.session();
  const TaskCall call = create_task(session, *tool, "assay-result");
  if (!call.is_created()) {
    no_task(script, call, rules);
    return;
  }
  const std::vector<Pending> asked = ask_for_result(script, call.id);
  const Reply meanwhile = get_task(session, call.id);
  const bool was_early = first_of(session, asked).has_value();
  const Reply result = await_first_of(session, asked);
  if (!result.is_answered()) {
    script.unclear("tasks.result-blocks", "tasks/result was not answered", result.events());
  } else {
    const Reply after = get_task(session, call.id);
    const bool goes_on = after.is_result() && !is_at_end(after);
    const bool is_failure = result.is_error(wire::kInternalError);
    if (goes_on && !is_failure) {
      script.check("tasks.result-blocks", false, {result.events().back(), after.events().back()},
                   fmt::format("tasks/result was answered with {}, but the task is still {}",
                               result.describe(), status_of(after)),
                   Crossed{});
    } else if (meanwhile.is_result() && !is_at_end(meanwhile) && !was_early && !goes_on) {
      script.check("tasks.result-blocks", true, result);
    } else {
      script.unclear("tasks.result-blocks", "the task had ended before its result was asked for");
    }
  }
  for (const Pending& each : asked) session.await(each);
  await_end(session, call.id);
  judge_result_of_completed(script, call.id,
                            session.request("tasks/result", {{"taskId", call.id}}));
  // What is said of a task at its end is said again: the monitor compares.
  if (session.has_capability("tasks.list")) session.request("tasks/list");
  get_task(session, call.id);
  session.fence();
}

// A plain call and a task of the same tool, under way together.
struct Both {
  std::optional<Reply> plain;
  std::optional<Reply> again;   // a second plain call
  std::optional<Reply> result;  // of the task
};

Both call_both_ways(Script& script, const ToolUse& tool,
                    std::initializer_list<RequirementId> rules) {
  Connection& session = script.session();
  Both both;
  if (task_support(*script.survey().tool(tool.name)) != "optional") {
    for (const RequirementId rule : rules) {
      script.not_exercised(rule, "the tool cannot be called as a plain request as well",
                           "a tool whose taskSupport is optional");
    }
    return both;
  }
  const Json plain = {{"name", tool.name}, {"arguments", tool.arguments}};
  const Pending first = session.start("tools/call", plain);
  const Pending second = session.start("tools/call", plain);
  const TaskCall call = create_task(session, tool);
  both.plain = session.await(first, task_patience(session));
  both.again = session.await(second, task_patience(session));
  if (!call.is_created()) {
    no_task(script, call, rules);
    return both;
  }
  if (!is_at_end(await_end(session, call.id))) {
    for (const RequirementId rule : rules) script.unclear(rule, "the task did not end in time");
    return both;
  }
  both.result = session.request("tasks/result", {{"taskId", call.id}});
  return both;
}

// The result of a task is that of the plain call.
SCENARIO(tasks_give_the_result_of_the_plain_call, with_tasks(), judges({"tasks.result-exact"})) {
  constexpr RequirementId kRule = "tasks.result-exact";
  const auto tool = task_tool(script, Ability::kRunsAsTask, {kRule});
  if (!tool) return;
  const Both both = call_both_ways(script, *tool, {kRule});
  if (!both.result) return;
  if (!both.plain->is_result() || !both.result->is_result()) {
    script.unclear(kRule, "one of the two calls did not give a result", both.result->events());
  } else if (both.plain->result() != both.again->result()) {
    script.unclear(kRule, "two plain calls of the tool differ already", both.again->events());
  } else {
    script.check(
        kRule,
        without_related_task(both.result->result()) == without_related_task(both.plain->result()),
        {both.plain->events().back(), both.result->events().back()},
        "the result of the task differs from that of the plain call");
  }
}

// A tool that fails in its result fails in the same result as a task.
SCENARIO(tasks_give_the_failure_of_a_tool, with_tasks(), judges({"tasks.result-same-response"})) {
  constexpr RequirementId kRule = "tasks.result-same-response";
  const auto tool = task_tool(script, Ability::kTaskFails, {kRule});
  if (!tool) return;
  const Both both = call_both_ways(script, *tool, {kRule});
  if (!both.result) return;
  if (member(both.plain->result(), "isError") != true ||
      both.plain->result() != both.again->result()) {
    script.unclear(kRule, "the plain call did not give the same failure each time",
                   both.plain->events());
    return;
  }
  const bool is_same = both.result->is_result() && without_related_task(both.result->result()) ==
                                                       without_related_task(both.plain->result());
  script.check(kRule, is_same, {both.plain->events().back(), both.result->events().back()},
               fmt::format("the plain call gives a result with isError, but tasks/result was "
                           "answered with {} that is not the same",
                           both.result->describe()));
}

// A call that ends in an error of JSON-RPC ends in the same error as a task.
SCENARIO(tasks_give_the_error_of_the_call, with_tasks(), judges({"tasks.result-same-error"})) {
  constexpr RequirementId kRule = "tasks.result-same-error";
  const auto tool = task_tool(script, Ability::kTaskRefused, {kRule});
  if (!tool) return;
  const Both both = call_both_ways(script, *tool, {kRule});
  if (!both.result) return;
  const auto error = [](const std::optional<Reply>& reply) {
    return reply->message() ? member(reply->message()->json(), "error") : Json();
  };
  if (!both.plain->is_error() || error(both.plain) != error(both.again)) {
    script.unclear(kRule, "the plain call did not end in the same error each time",
                   both.plain->events());
    return;
  }
  script.check(kRule, error(both.result) == error(both.plain),
               {both.plain->events().back(), both.result->events().back()},
               fmt::format("the plain call ends in an error, but tasks/result was answered with {} "
                           "that is not the same",
                           both.result->describe()));
}

// How to call a tool that has an output schema as a task; nothing where it may or can not be.
std::optional<ToolUse> structured_task_use(const Script& script, const Json& tool) {
  const std::string name(text_member(tool, "name"));
  if (!member(tool, "outputSchema").is_object() || task_support(tool) == "forbidden" ||
      !script.may_call(name)) {
    return std::nullopt;
  }
  const KnownTool* known = script.profile().tool(name);
  if (known != nullptr && !known->uses.empty()) return known->uses.front();
  const auto arguments = sample_arguments(member(tool, "inputSchema"));
  return arguments ? std::optional(ToolUse{.name = name, .arguments = *arguments}) : std::nullopt;
}

// The result of a task conforms to the output schema of its tool, as that of a plain call does: the
// monitor compares them.
SCENARIO(tasks_give_structured_results, lengthy(), with_tasks(),
         judges({"tools.structured-content-conforms"})) {
  constexpr std::size_t kMostTools = 2;
  Connection& session = script.session();
  std::size_t tried = 0;
  for (const Json& tool : script.survey().tools().items) {
    const auto use = structured_task_use(script, tool);
    if (!use) continue;
    if (tried++ == 0) session.request("tools/list");
    const TaskCall call = create_task(session, *use);
    if (call.is_created() && is_at_end(await_end(session, call.id))) {
      session.request("tasks/result", {{"taskId", call.id}});
    }
    if (tried == kMostTools) return;
  }
}

}  // namespace
}  // namespace assay::scenarios
