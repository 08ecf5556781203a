// Scenarios in which the server is the requestor: it asks its client for sampling as a task, polls
// it and fetches the result.
//
// Specification: basic/utilities/tasks, "Getting Tasks", "Task Status Notification", "Input
// Required Status".
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/sampling_task.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

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
  while (looks > 0 && !task.is_through()) {
    if (!session.wait_for(session.mark(), is_task_request, session.patience().request)) break;
    if (task.all_looks() == looks) break;
    looks = task.all_looks();
  }
  return reply;
}

// The server looked at its task, and may have stopped too early. While its call is open, it may
// still be between two looks.
void judge_stop(Script& script, RequirementId rule, const SamplingTask& task, const Reply& reply,
                const std::string& detail) {
  if (!task.is_through() && !reply.is_answered()) {
    return script.unclear(rule, detail + ", and its call is still open", reply.events());
  }
  script.check(rule, task.is_through(), script.session().transcript().events(task.from()), detail,
               Awaited{"tasks/get"});
}

void not_asked(Script& script, std::initializer_list<RequirementId> rules) {
  for (const RequirementId rule : rules) {
    script.not_exercised(rule, "the server did not ask for its request to be a task");
  }
}

// The same call once more, of whose task a notification comes: whether the server looks at it now.
bool looks_when_told(Script& script, Connection& session) {
  SamplingTask task(session, "working");
  const auto call = provoke(script, session, {});
  if (!call) return false;
  session.wait_for(
      task.from(), [&](const Event&) { return task.is_asked(); }, session.patience().request);
  task.complete();
  session.await(*call, task_patience(session));
  session.restore_handlers();
  return task.is_followed();
}

// The server did not look at its task by itself. Where its call is open, it may do so later: that a
// notification wakes it says nothing.
void judge_unfollowed(Script& script, Connection& session, const Pending& call, SamplingTask& task,
                      const Reply& reply) {
  constexpr RequirementId kUnaided = "tasks.status-notification-not-relied-on";
  if (!reply.is_answered()) {
    script.unclear(kUnaided, "the server did not poll its task, and its call is still open",
                   reply.events());
    task.complete();
    session.await(call);
    return;
  }
  const std::size_t from = session.mark();
  if (!looks_when_told(script, session)) {
    script.unclear(kUnaided, "the server never polled its task", reply.events());
    return;
  }
  std::vector<EventPtr> events = reply.events();
  for (const EventPtr& event : session.transcript().events(from)) events.push_back(event);
  script.check(kUnaided, false, std::move(events),
               "the server gave up a task that it had not polled, and polled another of which a "
               "notification came",
               Awaited{"tasks/get"});
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
  if (!task.is_followed()) return judge_unfollowed(script, session, *call, task, reply);
  script.check(kUnaided, true, reply);
  judge_stop(script, kPolled, task, reply,
             fmt::format("the server polled its task {} times and stopped, but the task was still "
                         "working",
                         task.looks()));
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
  const Reply reply = see_it_through(session, *call, task);
  if (!task.is_asked()) {
    not_asked(script, {kRule});
  } else if (!task.is_followed()) {
    script.unclear(kRule, "the server never polled its task");
  } else {
    judge_stop(script, kRule, task, reply,
               "the server stopped polling its task after a notification");
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
  if (task.is_cancelled() || !task.is_through()) {
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
