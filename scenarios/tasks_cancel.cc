// Scenarios about tasks that are cancelled, in each of their states.
//
// Specification: basic/utilities/tasks, "Task Cancellation".
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

bool can_cancel(Script& script) {
  return script.is_declared("tasks.cancel");
}

Reply cancel(Connection& session, const std::string& id) {
  return session.request("tasks/cancel", {{"taskId", id}});
}

// The reports of progress with this token from `from` on that came on the lane of `answer`: only
// there do they come after it for certain.
std::vector<EventPtr> progress_after(Connection& session, const EventPtr& answer,
                                     std::string_view token) {
  std::vector<EventPtr> found;
  for (const EventPtr& event : session.transcript().events(answer->n)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (!(event->observation.lane == answer->observation.lane)) continue;
    if (event->message()->method() != "notifications/progress") continue;
    if (member(event->message()->params(), "progressToken") == token) found.push_back(event);
  }
  return found;
}

// The work of a cancelled task stops, and whatever becomes of it, the task stays cancelled. A
// companion that is started afterwards and takes as long shows when the work would have been done.
SCENARIO(tasks_stay_cancelled, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.cancel-stops-execution", "tasks.cancelled-stays-cancelled"})) {
  const auto rules = {RequirementId("tasks.cancel-stops-execution"),
                      RequirementId("tasks.cancelled-stays-cancelled")};
  const auto tool = task_tool(script, Ability::kTaskTakesTime, rules);
  if (!tool || !can_cancel(script)) return;
  Connection& session = script.session();
  const TaskCall call = create_task(session, *tool, "assay-cancelled-task");
  if (!call.is_created()) {
    no_task(script, call, rules);
    return;
  }
  const Reply cancelled = cancel(session, call.id);
  if (status_of(cancelled) != "cancelled") {
    script.unclear("tasks.cancel-stops-execution", "the task was not cancelled",
                   cancelled.events());
    return;
  }
  const TaskCall companion = create_task(session, *tool, "assay-companion-task");
  const bool is_over = companion.is_created() && is_at_end(await_end(session, companion.id));
  const Reply later = get_task(session, call.id);  // the monitor compares
  if (!is_over) {
    script.unclear("tasks.cancel-stops-execution", "a second task did not end in time");
    return;
  }
  const EventPtr& answer = cancelled.events().back();
  const auto reports = progress_after(session, answer, "assay-cancelled-task");
  const std::size_t companions = progress_after(session, answer, "assay-companion-task").size();
  if (companions == 0) {
    script.not_exercised("tasks.cancel-stops-execution",
                         "no progress came after the answer, so the work cannot be seen",
                         hint(Ability::kTaskTakesTime));
    return;
  }
  // One report may have been on its way.
  constexpr const char* kWentOn = "the cancelled task went on to report progress";
  if (reports.size() >= 2 && reports.size() < companions) {
    // They may come late, and work may stop at its next step only.
    script.unclear(
        "tasks.cancel-stops-execution",
        "reports of the cancelled task came after its cancellation, and may have been on "
        "their way",
        reports);
  } else {
    script.check("tasks.cancel-stops-execution", reports.size() < 2, reports, kWentOn, Crossed{});
  }
}

// A cancelled task is at its end, and tasks/result waits for nothing more: the request is answered,
// even if only to say that the task is gone. A task may end before it is cancelled, so several are
// tried.
SCENARIO(tasks_that_are_cancelled_give_a_result, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.result-of-terminal"})) {
  constexpr RequirementId kRule = "tasks.result-of-terminal";
  constexpr int kMostTasks = 3;
  const auto tool = task_tool(script, Ability::kTaskTakesTime, {kRule});
  if (!tool || !can_cancel(script)) return;
  Connection& session = script.session();
  for (int tried = 1; tried <= kMostTasks; ++tried) {
    const TaskCall call = create_task(session, *tool);
    if (!call.is_created()) return no_task(script, call, {kRule});
    const Pending before = session.start("tasks/result", {{"taskId", call.id}});
    const Reply cancelled = cancel(session, call.id);
    if (status_of(cancelled) != "cancelled") {
      script.unclear(kRule, "the task was not cancelled", cancelled.events());
      continue;
    }
    const Reply after = session.request("tasks/result", {{"taskId", call.id}});
    if (!session.fence()) {
      return script.unclear(kRule, "a ping was not answered either", after.events());
    }
    for (const Reply& result : {after, session.await(before)}) {
      script.check(
          kRule, result.is_answered(), result,
          fmt::format("tasks/result of a cancelled task was answered with {}", result.describe()));
    }
    return;
  }
}

// Cancels a task of this tool once it has ended. False if none ended.
bool judge_cancelling_the_ended(Script& script, RequirementId rule, const ToolUse& tool) {
  Connection& session = script.session();
  const TaskCall call = create_task(session, tool);
  if (!call.is_created()) return false;
  const Reply end = await_end(session, call.id);
  if (!is_at_end(end)) return false;
  judge_refusal(script, rule, cancel(session, call.id),
                fmt::format("tasks/cancel of a task that is {}", status_of(end)));
  return true;
}

// What is at its end, be it by an earlier cancellation, cannot be cancelled. A tool that takes its
// time is awaited only if there is no other.
SCENARIO(tasks_at_their_end_are_not_cancelled, lengthy(), with_tasks(),
         judges({"tasks.cancel-terminal-refused", "tasks.standard-errors",
                 "tasks.errors-informative"})) {
  constexpr RequirementId kRule = "tasks.cancel-terminal-refused";
  const auto tool = any_task_tool(script, {kRule});
  if (!tool || !can_cancel(script)) return;
  Connection& session = script.session();
  const TaskCall call = create_task(session, *tool);
  if (!call.is_created()) {
    no_task(script, call, {kRule});
    return;
  }
  const Reply first = cancel(session, call.id);
  if (first.is_result()) {
    judge_refusal(script, kRule, cancel(session, call.id),
                  "tasks/cancel of a task that was cancelled before");
  } else {
    script.unclear(kRule, "the task could not be cancelled", first.events());
  }
  bool has_any_ended = false;
  for (const Ability ability : {Ability::kRunsAsTask, Ability::kTaskFails}) {
    const auto quick = script.tool_with(ability);
    if (!quick || task_support(*script.survey().tool(quick->name)) == "forbidden") continue;
    if (quick->name == tool->name) continue;
    has_any_ended = judge_cancelling_the_ended(script, kRule, *quick) || has_any_ended;
  }
  if (!has_any_ended) judge_cancelling_the_ended(script, kRule, *tool);
}

}  // namespace
}  // namespace assay::scenarios
