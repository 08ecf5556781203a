// Specification: basic/utilities/tasks (2025-11-25 only; later an extension).
#include "reference/model/tables.h"

namespace assay::model {
namespace {

// "params" of a request that names one task.
Fields task_params() {
  return {required("params", ref("TaskRequestParams"))};
}

Types all_task_types() {
  return {
      object("Task",
             {
                 required("taskId", string()),
                 required("status", ref("TaskStatus")),
                 optional("statusMessage", string()),
                 required("createdAt", time()),
                 required("lastUpdatedAt", time()),
                 required("ttl", one_of({integer(), null()})),
                 optional("pollInterval", integer()),
             }),
      named("TaskStatus",
            one_of_strings({"working", "input_required", "completed", "failed", "cancelled"})),
      object("TaskMetadata", {optional("ttl", integer())}),
      object("RelatedTaskMetadata", {required("taskId", string())}),
      object("TaskRequestParams", {required("taskId", string())}).extends("RequestParams"),

      object("CreateTaskResult", {required("task", ref("Task"))}).extends("Result"),
      request("GetTaskRequest", "tasks/get", task_params()),
      object("GetTaskResult", {}).extends("Result").extends("Task"),
      request("GetTaskPayloadRequest", "tasks/result", task_params()),
      object("GetTaskPayloadResult", {}).extends("Result"),
      request("ListTasksRequest", "tasks/list", page_params()),
      object("ListTasksResult", {required("tasks", array(ref("Task")))}).extends("PaginatedResult"),
      request("CancelTaskRequest", "tasks/cancel", task_params()),
      object("CancelTaskResult", {}).extends("Result").extends("Task"),
      notification("TaskStatusNotification", "notifications/tasks/status",
                   {required("params", ref("TaskStatusNotificationParams"))}),
      object("TaskStatusNotificationParams", {}).extends("NotificationParams").extends("Task"),
  };
}

}  // namespace

Types task_types() {
  Types types = all_task_types();
  for (Type& type : types) type = std::move(type).only(v2025_11_25);
  return types;
}

}  // namespace assay::model
