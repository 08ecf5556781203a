// The extension `io.modelcontextprotocol/tasks` (SEP-2663).
//
// Specification: ext-tasks, specification/2026-07-28/tasks.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Fields task_id() {
  return {required("params", object({required("taskId", string())}).extends("RequestParams"))};
}

// A task in one status, with what only that status has.
Type task_in(std::string name, std::string status, Fields more = {}) {
  more.push_back(required("status", constant(std::move(status))));
  return object(std::move(name), std::move(more)).extends("Task");
}

const std::vector<std::string>& statuses() {
  static const std::vector<std::string> kAll = {"WorkingTask", "InputRequiredTask", "CompletedTask",
                                                "FailedTask", "CancelledTask"};
  return kAll;
}

// A task in any status, with its payload.
Type detailed_task() {
  std::vector<Type> alternatives;
  for (const std::string& name : statuses()) alternatives.push_back(ref(name));
  return one_of("DetailedTask", std::move(alternatives));
}

// The same, joined with another type.
Type with_detailed_task(std::string name, const std::string& base, const Fields& fields) {
  std::vector<Type> alternatives;
  for (const std::string& status : statuses()) {
    alternatives.push_back(object(fields).extends(base).extends(status));
  }
  return one_of(std::move(name), std::move(alternatives));
}

Type complete_result(std::string name) {
  return object(std::move(name), {required("resultType", constant("complete"))}).extends("Result");
}

Types all_extension_task_types() {
  return {
      object("Task",
             {
                 required("taskId", string()),
                 required("status", ref("TaskStatus")),
                 optional("statusMessage", string()),
                 required("createdAt", time()),
                 required("lastUpdatedAt", time()),
                 required("ttlMs", one_of({integer(), null()})),
                 optional("pollIntervalMs", integer()),
             }),
      named("TaskStatus",
            one_of_strings({"working", "input_required", "completed", "failed", "cancelled"})),
      task_in("WorkingTask", "working"),
      task_in("InputRequiredTask", "input_required",
              {required("inputRequests", ref("InputRequests"))}),
      task_in("CompletedTask", "completed", {required("result", object())}),
      task_in("FailedTask", "failed", {required("error", ref("Error"))}),
      task_in("CancelledTask", "cancelled"),
      detailed_task(),

      object("CreateTaskResult", {required("resultType", constant("task"))})
          .extends("Result")
          .extends("Task"),
      request("GetTaskRequest", "tasks/get", task_id()),
      with_detailed_task("GetTaskResult", "Result", {required("resultType", constant("complete"))}),
      request("UpdateTaskRequest", "tasks/update",
              {required("params", object({required("taskId", string()),
                                          required("inputResponses", ref("InputResponses"))})
                                      .extends("RequestParams"))}),
      complete_result("UpdateTaskResult"),
      request("CancelTaskRequest", "tasks/cancel", task_id()),
      complete_result("CancelTaskResult"),
      notification("TaskStatusNotification", "notifications/tasks",
                   {required("params", ref("TaskStatusNotificationParams"))}),
      with_detailed_task("TaskStatusNotificationParams", "NotificationParams", {}),
  };
}

Method asks_about_task(std::string name, std::string type, std::string result) {
  return {std::move(name), Sender::kClient, std::move(type), true, ref(std::move(result)), {},
          "taskId"};
}

}  // namespace

Extension tasks_extension() {
  const Fields task_ids = {optional("taskIds", array(string()))};
  return {
      .name = "tasks",
      .identifier = "io.modelcontextprotocol/tasks",
      .title = "Tasks",
      .version = "2026-07-28",
      .base = v2026_07_28,
      .address =
          "https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html",
      .types = all_extension_task_types(),
      .methods =
          {
              asks_about_task("tasks/get", "GetTaskRequest", "GetTaskResult"),
              asks_about_task("tasks/update", "UpdateTaskRequest", "UpdateTaskResult"),
              asks_about_task("tasks/cancel", "CancelTaskRequest", "CancelTaskResult"),
              {"notifications/tasks", Sender::kServer, "TaskStatusNotification", false, {}, {}, {}},
          },
      .results = {{"tools/call", "task", "CreateTaskResult"}},
      .members = {{"SubscriptionFilter", task_ids}},
  };
}

}  // namespace assay::model
