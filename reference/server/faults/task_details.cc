// Faults in the details of tasks: which of them an answer is about, and what it leaves out.
// Specification: basic/utilities/tasks (2025-11-25).
#include <string>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool is_new_task(Departure& d) {
  return d.is_result_of("tools/call") && d.result().contains("task");
}

// Does it to the task in each answer that has one, but for its creation.
void spoil_later(Departure& d, void (*spoil)(Json& task)) {
  if (d.is_result_of("tasks/get") || d.is_result_of("tasks/cancel")) spoil(d.result());
  if (!d.is_result_of("tasks/list")) return;
  for (Json& task : d.result()["tasks"]) spoil(task);
}

std::vector<Fault> answered_task_faults() {
  return {
      {.id = "task-cancellation-names-another",
       .description = "Answers tasks/cancel with another task",
       .breaks = {"tasks.task-id-parameter-rules"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<result_of<"tasks/cancel">, "/result/taskId", "another-task">},
      {.id = "task-result-of-the-first",
       .description = "Gives the result of the first task for that of each later one",
       .breaks = {"tasks.result-exact"},
       .may_break = {"tasks.result-same-response", "tasks.result-same-error",
                     "tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result_of("tasks/result")) return;
             Json& first = memory.of_connection["result"];
             if (first.is_null()) {
               first = d.result();
               first.erase("_meta");
             }
             const Json meta = d.result()["_meta"];
             d.result() = first;
             d.result()["_meta"] = meta;
           }},
      {.id = "task-result-bare",
       .description = "Gives the value of a tool, and no content, as the result of its task",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.result-exact", "tasks.result-same-response", "tasks.result-same-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/result")) return;
             d.result()["value"] = d.result()["content"];
             d.result().erase("content");
           }},
      {.id = "task-result-unstructured",
       .description =
           "Lists an output schema for tools that run as tasks, and gives no such output",
       .breaks = {"tools.structured-content-conforms"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             for (Json& tool : d.result()["tools"]) {
               const Json execution = tool.value("execution", Json::object());
               if (execution.value("taskSupport", "") != "required") continue;
               tool["outputSchema"] = {{"type", "object"}, {"required", {"progress"}}};
             }
           }},
      {.id = "task-result-given-once",
       .description = "Gives the result of a task once, and then knows none",
       .breaks = {"tasks.result-of-terminal"},
       .may_break = {"tasks.ttl-reported"},
       .concerns = &model::Revision::has_core_tasks,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result_of("tasks/result")) return;
             const std::string id = d.request()->params().value("taskId", std::string());
             if (!memory.of_connection.contains(id)) {
               memory.of_connection[id] = true;
               return;
             }
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInvalidParams},
                                  {"message", "The result is gone"}};
           }},
      {.id = "completed-task-other-code",
       .description = "Has one tool that runs as a task, and refuses to cancel what has completed"
                      " with a code of its own",
       .breaks = {"tasks.cancel-terminal-refused"},
       .may_break = {"tasks.standard-errors"},
       .concerns = &model::Revision::has_core_tasks,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (d.is_result_of("tools/list")) {
               std::erase_if(d.result()["tools"].get_ref<Json::array_t&>(), [](const Json& tool) {
                 return tool.contains("execution") &&
                        tool.value("name", "") != "test_tool_with_task";
               });
             }
             if (!d.answers("tasks/cancel")) return;
             const std::string id = member(d.request()->params(), "taskId").dump();
             if (d.is_result()) {
               memory.of_connection[id] = "cancelled";
             } else if (!memory.of_connection.contains(id) &&
                        d.json()["error"].value("message", "") != "Task not found") {
               d.set_error_code(-32000);
             }
           }},
      {.id = "unknown-task-cancelled",
       .description = "Says of an unknown task that it has cancelled it",
       .breaks = {"tasks.unknown-task-error"},
       .may_break = {"tasks.cancel-terminal-refused"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("tasks/cancel", wire::kInvalidParams)) return;
             if (d.json()["error"].value("message", "") != "Task not found") return;
             d.json().erase("error");
             d.json()["result"] = {{"taskId", d.request()->params().value("taskId", Json())},
                                   {"status", "cancelled"},
                                   {"createdAt", "2025-11-25T00:00:00Z"},
                                   {"lastUpdatedAt", "2025-11-25T00:00:00Z"},
                                   {"ttl", 1000}};
             if (!d.result()["taskId"].is_string()) d.result()["taskId"] = "no-task";
           }},
      {.id = "task-without-id-served",
       .description = "Takes its newest task where tasks/get names none",
       .breaks = {"tasks.unknown-task-error"},
       .concerns = &model::Revision::has_core_tasks,
       .intake =
           [](Json& request, FaultMemory& memory) {
             const bool is_nameless = request.value("method", "") == "tasks/get" &&
                                      request["params"].is_object() &&
                                      !request["params"].contains("taskId");
             if (is_nameless && memory.of_connection.contains("newest")) {
               request["params"]["taskId"] = memory.of_connection["newest"];
             }
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (is_new_task(d)) memory.of_connection["newest"] = d.result()["task"]["taskId"];
           }},
      {.id = "task-told-completed-early",
       .description = "Notifies that a task is completed when it has begun",
       .breaks = {"tasks.terminal-is-final", "tasks.status-transitions"},
       .may_break = {"tasks.cancelled-stays-cancelled", "progress.task-stops-at-terminal"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!is_new_task(d)) return;
             Json told = d.result()["task"];
             told["status"] = "completed";
             d.after(wire::encode(wire::make_notification("notifications/tasks/status", told)));
           }},
      {.id = "task-forbidden-other-code",
       .description = "Refuses tools that cannot be tasks with -32602",
       .breaks = {"tasks.tool-forbidden-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("tools/call", wire::kMethodNotFound) &&
                                d.request()->params().contains("task");
             if (is_it) d.set_error_code(wire::kInvalidParams);
           }},
      {.id = "task-required-in-result",
       .description = "Says in a result that a tool has to be called as a task",
       .breaks = {"tasks.tool-required-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("tools/call", wire::kMethodNotFound) &&
                                !d.request()->params().contains("task");
             if (!is_it) return;
             const std::string why = d.json()["error"].value("message", "");
             d.json().erase("error");
             d.json()["result"] = {{"content", Json::array({{{"type", "text"}, {"text", why}}})},
                                   {"isError", true}};
           }},
  };
}

std::vector<Fault> member_detail_faults() {
  return {
      {.id = "task-times-in-seconds",
       .description = "Gives the time of creation as a number of seconds",
       .breaks = {"tasks.created-at-given", "schema.task-results"},
       .may_break = {"schema.server-notifications"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (is_new_task(d)) d.result()["task"]["createdAt"] = 1'764'028'800;
             spoil_later(d, [](Json& task) { task["createdAt"] = 1'764'028'800; });
           }},
      {.id = "task-later-without-created-at",
       .description = "Tells the time of creation when a task is created, and never again",
       .breaks = {"tasks.created-at-given"},
       .may_break = {"schema.task-results"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) { spoil_later(d, [](Json& task) { task.erase("createdAt"); }); }},
      {.id = "task-listed-without-update",
       .description = "Lists tasks without the time of their last update",
       .breaks = {"tasks.last-updated-given"},
       .may_break = {"schema.task-results"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list")) return;
             for (Json& task : d.result()["tasks"]) task.erase("lastUpdatedAt");
           }},
      {.id = "task-cancelled-without-ttl",
       .description = "Leaves ttl out of the answer to tasks/cancel",
       .breaks = {"schema.task-results"},
       .may_break = {"tasks.ttl-reported"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<result_of<"tasks/cancel">, "/result/ttl">},
      {.id = "task-list-of-ids",
       .description = "Lists the ids of tasks and nothing else of them",
       .breaks = {"schema.task-results"},
       .may_break = {"tasks.created-at-given", "tasks.last-updated-given", "tasks.ttl-reported"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list")) return;
             for (Json& task : d.result()["tasks"]) task = {{"taskId", task["taskId"]}};
           }},
      {.id = "task-failure-blank",
       .description = "Explains the failure of a task with a blank",
       .breaks = {"tasks.failure-explained"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tasks/get") && d.result()["status"] == "failed") {
               d.result()["statusMessage"] = " ";
             }
           }},
  };
}

}  // namespace

std::vector<Fault> task_detail_faults() {
  std::vector<Fault> all = answered_task_faults();
  for (Fault& fault : member_detail_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
