// Tasks of the extension `io.modelcontextprotocol/tasks`: calls of tools that go on when their
// request has been answered, and that any later request of the same user may ask about.
//
// Specification: the extension's page, "Task Creation" to "Task Status Notifications". They belong
// to the server and not to a connection; a task lives for its ttl, and is swept when a request
// looks at the tasks after that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/extension.h"
#include "reference/server/answer.h"
#include "reference/server/options.h"
#include "reference/server/requests_to_client.h"
#include "reference/server/tasks.h"

namespace assay::server {

class Context;
class Subscriptions;

// The extension whose tasks they are.
const model::Extension& tasks_extension();

// What a task asks its client.
struct TaskQuestion {
  std::string method;
  Json params;
};

// Thread safety: any thread may call any member.
class DurableTask {
 public:
  // `options` and `subscriptions` outlive it.
  DurableTask(const Options& options, Subscriptions& subscriptions, std::string id,
              std::string user);

  const std::string& id() const { return id_; }
  const std::string& user() const { return user_; }
  std::stop_token stop_token() const { return stop_.get_token(); }

  // The Task object; and the same with what its status brings: its result, error or questions.
  Json json() const;
  Json detailed() const;
  bool is_expired() const;

  // The work has ended with `outcome`; ignored if the task is terminal already.
  void complete(const Answer& outcome);
  // Ignored if the task is terminal already.
  void cancel();
  void stop() { stop_.request_stop(); }
  // Waits until the client has answered all of them.
  std::vector<ClientAnswer> ask(const std::vector<TaskQuestion>& questions);
  // Takes `inputResponses`. What answers no open question is ignored; what is no answer to one is a
  // defect, and then nothing is taken.
  std::optional<std::string> take(const Context& context, const Json& responses);

 private:
  struct Open {
    TaskQuestion question;
    Json answer = nullptr;  // null: not answered yet
  };
  // All of these with mutex_ held.
  void move_to(TaskStatus status, std::string message);
  void go_on();
  Json json_locked() const;
  Json detailed_locked() const;
  bool are_answered() const;
  std::string next_key();

  const Options& options_;
  Subscriptions& subscriptions_;
  const std::string id_;
  const std::string user_;
  const std::chrono::system_clock::time_point created_;
  const std::chrono::steady_clock::time_point started_;
  std::stop_source stop_;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable_any has_answers_;
  TaskStatus status_ = TaskStatus::kWorking;
  std::string message_ = "The operation is in progress";
  std::chrono::system_clock::time_point updated_;
  std::map<std::string, Open> questions_;  // by key: those that the task waits for
  std::uint64_t last_key_ = 0;
  Json payload_ = nullptr;  // of a terminal status: the result, or the error
};

// Thread safety: any thread may call any member.
class DurableTasks {
 public:
  // Both outlive it.
  DurableTasks(const Options& options, Subscriptions& subscriptions)
      : options_(options), subscriptions_(subscriptions) {}

  // Nothing when the user has too many.
  std::shared_ptr<DurableTask> create(const std::string& user);
  // Nothing for one that is somebody else's, too, except where the server has the lapse.
  std::shared_ptr<DurableTask> find(const std::string& id, const std::string& user,
                                    Switch lapse = Switch::kFindsTasksOfAll);
  void stop_all();

 private:
  void sweep();  // with mutex_ held

  const Options& options_;
  Subscriptions& subscriptions_;
  std::mutex mutex_;  // guards everything below
  std::map<std::string, std::shared_ptr<DurableTask>> tasks_;
  std::uint64_t last_number_ = 0;
};

}  // namespace assay::server
