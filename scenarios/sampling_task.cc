#include "scenarios/sampling_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {

using namespace harness;

namespace {

constexpr const char* kTaskIds = "assay-task-0b6f1c1e-5d0e-4c1a-9a57-1d5a3f6f2c";
constexpr const char* kTime = "2025-11-25T10:30:00.000Z";
constexpr std::chrono::milliseconds kPollInterval{120};
// A server that asks for more at once gets no more.
constexpr std::size_t kMostTasks = 20;

Answer no_such_task() {
  return RefusedRequest{wire::kInvalidParams, "there is no such task"};
}

Json sampled() {
  return {{"role", "assistant"},
          {"content", {{"type", "text"}, {"text", "A short answer."}}},
          {"model", "assay-model"},
          {"stopReason", "endTurn"}};
}

}  // namespace

SamplingTask::SamplingTask(Connection& session, std::string status)
    : session_(session), status_(std::move(status)), from_(session.mark()) {
  session.on_request("sampling/createMessage", [this](const Json& params) { return ask(params); });
  session.on_request("tasks/get", [this](const Json& params) { return get(params); });
  session.on_request("tasks/result", [this](const Json& params) { return result(params); });
  session.on_request("tasks/list", [this](const Json& params) { return list(params); });
  session.on_request("tasks/cancel", [this](const Json& params) { return cancel(params); });
}

Json SamplingTask::capabilities() {
  return {{"roots", Json::object()},
          {"sampling", Json::object()},
          {"elicitation", Json::object()},
          {"tasks",
           {{"list", Json::object()},
            {"cancel", Json::object()},
            {"requests", {{"sampling", {{"createMessage", Json::object()}}}}}}}};
}

void SamplingTask::complete() {
  for (Task& task : tasks_) {
    task.is_complete = true;
    session_.notify("notifications/tasks/status", shown(task));
  }
}

std::size_t SamplingTask::looks() const {
  std::size_t most = 0;
  for (const Task& task : tasks_) most = std::max(most, task.looks);
  return most;
}

std::size_t SamplingTask::all_looks() const {
  std::size_t all = 0;
  for (const Task& task : tasks_) all += task.looks;
  return all;
}

bool SamplingTask::is_fetched() const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [](const Task& task) { return task.is_fetched; });
}

bool SamplingTask::is_cancelled() const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [](const Task& task) { return task.is_cancelled; });
}

std::optional<std::string> SamplingTask::haste() const {
  for (const Task& task : tasks_) {
    for (std::size_t look = 3; look < task.seen.size(); ++look) {
      const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(task.seen[look] -
                                                                               task.seen.front());
      if (taken >= (look - 1) * kPollInterval / 2) continue;
      return fmt::format(
          "the server polled its task {} times within {} ms, but the pollInterval is {} ms", look,
          taken.count(), kPollInterval.count());
    }
  }
  return std::nullopt;
}

Json SamplingTask::shown(const Task& task) const {
  const std::string now = task.is_complete ? "completed" : status_;
  return {{"taskId", task.id},  {"status", task.is_cancelled ? "cancelled" : now},
          {"createdAt", kTime}, {"lastUpdatedAt", kTime},
          {"ttl", 600'000},     {"pollInterval", kPollInterval.count()}};
}

SamplingTask::Task* SamplingTask::find(const Json& params) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) {
    return task.id == text_member(params, "taskId");
  });
  return found == tasks_.end() ? nullptr : &*found;
}

Answer SamplingTask::ask(const Json& params) {
  if (!member(params, "task").is_object()) return sampled();
  if (tasks_.size() == kMostTasks) {
    return RefusedRequest{wire::kInternalError, "too many tasks at once"};
  }
  tasks_.push_back({.id = fmt::format("{}-{}-{:02}", kTaskIds, from_, tasks_.size() + 1)});
  return Json{{"task", shown(tasks_.back())}};
}

Answer SamplingTask::get(const Json& params) {
  Task* const task = find(params);
  if (task == nullptr) return no_such_task();
  ++task->looks;
  if (task->looks <= kLooksAtTask + 1) task->seen.push_back(Clock::now());
  if (task->looks > kLooksAtTask) task->is_complete = true;
  if (announces_ && task->looks == 1) session_.notify("notifications/tasks/status", shown(*task));
  return shown(*task);
}

Answer SamplingTask::result(const Json& params) {
  Task* const task = find(params);
  if (task == nullptr) return no_such_task();
  task->is_fetched = true;
  task->is_complete = true;
  Json result = sampled();
  result["_meta"] = {{kRelatedTask, {{"taskId", task->id}}}};
  return result;
}

Answer SamplingTask::cancel(const Json& params) {
  Task* const task = find(params);
  if (task == nullptr) return no_such_task();
  task->is_cancelled = true;
  return shown(*task);
}

Answer SamplingTask::list(const Json& params) const {
  if (member(params, "cursor").is_null()) {
    return Json{{"tasks", Json::array()}, {"nextCursor", "assay-cursor-of-page-2"}};
  }
  Json all = Json::array();
  for (const Task& task : tasks_) all.push_back(shown(task));
  return Json{{"tasks", std::move(all)}};
}

}  // namespace assay::scenarios
