// Scenarios in which the server is the requestor: it asks its client for sampling as a task, polls
// it and fetches the result.
//
// Specification: basic/utilities/tasks, "Getting Tasks", "Task Status Notification", "Input
// Required Status".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr const char* kTaskIds = "assay-task-0b6f1c1e-5d0e-4c1a-9a57-1d5a3f6f2c";
constexpr const char* kTime = "2025-11-25T10:30:00.000Z";
constexpr std::chrono::milliseconds kPollInterval{120};
// So often the task is shown as it began; then it is at its end.
constexpr std::size_t kLooksAtTask = 3;
// A server that asks for more at once gets no more.
constexpr std::size_t kMostTasks = 20;

// A client that runs sampling as a task, on one connection: each request as one of its own.
class SamplingTask {
 public:
  // A task is shown with this status until it has been looked at kLooksAtTask times or completed.
  SamplingTask(Connection& session, std::string status)
      : session_(session), status_(std::move(status)) {
    session.on_request("sampling/createMessage",
                       [this](const Json& params) { return ask(params); });
    session.on_request("tasks/get", [this](const Json& params) { return get(params); });
    session.on_request("tasks/result", [this](const Json& params) { return result(params); });
    session.on_request("tasks/list", [this](const Json& params) { return list(params); });
    session.on_request("tasks/cancel", [this](const Json& params) { return cancel(params); });
  }

  static Json capabilities() {
    return {{"roots", Json::object()},
            {"sampling", Json::object()},
            {"elicitation", Json::object()},
            {"tasks",
             {{"list", Json::object()},
              {"cancel", Json::object()},
              {"requests", {{"sampling", {{"createMessage", Json::object()}}}}}}}};
  }

  // Announces the status at the first look.
  void announce() { announces_ = true; }
  // From now on the tasks are completed, and said to be.
  void complete() {
    for (Task& task : tasks_) {
      task.is_complete = true;
      session_.notify("notifications/tasks/status", shown(task));
    }
  }

  bool is_asked() const { return !tasks_.empty(); }
  // Where in the session it began.
  std::size_t from() const { return from_; }
  // At the task that it looked at most; and at all of them together.
  std::size_t looks() const {
    std::size_t most = 0;
    for (const Task& task : tasks_) most = std::max(most, task.looks);
    return most;
  }
  std::size_t all_looks() const {
    std::size_t all = 0;
    for (const Task& task : tasks_) all += task.looks;
    return all;
  }
  bool is_fetched() const {
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [](const Task& task) { return task.is_fetched; });
  }
  bool is_followed() const { return all_looks() > 0 || is_fetched(); }

  // How the server polled a task more often than it may; nothing if it did not. The time is counted
  // from before the task was told of: however late either side is, and however many looks come
  // together then, that can only be longer, whether the pollInterval is counted from look to look,
  // from answer to look, or on a timer. Timers come a little early: half of the time is plainly too
  // little.
  std::optional<std::string> haste() const {
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

 private:
  struct Task {
    std::string id;
    std::size_t looks = 0;
    bool is_complete = false;
    bool is_cancelled = false;
    bool is_fetched = false;
    // When the request for it came, and each look up to that at its end.
    std::vector<Clock::time_point> seen = {Clock::now()};
  };

  Json shown(const Task& task) const {
    const std::string now = task.is_complete ? "completed" : status_;
    return {{"taskId", task.id},  {"status", task.is_cancelled ? "cancelled" : now},
            {"createdAt", kTime}, {"lastUpdatedAt", kTime},
            {"ttl", 600'000},     {"pollInterval", kPollInterval.count()}};
  }

  Answer ask(const Json& params) {
    if (!member(params, "task").is_object()) return plain_result();
    if (tasks_.size() == kMostTasks) {
      return RefusedRequest{wire::kInternalError, "too many tasks at once"};
    }
    tasks_.push_back({.id = fmt::format("{}-{}-{:02}", kTaskIds, from_, tasks_.size() + 1)});
    return Json{{"task", shown(tasks_.back())}};
  }

  Task* find(const Json& params) {
    const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) {
      return task.id == text_member(params, "taskId");
    });
    return found == tasks_.end() ? nullptr : &*found;
  }
  static Answer unknown() { return RefusedRequest{wire::kInvalidParams, "there is no such task"}; }

  Answer get(const Json& params) {
    Task* const task = find(params);
    if (task == nullptr) return unknown();
    ++task->looks;
    if (task->looks <= kLooksAtTask + 1) task->seen.push_back(Clock::now());
    if (task->looks > kLooksAtTask) task->is_complete = true;
    if (announces_ && task->looks == 1) {
      session_.notify("notifications/tasks/status", shown(*task));
    }
    return shown(*task);
  }

  // Whoever waits for the result has waited long enough.
  Answer result(const Json& params) {
    Task* const task = find(params);
    if (task == nullptr) return unknown();
    task->is_fetched = true;
    task->is_complete = true;
    Json result = plain_result();
    result["_meta"] = {{kRelatedTask, {{"taskId", task->id}}}};
    return result;
  }

  Answer cancel(const Json& params) {
    Task* const task = find(params);
    if (task == nullptr) return unknown();
    task->is_cancelled = true;
    return shown(*task);
  }

  // Two pages.
  Answer list(const Json& params) const {
    if (member(params, "cursor").is_null()) {
      return Json{{"tasks", Json::array()}, {"nextCursor", "assay-cursor-of-page-2"}};
    }
    Json all = Json::array();
    for (const Task& task : tasks_) all.push_back(shown(task));
    return Json{{"tasks", std::move(all)}};
  }

  static Json plain_result() {
    return {{"role", "assistant"},
            {"content", {{"type", "text"}, {"text", "A short answer."}}},
            {"model", "assay-model"},
            {"stopReason", "endTurn"}};
  }

  Connection& session_;
  const std::string status_;
  const std::size_t from_ = session_.mark();  // no later client of the session has such a task
  bool announces_ = false;
  std::vector<Task> tasks_;
};

bool is_task_request(const Event& event) {
  return event.is_from_server() && event.message() != nullptr &&
         event.message()->method().starts_with("tasks/");
}

// Calls a tool that asks for sampling as a task; nothing if there is none, and the rules say so.
std::optional<Pending> provoke(Script& script, Connection& session,
                               std::initializer_list<RequirementId> rules) {
  const Survey survey = Survey::take(session);  // it may show this client more than another
  const auto tool = find_tool(survey, script.tool_policy(), Ability::kSamplesAsTask);
  if (!tool) {
    const Lack lack = lack_of(survey, script.tool_policy(), Ability::kSamplesAsTask);
    for (const RequirementId rule : rules) script.not_exercised(rule, lack.why, lack.hint);
    return std::nullopt;
  }
  return session.start("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
}

// Waits for the answer to the call, and for as long as nothing comes, for another look or two.
Reply see_it_through(Connection& session, const Pending& call, const SamplingTask& task) {
  Reply reply = session.await(call, task_patience(session));
  std::size_t looks = task.all_looks();
  while (!task.is_fetched() && looks > 0 && task.looks() <= kLooksAtTask) {
    if (!session.wait_for(session.mark(), is_task_request, session.patience().request)) break;
    if (task.all_looks() == looks) break;
    looks = task.all_looks();
  }
  return reply;
}

void not_asked(Script& script, std::initializer_list<RequirementId> rules) {
  for (const RequirementId rule : rules) {
    script.not_exercised(rule, "the server did not ask for its request to be a task");
  }
}

// A server follows the task that it asked for by itself: nobody tells it anything.
SCENARIO(tasks_of_the_client_are_polled, in_turn("client with tasks"), lengthy(), with_tasks(),
         judges({"tasks.status-notification-not-relied-on", "tasks.polled-until-terminal",
                 "tasks.poll-interval-respected"})) {
  constexpr RequirementId kUnaided = "tasks.status-notification-not-relied-on";
  constexpr RequirementId kPolled = "tasks.polled-until-terminal";
  constexpr RequirementId kInterval = "tasks.poll-interval-respected";
  Connection& session = script.session_that_declares(SamplingTask::capabilities());
  SamplingTask task(session, "working");
  const auto call = provoke(script, session, {kUnaided, kPolled, kInterval});
  if (!call) return;
  const Reply reply = see_it_through(session, *call, task);
  if (!task.is_asked()) {
    not_asked(script, {kUnaided, kPolled, kInterval});
    return;
  }
  if (!task.is_followed()) {
    const std::size_t from = session.mark();
    task.complete();
    session.wait_for(from, is_task_request, session.patience().request);
    if (task.is_followed()) {
      script.check(kUnaided, false, session.transcript().events(from),
                   "the server did not poll its task before a notification came",
                   Awaited{"tasks/get"});
    } else {
      script.unclear(kUnaided, "the server never polled its task", reply.events());
    }
    return;
  }
  script.check(kUnaided, true, reply);
  const bool is_through = task.is_fetched() || task.looks() > kLooksAtTask;
  script.check(
      kPolled, is_through, session.transcript().events(task.from()),
      fmt::format("the server polled its task {} times and stopped, but the task was still working",
                  task.looks()),
      Awaited{"tasks/get"});
  if (task.looks() <= kLooksAtTask) return;
  const auto haste = task.haste();
  script.check(kInterval, !haste, session.transcript().events(task.from()), haste.value_or(""),
               Crossed{});
}

// A notification is welcome, but no reason to stop looking.
SCENARIO(tasks_of_the_client_are_polled_beside_notifications, in_turn("client with tasks"),
         lengthy(), with_tasks(), judges({"tasks.polled-despite-notifications"})) {
  constexpr RequirementId kRule = "tasks.polled-despite-notifications";
  Connection& session = script.session_that_declares(SamplingTask::capabilities());
  SamplingTask task(session, "working");
  task.announce();
  const auto call = provoke(script, session, {kRule});
  if (!call) return;
  see_it_through(session, *call, task);
  if (!task.is_asked()) {
    not_asked(script, {kRule});
  } else if (!task.is_followed()) {
    script.unclear(kRule, "the server never polled its task");
  } else {
    script.check(kRule, task.is_fetched() || task.looks() > kLooksAtTask,
                 session.transcript().events(task.from()),
                 "the server stopped polling its task after a notification", Awaited{"tasks/get"});
  }
  if (!task.is_fetched()) task.complete();
}

// A task that waits for its requestor is asked for its result, so that it can say what it needs.
SCENARIO(tasks_of_the_client_are_given_input, in_turn("client with tasks"), lengthy(), with_tasks(),
         judges({"tasks.input-required-result-called"})) {
  constexpr RequirementId kRule = "tasks.input-required-result-called";
  Connection& session = script.session_that_declares(SamplingTask::capabilities());
  SamplingTask task(session, "input_required");
  const auto call = provoke(script, session, {kRule});
  if (!call) return;
  see_it_through(session, *call, task);
  if (!task.is_asked()) {
    not_asked(script, {kRule});
    return;
  }
  if (task.looks() <= kLooksAtTask && !task.is_fetched()) {
    script.unclear(kRule, "the server stopped polling its task");
    return;
  }
  script.check(kRule, task.looks() <= kLooksAtTask, session.transcript().events(task.from()),
               fmt::format("the server saw input_required {} times, and did not call tasks/result",
                           kLooksAtTask),
               Awaited{"tasks/result"});
}

// A server that gives up a task of its client's does so with tasks/cancel, and not with the
// notification that cancels a plain request: the monitor judges which of the two it sends.
SCENARIO(tasks_of_the_client_are_cancelled_as_tasks, last_in_turn("client with tasks"), lengthy(),
         with_tasks(), judges({"cancellation.tasks-use-tasks-cancel"})) {
  constexpr RequirementId kRule = "cancellation.tasks-use-tasks-cancel";
  Connection& session = script.session_that_declares(SamplingTask::capabilities());
  SamplingTask task(session, "working");
  const auto call = provoke(script, session, {kRule});
  if (!call) return;
  session.wait_for(call->from, is_task_request, session.patience().request);
  if (!task.is_asked()) return not_asked(script, {kRule});
  session.notify("notifications/cancelled", {{"requestId", wire::to_json(call->id)}});
  const EventPtr cancellation = session.wait_for(
      call->from,
      [](const Event& event) {
        if (event.is_from_client() || event.message() == nullptr) return false;
        const std::string_view method = event.message()->method();
        return method == "tasks/cancel" || method == "notifications/cancelled";
      },
      session.patience().request);
  session.fence();
  if (cancellation) return;
  script.not_exercised(kRule, "the server did not give up its task when its call was cancelled");
}

// What else a server asks of such a client is no task, as that is not declared.
SCENARIO(tasks_are_not_asked_for_where_undeclared, in_turn("client with tasks"), with_tasks(),
         judges({})) {
  Connection& session = script.session_that_declares(SamplingTask::capabilities());
  if (!session.has_begun()) return;
  const Survey survey = Survey::take(session);
  if (const auto tool = find_tool(survey, script.tool_policy(), Ability::kElicits)) {
    session.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  }
}

}  // namespace
}  // namespace assay::scenarios
