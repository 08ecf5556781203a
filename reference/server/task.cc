#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/server/call.h"
#include "reference/server/session.h"
#include "reference/server/tasks.h"
#include "reference/transport/random_id.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using transport::Outgoing;

// Requests held back for a client that does not come to fetch them.
constexpr std::size_t kMostHeld = 16;

}  // namespace

std::string task_timestamp(system_clock::time_point time) {
  const auto since_epoch = time.time_since_epoch();
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since_epoch);
  const auto rest = std::chrono::duration_cast<milliseconds>(since_epoch - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(whole.count()), rest);
}

std::string_view name(TaskStatus status) {
  switch (status) {
    case TaskStatus::kWorking:
      return "working";
    case TaskStatus::kInputRequired:
      return "input_required";
    case TaskStatus::kCompleted:
      return "completed";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kCancelled:
      return "cancelled";
  }
  return "";
}

bool is_terminal(TaskStatus status) {
  return status != TaskStatus::kWorking && status != TaskStatus::kInputRequired;
}

class Task::TaskSink : public transport::Sink {
 public:
  explicit TaskSink(std::shared_ptr<Task> task) : task_(std::move(task)) {}
  void send(Outgoing message) override { task_->send(std::move(message)); }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(milliseconds) override {}

 private:
  const std::shared_ptr<Task> task_;
};

Task::Task(Session& session, milliseconds ttl)
    : session_(session),
      id_(transport::random_id()),
      ttl_(ttl),
      created_(system_clock::now()),
      started_(std::chrono::steady_clock::now()),
      updated_(created_) {}

std::shared_ptr<transport::Sink> Task::sink(const std::shared_ptr<Task>& task) {
  return std::make_shared<TaskSink>(task);
}

Json Task::json() const {
  const std::lock_guard lock(mutex_);
  return json_locked();
}

Json Task::json_locked() const {
  return {{"taskId", id_},
          {"status", is_odd_ ? "resumed" : name(status_)},
          {"statusMessage", message_},
          {"createdAt", task_timestamp(created_)},
          {"lastUpdatedAt", task_timestamp(updated_)},
          {"ttl", ttl_.count()},
          {"pollInterval", session_.options().poll_interval.count()}};
}

bool Task::is_expired() const {
  if (session_.options().has(Switch::kForgetsTasksEarly)) {
    const std::lock_guard lock(mutex_);
    if (is_terminal(status_)) return true;
  }
  return std::chrono::steady_clock::now() - started_ > ttl_;
}

bool Task::is_revived(TaskStatus status) const {
  return status_ == TaskStatus::kCancelled && status == TaskStatus::kCompleted &&
         session_.options().has(Switch::kCancelledTaskCompletes);
}

bool Task::is_stuck() const {
  return status_ == TaskStatus::kInputRequired &&
         session_.options().has(Switch::kStaysInInputRequired);
}

bool Task::move_to(TaskStatus status, std::string message) {
  if (is_terminal(status_) && !is_revived(status)) return false;
  status_ = status;
  message_ = std::move(message);
  updated_ = system_clock::now();
  session_.announce("notifications/tasks/status", json_locked());
  return true;
}

void Task::complete(const Answer& outcome, const std::function<void()>& last_words) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stuck()) return;
    if (is_terminal(status_)) {
      move_to(TaskStatus::kCompleted, "The operation is complete");
      return;
    }
    outcome_ = outcome;
    const auto* refusal = std::get_if<Refusal>(&outcome);
    const auto* result = std::get_if<Json>(&outcome);
    if (refusal) {
      move_to(TaskStatus::kFailed, refusal->message);
    } else if (result && member(*result, "isError") == true) {
      move_to(TaskStatus::kFailed, "The tool reported an error");
    } else {
      move_to(TaskStatus::kCompleted, "The operation is complete");
    }
  }
  if (last_words) last_words();
  answer_waiting();
}

bool Task::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (!move_to(TaskStatus::kCancelled, "The task was cancelled by request")) return false;
    outcome_ = Refusal{wire::kInternalError, "The task was cancelled"};
  }
  if (!session_.options().has(Switch::kCancelledTaskWorksOn)) stop();
  if (!session_.options().has(Switch::kCancelledHasNoResult)) answer_waiting();
  return true;
}

Answer Task::final_answer() const {
  const auto* result = std::get_if<Json>(&outcome_);
  if (!result) return outcome_;
  Json with_task = *result;
  with_task["_meta"][std::string(kRelatedTask)] = related_task(id_);
  return with_task;
}

Answer Task::result_for(const std::shared_ptr<Call>& call) {
  std::vector<Outgoing> held;
  {
    const std::lock_guard lock(mutex_);
    const bool is_withheld =
        status_ == TaskStatus::kCancelled && session_.options().has(Switch::kCancelledHasNoResult);
    if (is_terminal(status_)) return is_withheld ? Answer(Later{}) : final_answer();
    const bool waits = status_ == TaskStatus::kInputRequired;
    if (session_.options().has(Switch::kAnswersTaskResultEarly) ||
        (waits && session_.options().has(Switch::kGivesResultForInput))) {
      return early_answer();
    }
    if (!session_.calls().add(call)) return Refusal{wire::kInternalError, "Too many requests"};
    waiting_.push_back(call);
    held.swap(held_);
  }
  for (Outgoing& message : held) call->sink()->send(std::move(message));
  return Later{};
}

Json Task::early_answer() const {
  return {{"content", Json::array()}, {"_meta", {{std::string(kRelatedTask), related_task(id_)}}}};
}

void Task::answer_waiting(const std::optional<Json>& early) {
  std::vector<std::weak_ptr<Call>> waiting;
  Answer answer = Later{};
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    answer = early ? Answer(*early) : final_answer();
  }
  for (const std::weak_ptr<Call>& weak : waiting) {
    const std::shared_ptr<Call> call = weak.lock();
    if (!call) continue;
    call->answer(answer);
    session_.calls().remove(*call);
  }
}

void Task::send(Outgoing message) {
  std::shared_ptr<transport::Sink> sink = session_.unrelated();
  {
    const std::lock_guard lock(mutex_);
    const bool can_wait = message.kind == Outgoing::Kind::kRequest && !sink->is_listened_to();
    const std::shared_ptr<Call> waiting = first_waiting();
    if (waiting) {
      sink = waiting->sink();
    } else if (can_wait) {
      if (held_.size() < kMostHeld) held_.push_back(std::move(message));
      return;
    }
  }
  sink->send(std::move(message));
}

std::shared_ptr<Call> Task::first_waiting() const {
  for (const std::weak_ptr<Call>& weak : waiting_) {
    std::shared_ptr<Call> call = weak.lock();
    if (call && !call->is_cancelled()) return call;
  }
  return nullptr;
}

void Task::input_required() {
  if (session_.options().has(Switch::kStaysWorkingForInput)) return;
  {
    const std::lock_guard lock(mutex_);
    move_to(TaskStatus::kInputRequired, "The operation waits for input");
  }
  if (session_.options().has(Switch::kEndsResultForInput)) answer_waiting(early_answer());
}

void Task::input_received() {
  if (session_.options().has(Switch::kStaysWorkingForInput)) return;
  const std::lock_guard lock(mutex_);
  if (is_stuck()) return;
  is_odd_ = session_.options().has(Switch::kOddStatusAfterInput);
  move_to(TaskStatus::kWorking, "The operation goes on with its input");
}

void TaskDirectory::add(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tasks_, [](const auto& weak) { return weak.expired(); });
  tasks_.push_back(task);
}

std::vector<std::shared_ptr<Task>> TaskDirectory::all() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Task>> tasks;
  for (const auto& weak : tasks_) {
    if (std::shared_ptr<Task> task = weak.lock()) tasks.push_back(std::move(task));
  }
  return tasks;
}

std::shared_ptr<Task> Tasks::create(milliseconds ttl) {
  const std::lock_guard lock(mutex_);
  sweep();
  if (tasks_.size() >= session_.options().bounds.tasks) return nullptr;
  std::shared_ptr<Task> task = std::make_shared<Task>(session_, ttl);
  const Options& options = session_.options();
  const bool is_known_to_all =
      options.has(Switch::kListsTasksOfAll) || options.has(Switch::kFindsTasksOfAll);
  if (is_known_to_all) directory_.add(task);
  return tasks_.emplace_back(std::move(task));
}

std::shared_ptr<Task> Tasks::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  sweep();
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [&](const auto& task) { return task->id() == id; });
  if (found != tasks_.end()) return *found;
  if (!session_.options().has(Switch::kFindsTasksOfAll)) return nullptr;
  const auto all = directory_.all();
  const auto other =
      std::find_if(all.begin(), all.end(), [&](const auto& task) { return task->id() == id; });
  return other == all.end() ? nullptr : *other;
}

std::vector<std::shared_ptr<Task>> Tasks::all() {
  if (session_.options().has(Switch::kListsTasksOfAll)) return directory_.all();
  const std::lock_guard lock(mutex_);
  sweep();
  return tasks_;
}

void Tasks::stop_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& task : tasks_) task->stop();
}

void Tasks::sweep() {
  std::erase_if(tasks_, [](const auto& task) {
    if (!task->is_expired()) return false;
    task->cancel();
    return true;
  });
}

}  // namespace assay::server
