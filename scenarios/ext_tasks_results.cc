// Scenarios about how tasks of the extension `io.modelcontextprotocol/tasks` end: with the result
// or the error that the request would have had.
//
// Specification: the extension's page, "Task Polling", "Task Cancellation", "Task Execution
// Errors".
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// What a tool has said, without what says how a whole request went, and who answered.
Json said_by_tool(const Json& result) {
  Json said = result;
  if (!said.is_object()) return said;
  said.erase("resultType");
  said.erase("_meta");
  if (said.value("isError", Json()) == false) said.erase("isError");
  return said;
}

// How a plain call ends, where it ends twice in the same way: one that does not is no measure.
std::optional<Reply> plain_end(Script& script, const ToolUse& tool) {
  const Reply first = call_plainly(script, tool);
  const Reply second = call_plainly(script, tool);
  if (first.is_result() && second.is_result()) {
    const bool is_same = said_by_tool(first.result()) == said_by_tool(second.result());
    return is_same ? std::optional(second) : std::nullopt;
  }
  const bool is_same_error = first.is_error() && second.is_error() &&
                             first.error_code() == second.error_code() &&
                             !first.is_error(kMissingCapability);
  return is_same_error ? std::optional(second) : std::nullopt;
}

std::string_view error_text(const Json& error) {
  return text_member(error, "message");
}

// A task that has ended is still there, for as long as it was promised.
void judge_keeping(Script& script, const DurableCall& call, Clock::time_point asked) {
  constexpr RequirementId kRule("ext-tasks.kept-for-ttl");
  const Json& ttl = member(call.reply.result(), "ttlMs");
  const Reply again = get_durable(script.session(), call.id);
  const auto passed =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked).count();
  const bool is_over = ttl.is_number_integer() && ttl.get<std::int64_t>() <= passed;
  if (again.is_result()) {
    script.check(kRule, true, again);
  } else if (again.is_error(wire::kInvalidParams) && !is_over &&
             (ttl.is_null() || ttl.is_number_integer())) {
    script.check(
        kRule, false, {call.reply.events().back(), again.events().back()},
        fmt::format("the task was gone after {} ms, and its ttlMs is {}", passed, ttl.dump()));
  }
}

void judge_durable_result(Script& script, const DurableCall& call, const Reply& end) {
  constexpr RequirementId kRule("ext-tasks.same-result");
  const auto plain = plain_end(script, call.tool);
  if (!plain || !plain->is_result()) return;
  const bool is_plain = text_member(plain->result(), "resultType") == "complete";
  if (!is_plain || status_of(end) != "completed") return;
  script.check(
      kRule, said_by_tool(member(end.result(), "result")) == said_by_tool(plain->result()),
      {plain->events().back(), end.events().back()},
      fmt::format("the result of {} as a task is another one than without a task", call.tool.name));
}

// A task ends with what the tool would have said without it, and is kept for a while.
SCENARIO(ext_tasks_end_with_their_results, of_extension("tasks"), lengthy(),
         judges({"ext-tasks.same-result", "ext-tasks.kept-for-ttl"})) {
  constexpr std::size_t kMostEnds = 4;
  std::size_t ends = 0;
  std::vector<ToolUse> tools = script.tools_with(Ability::kRunsAsTask);
  for (const ToolUse& tool : script.tools_with(Ability::kTaskTakesTime)) tools.push_back(tool);
  for (const ToolUse& tool : tools) {
    const auto asked = Clock::now();
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    const Reply end = lead_to_end(script, call.id);
    if (!is_at_end(end)) {
      drop_durable(script.session(), call.id);
      continue;
    }
    judge_keeping(script, call, asked);
    judge_durable_result(script, call, end);
    // It came too late, and the task stays what it is: the monitor compares.
    cancel_durable(script.session(), call.id);
    get_durable(script.session(), call.id);
    if (++ends == kMostEnds) return;
  }
  if (ends == 0) {
    script.lacks("ext-tasks.same-result", Ability::kRunsAsTask);
    script.lacks("ext-tasks.kept-for-ttl", Ability::kRunsAsTask);
  }
}

// A tool that fails has a result, and its task is completed.
SCENARIO(ext_tasks_of_failing_tools_are_completed, of_extension("tasks"),
         judges({"ext-tasks.failed-only-for-errors", "ext-tasks.tool-errors-completed"})) {
  constexpr RequirementId kRules[] = {"ext-tasks.failed-only-for-errors",
                                      "ext-tasks.tool-errors-completed"};
  bool is_any = false;
  for (const ToolUse& tool : script.tools_with(Ability::kTaskFails)) {
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    const Reply end = lead_to_end(script, call.id);
    const bool says_error = member(member(end.result(), "result"), "isError") == true;
    if (status_of(end) == "completed" && says_error) {
      is_any = true;
      for (const RequirementId rule : kRules) script.check(rule, true, end);
      continue;
    }
    if (status_of(end) != "failed") {
      drop_durable(script.session(), call.id);
      continue;
    }
    const auto plain = plain_end(script, tool);
    if (!plain || member(plain->result(), "isError") != true) continue;
    is_any = true;
    for (const RequirementId rule : kRules) {
      script.check(rule, false, {plain->events().back(), end.events().back()},
                   fmt::format("{} has a result with isError, and as a task its status is failed",
                               tool.name));
    }
  }
  if (is_any) return;
  for (const RequirementId rule : kRules) script.lacks(rule, Ability::kTaskFails);
}

// A request that ends in an error fails its task, with the same error.
SCENARIO(ext_tasks_fail_with_their_errors, of_extension("tasks"),
         judges({"ext-tasks.same-error"})) {
  constexpr RequirementId kRule("ext-tasks.same-error");
  bool is_any = false;
  for (const ToolUse& tool : script.tools_with(Ability::kTaskRefused)) {
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    const Reply end = lead_to_end(script, call.id);
    if (!is_at_end(end)) drop_durable(script.session(), call.id);
    const auto plain = plain_end(script, tool);
    if (!plain || !plain->is_error() || !is_at_end(end) || status_of(end) == "cancelled") continue;
    is_any = true;
    const Json& error = member(end.result(), "error");
    const Json& expected = plain->message()->error();
    const bool is_same = status_of(end) == "failed" &&
                         member(error, "code") == member(expected, "code") &&
                         error_text(error) == error_text(expected);
    script.check(kRule, is_same, {plain->events().back(), end.events().back()},
                 fmt::format("{} ends in error {} without a task, and as one it ended {} with "
                             "another error",
                             tool.name, plain->error_code().value_or(0), status_of(end)));
  }
  if (!is_any) script.lacks(kRule, Ability::kTaskRefused);
}

// A cancellation is acknowledged, of a task at work as of one that has ended.
SCENARIO(ext_tasks_are_cancelled, of_extension("tasks"), lengthy(),
         judges({"ext-tasks.cancel-acknowledged"})) {
  constexpr RequirementId kRule("ext-tasks.cancel-acknowledged");
  const auto call = create_durable(script, Ability::kTaskTakesTime, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const Reply before = get_durable(session, call->id);
  const Reply cancelled = cancel_durable(session, call->id);
  if (before.is_result() && !is_at_end(before) && cancelled.is_error()) {
    script.check(
        kRule, false, cancelled,
        fmt::format("tasks/cancel of a task at work was answered with {}", cancelled.describe()));
  } else if (cancelled.is_result()) {
    script.check(kRule, true, cancelled);
  }
  // The monitor looks at what it came to.
  const Reply end = poll_durable_while(session, call->id, {"working", "input_required"});
  if (is_at_end(end)) get_durable(session, call->id);
}

}  // namespace
}  // namespace assay::scenarios
