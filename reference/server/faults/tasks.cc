// Faults of tasks: how they come to be, and how they go on.
// Specification: basic/utilities/tasks (2025-11-25).
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool creates_task(Departure& d) {
  return d.is_result_of("tools/call") && d.request()->params().contains("task") &&
         d.result().contains("task");
}

// Does it to the task in a CreateTaskResult, and in the answer to tasks/get.
void spoil_task(Departure& d, void (*spoil)(Json& task)) {
  if (creates_task(d)) spoil(d.result()["task"]);
  if (d.is_result_of("tasks/get")) spoil(d.result());
}

std::vector<Fault> declaration_faults() {
  return {
      {.id = "task-support-ignored",
       .description = "Calls any tool as a task or not, whatever its taskSupport says",
       .breaks = {"tasks.tool-required-error", "tasks.tool-forbidden-error"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kIgnoresTaskSupport},
      {.id = "tasks-undeclared",
       .description = "Creates tasks and declares no tasks capability",
       .breaks = {"tasks.capability-declared", "tasks.undeclared-ignored"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<result_of<"initialize">, "/result/capabilities/tasks">},
      {.id = "task-requests-undeclared",
       .description = "Creates tasks for tools/call and does not declare it",
       .breaks = {"tasks.request-types-declared", "tasks.undeclared-ignored"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<result_of<"initialize">, "/result/capabilities/tasks/requests">},
      {.id = "task-field-refused",
       .description = "Refuses requests that have a task field and are no tools/call",
       .breaks = {"tasks.undeclared-ignored"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             const bool is_asked = d.is_result() && d.request() &&
                                   d.request()->params().is_object() &&
                                   d.request()->params().contains("task");
             if (!is_asked || d.answers("tools/call")) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Not as a task"}};
           }},
  };
}

// Where the id is spoiled, only its creation tells it so: all else names the task by its own.
std::vector<Fault> creation_faults() {
  return {
      {.id = "task-begins-waiting",
       .description = "Creates tasks with the status input_required",
       .breaks = {"tasks.begins-working"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<creates_task, "/result/task/status", "input_required">},
      {.id = "task-begins-oddly",
       .description = "Creates tasks with a status that does not exist",
       .breaks = {"tasks.begins-working", "tasks.status-transitions"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<creates_task, "/result/task/status", "submitted">},
      {.id = "task-answered-plainly",
       .description = "Answers a task-augmented call with a tool's result",
       .breaks = {"tasks.create-result-returned"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (creates_task(d)) d.result() = {{"content", Json::array()}};
           }},
      {.id = "task-told-late",
       .description = "Tells of a task when its work is done",
       .breaks = {"tasks.create-result-soon"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCreatesTasksLate},
      {.id = "task-kept-for-ever",
       .description = "Accepts any ttl",
       .breaks = {"tasks.ttl-limit"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!creates_task(d)) return;
             d.result()["task"]["ttl"] = d.request()->params()["task"].value("ttl", Json());
           }},
      {.id = "task-id-of-the-client",
       .description = "Takes the id of a task from the request",
       .breaks = {"tasks.id-from-receiver", "tasks.related-task-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!creates_task(d)) return;
             const Json& asked = d.request()->params()["task"];
             if (asked.contains("taskId")) d.result()["task"]["taskId"] = asked["taskId"];
           }},
      {.id = "task-id-of-the-token",
       .description = "Names tasks by the progress token of their requests",
       .breaks = {"tasks.id-from-receiver", "tasks.related-task-given"},
       .may_break = {"tasks.related-task-shared"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!creates_task(d) || !d.request()->params().contains("_meta")) return;
             const Json& token = d.request()->params()["_meta"].value("progressToken", Json());
             if (token.is_string()) d.result()["task"]["taskId"] = token;
           }},
      {.id = "task-id-number",
       .description = "Names tasks by numbers",
       .breaks = {"tasks.id-string"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<creates_task, "/result/task/taskId", 7>},
      {.id = "task-id-shared",
       .description = "Gives all tasks the same id",
       .breaks = {"tasks.id-unique", "tasks.related-task-given", "tasks.related-task-shared"},
       .may_break = {"tasks.created-at-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<creates_task, "/result/task/taskId", "5f0c7a52-the-same-for-all-tasks">},
      {.id = "task-id-counted",
       .description = "Names tasks by the ids of their requests",
       .breaks = {"tasks.unbound-ids-unguessable", "tasks.related-task-given"},
       .may_break = {"tasks.related-task-shared"},  // a question names the true id
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!creates_task(d)) return;
             d.result()["task"]["taskId"] = "task-of-request-" + d.json()["id"].dump();
           }},
  };
}

std::vector<Fault> member_faults() {
  return {
      {.id = "task-without-created-at",
       .description = "Leaves createdAt out of tasks",
       .breaks = {"tasks.created-at-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) { spoil_task(d, [](Json& task) { task.erase("createdAt"); }); }},
      {.id = "task-updated-at-noon",
       .description = "Gives lastUpdatedAt in words",
       .breaks = {"tasks.last-updated-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             spoil_task(d, [](Json& task) { task["lastUpdatedAt"] = "at noon"; });
           }},
      {.id = "task-created-again",
       .description = "Gives another createdAt each time it is asked",
       .breaks = {"tasks.created-at-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<result_of<"tasks/get">, "/result/createdAt", "2025-01-31T12:00:00.000Z">},
      {.id = "task-never-updated",
       .description = "Gives the time of creation for that of the last update",
       .breaks = {"tasks.last-updated-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             spoil_task(d, [](Json& task) { task["lastUpdatedAt"] = task["createdAt"]; });
           }},
      {.id = "task-updated-before",
       .description = "Gives a lastUpdatedAt from before the creation",
       .breaks = {"tasks.last-updated-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             spoil_task(d, [](Json& task) { task["lastUpdatedAt"] = "2025-01-31T12:00:00.000Z"; });
           }},
      {.id = "task-without-ttl",
       .description = "Leaves ttl out of the answer to tasks/get",
       .breaks = {"tasks.ttl-reported"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<result_of<"tasks/get">, "/result/ttl">},
      {.id = "task-forgotten-early",
       .description = "Keeps no task that has ended, whatever ttl it gives",
       .breaks = {"tasks.ttl-reported"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kForgetsTasksEarly},
      {.id = "task-poll-interval-text",
       .description = "Gives pollInterval in words",
       .breaks = {"schema.task-results"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) { spoil_task(d, [](Json& task) { task["pollInterval"] = "soon"; }); }},
      {.id = "task-failure-unexplained",
       .description = "Does not tell why a task failed",
       .breaks = {"tasks.failure-explained"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get") || d.result()["status"] != "failed") return;
             d.result().erase("statusMessage");
           }},
  };
}

std::vector<Fault> status_faults() {
  return {
      {.id = "task-status-odd",
       .description = "Shows working tasks with a status that does not exist",
       .breaks = {"tasks.transitions-from-working", "tasks.transitions-from-input-required",
                  "tasks.status-transitions"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get") || d.result()["status"] != "working") return;
             d.result()["status"] = "paused";
           }},
      {.id = "task-status-odd-after-input",
       .description = "Shows tasks that got their input with a status that does not exist",
       .breaks = {"tasks.transitions-from-input-required", "tasks.status-transitions"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kOddStatusAfterInput},
      {.id = "task-revived",
       .description = "Lists completed tasks as working",
       .breaks = {"tasks.terminal-is-final", "tasks.status-transitions"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list")) return;
             for (Json& task : d.result()["tasks"]) {
               if (task["status"] == "completed") task["status"] = "working";
             }
           }},
      {.id = "task-progress-after-end",
       .description = "Reports progress of tasks that have ended",
       .breaks = {"progress.task-stops-at-terminal"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kReportsAfterTaskEnd},
      {.id = "task-progress-by-task-id",
       .description = "Reports the progress of a task with the task's id for a token",
       .breaks = {"progress.task-token-kept", "progress.token-of-active-request"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             if (!d.params().contains("_meta")) return;
             const Json& named = d.params()["_meta"]["io.modelcontextprotocol/related-task"];
             if (named.is_object()) d.params()["progressToken"] = named["taskId"];
           }},
  };
}

std::vector<Fault> cancellation_faults() {
  return {
      {.id = "task-cancelled-twice",
       .description = "Accepts the cancellation of a task that has ended",
       .breaks = {"tasks.cancel-terminal-refused"},
       .may_break = {"tasks.cancel-status-first"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCancelsTerminalTasks},
      {.id = "task-cancelled-later",
       .description = "Answers tasks/cancel while the task is working",
       .breaks = {"tasks.cancel-status-first"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<result_of<"tasks/cancel">, "/result/status", "working">},
      {.id = "task-cancelled-as-failed",
       .description = "Accepts a cancellation and shows the task as failed",
       .breaks = {"tasks.cancel-status-first"},
       .may_break = {"tasks.terminal-is-final", "tasks.status-transitions"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<result_of<"tasks/cancel">, "/result/status", "failed">},
      {.id = "task-cancelled-without-result",
       .description = "Never answers tasks/result of a cancelled task",
       .breaks = {"tasks.result-of-terminal"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCancelledHasNoResult},
      {.id = "task-cancelled-completes",
       .description = "Completes cancelled tasks",
       .breaks = {"tasks.cancelled-stays-cancelled", "tasks.status-transitions"},
       // Where the work ends before the cancellation is answered, that answer is late, too.
       .may_break = {"tasks.cancel-status-first"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCancelledTaskCompletes},
      {.id = "task-cancelled-works-on",
       .description = "Goes on with the work of cancelled tasks",
       .breaks = {"tasks.cancel-stops-execution", "progress.task-stops-at-terminal"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCancelledTaskWorksOn},
  };
}

}  // namespace

std::vector<Fault> task_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() :
       {declaration_faults, creation_faults, member_faults, status_faults, cancellation_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
