// The methods of tasks. Specification: basic/utilities/tasks (2025-11-25).
#include "reference/server/tasks.h"

#include "reference/server/call.h"
#include "reference/server/handlers.h"
#include "reference/server/pagination.h"
#include "reference/server/session.h"

namespace assay::server {
namespace {

std::shared_ptr<Task> find_task(Session& session, const Call& call) {
  const std::optional<std::string> id = string_member(call.params(), "taskId");
  return id ? session.tasks().find(*id) : nullptr;
}

// The same, where `by_metadata` is a fault that goes by what the metadata says instead.
std::shared_ptr<Task> find_task(Session& session, const Call& call, Switch by_metadata) {
  const Json& named = member(member(call.params(), "_meta"), std::string(kRelatedTask).c_str());
  const std::optional<std::string> id = string_member(named, "taskId");
  if (id && session.options().has(Switch::kRefusesTaskMetadata)) return nullptr;
  if (id && session.options().has(by_metadata)) return session.tasks().find(*id);
  return find_task(session, call);
}

Refusal task_not_found() {
  return invalid_params("Task not found");
}

}  // namespace

Answer get_task(Session& session, Call& call) {
  const std::shared_ptr<Task> task = find_task(session, call);
  if (!task) return task_not_found();
  return task->json();
}

Answer list_tasks(Session& session, Call& call) {
  const std::vector<std::shared_ptr<Task>> tasks = session.tasks().all();
  return paginate(session, call.params(), "tasks", tasks.size(),
                  [&](std::size_t i) { return tasks[i]->json(); });
}

Answer cancel_task(Session& session, Call& call) {
  const std::shared_ptr<Task> task = find_task(session, call, Switch::kCancelsTaskOfMetadata);
  if (!task) return task_not_found();
  if (!task->cancel() && !session.options().has(Switch::kCancelsTerminalTasks)) {
    return invalid_params("Cannot cancel the task: it has ended already");
  }
  return task->json();
}

Answer task_result(Session& session, const std::shared_ptr<Call>& call) {
  const std::shared_ptr<Task> task = find_task(session, *call, Switch::kGivesResultOfMetadata);
  if (!task) return task_not_found();
  return task->result_for(call);
}

}  // namespace assay::server
