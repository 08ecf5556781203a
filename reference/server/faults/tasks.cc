// Faults of tasks. Specification: basic/utilities/tasks (2025-11-25).
#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

bool has_tasks(model::Revision revision) {
  return revision.has_core_tasks();
}

bool is_create_result(const Departure& d) {
  return d.is_result_of("tools/call");
}

}  // namespace

std::vector<Fault> task_faults() {
  return {
      {.id = "task-support-ignored",
       .description = "Calls any tool as a task or not, whatever its taskSupport says",
       .breaks = {"tasks.tool-required-error", "tasks.tool-forbidden-error"},
       .concerns = has_tasks,
       .inside = Switch::kIgnoresTaskSupport},
      {.id = "task-begins-completed",
       .description = "Creates tasks with the status completed",
       .breaks = {"tasks.begins-working"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             if (is_create_result(d) && d.result().contains("task")) {
               d.result()["task"]["status"] = "completed";
             }
           }},
      {.id = "task-without-created-at",
       .description = "Leaves createdAt out of tasks",
       .breaks = {"tasks.created-at-given", "schema.task-results"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             if (is_create_result(d) && d.result().contains("task")) {
               d.result()["task"].erase("createdAt");
             }
             if (d.is_result_of("tasks/get")) d.result().erase("createdAt");
           }},
      {.id = "task-without-ttl",
       .description = "Leaves ttl out of the answer to tasks/get",
       .breaks = {"tasks.ttl-reported", "schema.task-results"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tasks/get")) d.result().erase("ttl");
           }},
      {.id = "task-result-unrelated",
       .description = "Leaves the related task out of the answer to tasks/result",
       .breaks = {"tasks.related-task-in-result", "tasks.related-task-given"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tasks/result")) d.result().erase("_meta");
           }},
      {.id = "task-request-unrelated",
       .description = "Leaves the related task out of requests that a task makes",
       .breaks = {"tasks.input-request-related", "tasks.related-task-given"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             if (d.json().is_object() && d.json().contains("method") && d.json().contains("id")) {
               d.json()["params"].erase("_meta");
             }
           }},
      {.id = "task-result-early",
       .description = "Answers tasks/result before the task has ended",
       .breaks = {"tasks.result-blocks"},
       .concerns = has_tasks,
       .inside = Switch::kAnswersTaskResultEarly},
      {.id = "task-cancelled-twice",
       .description = "Accepts the cancellation of a task that has ended",
       .breaks = {"tasks.cancel-terminal-refused"},
       .concerns = has_tasks,
       .inside = Switch::kCancelsTerminalTasks},
      {.id = "unknown-task-other-code",
       .description = "Refuses unknown tasks with -32603",
       .breaks = {"tasks.unknown-task-error"},
       .concerns = has_tasks,
       .departure =
           [](Departure& d) {
             for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"}) {
               if (d.is_error_of(method, wire::kInvalidParams)) {
                 d.set_error_code(wire::kInternalError);
               }
             }
           }},
  };
}

}  // namespace assay::server
