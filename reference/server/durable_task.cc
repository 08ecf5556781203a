#include "reference/server/durable_task.h"

#include <algorithm>
#include <utility>

#include "reference/server/context.h"
#include "reference/server/handlers.h"
#include "reference/server/inputs.h"
#include "reference/server/subscriptions.h"
#include "reference/transport/random_id.h"

namespace assay::server {

using std::chrono::system_clock;

const model::Extension& tasks_extension() {
  static const model::Extension& kTasks = *model::find_extension("tasks");
  return kTasks;
}

DurableTask::DurableTask(const Options& options, Subscriptions& subscriptions, std::string id,
                         std::string user)
    : options_(options),
      subscriptions_(subscriptions),
      id_(std::move(id)),
      user_(std::move(user)),
      created_(system_clock::now()),
      started_(std::chrono::steady_clock::now()),
      updated_(created_) {}

Json DurableTask::json() const {
  const std::lock_guard lock(mutex_);
  return json_locked();
}

Json DurableTask::json_locked() const {
  return {{"taskId", id_},
          {"status", name(status_)},
          {"statusMessage", message_},
          {"createdAt", task_timestamp(created_)},
          {"lastUpdatedAt", task_timestamp(updated_)},
          {"ttlMs", options_.default_ttl.count()},
          {"pollIntervalMs", options_.poll_interval.count()}};
}

Json DurableTask::detailed() const {
  const std::lock_guard lock(mutex_);
  return detailed_locked();
}

Json DurableTask::detailed_locked() const {
  Json json = json_locked();
  if (status_ == TaskStatus::kCompleted) json["result"] = payload_;
  if (status_ == TaskStatus::kFailed) json["error"] = payload_;
  if (status_ != TaskStatus::kInputRequired) return json;
  Json& requests = json["inputRequests"] = Json::object();
  for (const auto& [key, open] : questions_) {
    if (!open.answer.is_null()) continue;
    requests[key] = {{"method", open.question.method}, {"params", open.question.params}};
  }
  return json;
}

bool DurableTask::is_expired() const {
  return std::chrono::steady_clock::now() - started_ > options_.default_ttl;
}

void DurableTask::move_to(TaskStatus status, std::string message) {
  status_ = status;
  message_ = std::move(message);
  updated_ = system_clock::now();
  subscriptions_.tell("notifications/tasks", detailed_locked());
}

void DurableTask::go_on() {
  move_to(TaskStatus::kWorking, "The operation goes on with its input");
}

void DurableTask::complete(const Answer& outcome) {
  const std::lock_guard lock(mutex_);
  if (is_terminal(status_)) return;
  questions_.clear();
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) {
    payload_ = {{"code", refusal->code}, {"message", refusal->message}};
    if (!refusal->data.is_null()) payload_["data"] = refusal->data;
    return move_to(TaskStatus::kFailed, refusal->message);
  }
  const auto* result = std::get_if<Json>(&outcome);
  payload_ = result == nullptr ? Json::object() : *result;
  // All of what the call would have been answered with, its type as well.
  if (!payload_.contains("resultType")) payload_["resultType"] = "complete";
  move_to(TaskStatus::kCompleted, "The operation is complete");
}

void DurableTask::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (is_terminal(status_)) return;
    questions_.clear();
    move_to(TaskStatus::kCancelled, "The task was cancelled by request");
  }
  stop();
}

bool DurableTask::are_answered() const {
  return std::all_of(questions_.begin(), questions_.end(),
                     [](const auto& each) { return !each.second.answer.is_null(); });
}

std::string DurableTask::next_key() {
  if (options_.has(Switch::kRepeatsInputKeys)) return "input";
  return "input-" + std::to_string(++last_key_);
}

std::vector<ClientAnswer> DurableTask::ask(const std::vector<TaskQuestion>& questions) {
  std::vector<ClientAnswer> answers(questions.size(), {ClientAnswer::Kind::kCancelled, nullptr});
  std::unique_lock lock(mutex_);
  if (is_terminal(status_)) return answers;
  std::vector<std::string> keys;
  for (const TaskQuestion& question : questions) {
    keys.push_back(next_key());
    questions_[keys.back()] = {question, nullptr};
  }
  move_to(TaskStatus::kInputRequired, "The operation waits for input");
  // A client may take as long as the task lives.
  const bool is_done =
      has_answers_.wait_until(lock, stop_.get_token(), started_ + options_.default_ttl,
                              [this] { return is_terminal(status_) || are_answered(); });
  if (is_terminal(status_) || stop_.stop_requested()) return answers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers[i] = is_done ? ClientAnswer{ClientAnswer::Kind::kResult, questions_[keys[i]].answer}
                         : ClientAnswer{ClientAnswer::Kind::kTimedOut, nullptr};
  }
  questions_.clear();
  if (status_ == TaskStatus::kInputRequired) go_on();
  return answers;
}

std::optional<std::string> DurableTask::take(const Context& context, const Json& responses) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, const Json*> taken;
  for (const auto& [key, response] : responses.items()) {
    const auto open = questions_.find(key);
    if (open == questions_.end() || !open->second.answer.is_null()) continue;
    const TaskQuestion& question = open->second.question;
    if (const auto defect = defect_of_answer(context, question.method, question.params, response)) {
      return "inputResponses/" + key + ": " + *defect;
    }
    taken[key] = &response;
  }
  for (const auto& [key, response] : taken) questions_[key].answer = *response;
  if (taken.empty()) return std::nullopt;
  if (are_answered()) {
    // From now on, and not from when its tool hears of it: nothing is asked any more.
    go_on();
    has_answers_.notify_all();
  } else {
    move_to(TaskStatus::kInputRequired, "The operation waits for more input");
  }
  return std::nullopt;
}

std::shared_ptr<DurableTask> DurableTasks::create(const std::string& user) {
  const std::lock_guard lock(mutex_);
  sweep();
  const auto is_theirs = [&](const auto& each) { return each.second->user() == user; };
  const auto held = std::count_if(tasks_.begin(), tasks_.end(), is_theirs);
  if (static_cast<std::size_t>(held) >= options_.bounds.durable_tasks) return nullptr;
  const std::string id = options_.has(Switch::kCountsTaskIds)
                             ? "task-" + std::to_string(++last_number_)
                             : transport::random_id();
  return tasks_.emplace(id, std::make_shared<DurableTask>(options_, subscriptions_, id, user))
      .first->second;
}

std::shared_ptr<DurableTask> DurableTasks::find(const std::string& id, const std::string& user,
                                                Switch lapse) {
  const std::lock_guard lock(mutex_);
  sweep();
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return nullptr;
  const bool is_theirs = found->second->user() == user;
  const bool is_open_to_all = options_.has(Switch::kFindsTasksOfAll) || options_.has(lapse);
  return is_theirs || is_open_to_all ? found->second : nullptr;
}

void DurableTasks::stop_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, task] : tasks_) task->stop();
}

void DurableTasks::sweep() {
  std::erase_if(tasks_, [](const auto& each) {
    if (!each.second->is_expired()) return false;
    each.second->stop();
    return true;
  });
}

}  // namespace assay::server
