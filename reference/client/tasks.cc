#include "reference/client/tasks.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "reference/transport/random_id.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

constexpr const char* kRelatedTask = "io.modelcontextprotocol/related-task";
// A server gets no more at once.
constexpr std::size_t kMostTasks = 100;
constexpr std::int64_t kTtl = 60000;
constexpr std::int64_t kPollInterval = 100;

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                     std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

ErrorAnswer invalid(const char* why) {
  return {wire::kInvalidParams, why};
}

struct Task {
  Json shown;
  Answer outcome;
  Json token;  // of its progress; null if nobody asked for it
};

// A task shows that it works when it is created, and that it is done when it is looked at.
class Tasks {
 public:
  explicit Tasks(Notify notify) : notify_(std::move(notify)) {}

  // `params` of the request for it.
  Answer create(const Json& params, Answer outcome) {
    if (tasks_.size() >= kMostTasks) return ErrorAnswer{wire::kInternalError, "too many tasks"};
    const std::string time = now();
    Json shown = {{"taskId", transport::random_id()},
                  {"status", "working"},
                  {"createdAt", time},
                  {"lastUpdatedAt", time},
                  {"ttl", kTtl},
                  {"pollInterval", kPollInterval}};
    Json token = params.value(Json::json_pointer("/_meta/progressToken"), Json());
    if (!token.is_string() && !token.is_number_integer()) token = nullptr;
    tasks_.push_back({shown, std::move(outcome), std::move(token)});
    return Json{{"task", std::move(shown)}};
  }

  Answer get(const Json& params) {
    Task* task = find(params);
    if (task == nullptr) return invalid("there is no such task");
    finish(*task);
    return task->shown;
  }

  Answer result(const Json& params) {
    Task* task = find(params);
    if (task == nullptr) return invalid("there is no such task");
    finish(*task);
    if (task->shown["status"] == "cancelled") return invalid("the task was cancelled");
    if (const auto* result = std::get_if<Json>(&task->outcome)) {
      Json related = *result;
      related["_meta"][kRelatedTask] = {{"taskId", task->shown["taskId"]}};
      return related;
    }
    return task->outcome;
  }

  Answer cancel(const Json& params) {
    Task* task = find(params);
    if (task == nullptr) return invalid("there is no such task");
    if (task->shown["status"] != "working") return invalid("the task is at its end");
    change(*task, "cancelled");
    return task->shown;
  }

  Answer list(const Json& params) const {
    if (params.is_object() && params.contains("cursor")) return invalid("there is no such page");
    Json all = Json::array();
    for (const Task& task : tasks_) all.push_back(task.shown);
    return Json{{"tasks", std::move(all)}};
  }

 private:
  static void change(Task& task, const char* status) {
    task.shown["status"] = status;
    task.shown["lastUpdatedAt"] = now();
  }
  void finish(Task& task) const {
    if (task.shown["status"] != "working") return;
    if (notify_ && !task.token.is_null()) {
      notify_("notifications/progress",
              {{"progressToken", task.token},
               {"progress", 1},
               {"total", 1},
               {"_meta", {{kRelatedTask, {{"taskId", task.shown["taskId"]}}}}}});
    }
    const bool is_done = std::holds_alternative<Json>(task.outcome);
    if (!is_done) task.shown["statusMessage"] = std::get<ErrorAnswer>(task.outcome).message;
    change(task, is_done ? "completed" : "failed");
  }
  Task* find(const Json& params) {
    if (!params.is_object() || !params.contains("taskId")) return nullptr;
    for (Task& task : tasks_) {
      if (task.shown["taskId"] == params["taskId"]) return &task;
    }
    return nullptr;
  }

  const Notify notify_;
  std::vector<Task> tasks_;
};

}  // namespace

void add_task_handlers(std::map<std::string, Handler, std::less<>>& handlers, Notify notify) {
  const auto tasks = std::make_shared<Tasks>(std::move(notify));
  for (const char* method : {"sampling/createMessage", "elicitation/create"}) {
    const auto found = handlers.find(method);
    if (found == handlers.end()) continue;
    found->second = [tasks, plain = found->second](const Json& params) {
      const bool is_task = params.is_object() && params.contains("task");
      return is_task ? tasks->create(params, plain(params)) : plain(params);
    };
  }
  handlers["tasks/get"] = [tasks](const Json& params) { return tasks->get(params); };
  handlers["tasks/result"] = [tasks](const Json& params) { return tasks->result(params); };
  handlers["tasks/cancel"] = [tasks](const Json& params) { return tasks->cancel(params); };
  handlers["tasks/list"] = [tasks](const Json& params) { return tasks->list(params); };
}

}  // namespace assay::client
