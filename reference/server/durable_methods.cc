// The methods of the extension `io.modelcontextprotocol/tasks`.
#include "reference/server/call.h"
#include "reference/server/durable_task.h"
#include "reference/server/handlers.h"
#include "reference/server/stateless_session.h"

namespace assay::server {
namespace {

using TaskOrRefusal = std::variant<std::shared_ptr<DurableTask>, Refusal>;

TaskOrRefusal named_task(StatelessContext& context, const Call& call,
                         Switch lapse = Switch::kFindsTasksOfAll) {
  if (!context.declares_tasks()) return tasks_not_declared();
  StatelessSession& connection = context.connection();
  const std::optional<std::string> id = string_member(call.params(), "taskId");
  auto& tasks = connection.services().durable_tasks;
  auto task = id ? tasks.find(*id, connection.user(), lapse) : nullptr;
  if (!task) return invalid_params("Task not found");
  return task;
}

}  // namespace

Refusal tasks_not_declared() {
  return rejection(kMissingClientCapability, "Missing required client capability",
                   {{"requiredCapabilities", tasks_extension().capability()}});
}

Answer get_durable_task(StatelessContext& context, Call& call) {
  const TaskOrRefusal found = named_task(context, call);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  return std::get<0>(found)->detailed();
}

Answer update_durable_task(StatelessContext& context, Call& call) {
  const TaskOrRefusal found = named_task(context, call, Switch::kUpdatesTasksOfAll);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  const Json& responses = member(call.params(), "inputResponses");
  if (!responses.is_object()) return invalid_params("inputResponses must be an object");
  if (const auto defect = std::get<0>(found)->take(context, responses)) {
    return invalid_params(*defect);
  }
  return Json::object();
}

Answer cancel_durable_task(StatelessContext& context, Call& call) {
  const TaskOrRefusal found = named_task(context, call, Switch::kCancelsTasksOfAll);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  std::get<0>(found)->cancel();
  return Json::object();
}

}  // namespace assay::server
