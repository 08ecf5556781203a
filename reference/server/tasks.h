// Task-augmented tool calls. Specification: basic/utilities/tasks (2025-11-25).
//
// A task belongs to its session: nobody else can see it. It lives for its ttl, at most
// Options::longest_ttl, and is swept when a request looks at the tasks after that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/answer.h"
#include "reference/server/tool_dialogue.h"

namespace assay::server {

class Call;
class Session;

enum class TaskStatus { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };
std::string_view name(TaskStatus status);
bool is_terminal(TaskStatus status);
// As tasks write it: ISO 8601, with milliseconds.
std::string task_timestamp(std::chrono::system_clock::time_point time);

// Thread safety: any thread may call any member.
class Task : public InputWatcher {
 public:
  // `session` outlives what the task sends: whoever runs the task keeps it alive.
  Task(Session& session, std::chrono::milliseconds ttl);

  const std::string& id() const { return id_; }
  std::stop_token stop_token() const { return stop_.get_token(); }
  // Where what the tool says goes: to a client that waits for the result, or else to wherever the
  // session's unrelated messages go. Valid as long as the task.
  static std::shared_ptr<transport::Sink> sink(const std::shared_ptr<Task>& task);

  // The Task object of the specification.
  Json json() const;
  bool is_expired() const;
  // The work has ended with `outcome`; ignored if the task is terminal already. `last_words` are
  // said when its status tells so and its result is not yet given, by a fault only.
  void complete(const Answer& outcome, const std::function<void()>& last_words = {});
  // False if the task is terminal already.
  bool cancel();
  void stop() { stop_.request_stop(); }
  // Answers tasks/result now, or when the task is terminal.
  Answer result_for(const std::shared_ptr<Call>& call);

  void input_required() override;
  void input_received() override;

 private:
  class TaskSink;
  bool move_to(TaskStatus status, std::string message);  // with mutex_ held
  bool is_revived(TaskStatus status) const;              // with mutex_ held, by a fault only
  bool is_stuck() const;                                 // with mutex_ held, by a fault only
  Json json_locked() const;
  Answer final_answer() const;  // with mutex_ held
  Json early_answer() const;    // by a fault only: what is said before there is a result
  void answer_waiting(const std::optional<Json>& early = std::nullopt);
  // Sends, or holds a request back until a client waits for the result.
  void send(transport::Outgoing message);
  std::shared_ptr<Call> first_waiting() const;  // with mutex_ held

  Session& session_;
  const std::string id_;
  const std::chrono::milliseconds ttl_;
  const std::chrono::system_clock::time_point created_;
  const std::chrono::steady_clock::time_point started_;
  std::stop_source stop_;

  mutable std::mutex mutex_;  // guards everything below
  TaskStatus status_ = TaskStatus::kWorking;
  std::string message_ = "The operation is in progress";
  std::chrono::system_clock::time_point updated_;
  bool is_odd_ = false;  // by a fault only: the status has no name that there is
  Answer outcome_ = Later{};
  std::vector<std::weak_ptr<Call>> waiting_;  // calls of tasks/result, kept alive by the registry
  std::vector<transport::Outgoing> held_;
};

// The tasks of all sessions of a server. Thread safety: any thread may call any member.
class TaskDirectory {
 public:
  void add(const std::shared_ptr<Task>& task);
  // In the order of their creation.
  std::vector<std::shared_ptr<Task>> all();

 private:
  std::mutex mutex_;  // guards tasks_
  std::vector<std::weak_ptr<Task>> tasks_;
};

// The tasks of one session, in the order of their creation.
class Tasks {
 public:
  // `directory` outlives it; only a server that shows its clients too much has use for it.
  Tasks(Session& session, TaskDirectory& directory) : session_(session), directory_(directory) {}

  // Nothing when the client holds too many.
  std::shared_ptr<Task> create(std::chrono::milliseconds ttl);
  std::shared_ptr<Task> find(const std::string& id);
  std::vector<std::shared_ptr<Task>> all();
  void stop_all();

 private:
  void sweep();  // with mutex_ held

  Session& session_;
  TaskDirectory& directory_;
  std::mutex mutex_;  // guards tasks_
  std::vector<std::shared_ptr<Task>> tasks_;
};

}  // namespace assay::server
