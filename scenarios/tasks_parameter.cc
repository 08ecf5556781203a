// Scenarios about which task is meant: the one of the taskId parameter, whatever the metadata says.
//
// Specification: basic/utilities/tasks, "Associating Task-Related Messages": in tasks/get,
// tasks/result and tasks/cancel the parameter is the source of truth, and metadata about a task
// that stands beside it is ignored.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kParameter = "tasks.task-id-parameter-rules";
constexpr RequirementId kIgnored = "tasks.related-task-ignored-in-requests";
constexpr const char* kNoTask = "assay-no-such-task";

// The params of a request about one task whose metadata names another.
Json params_naming(const std::string& id, const std::string& named) {
  return {{"taskId", id}, {"_meta", {{kRelatedTask, {{"taskId", named}}}}}};
}

void leave_open(Script& script, const std::string& why, const Reply& reply) {
  for (const RequirementId rule : {kParameter, kIgnored}) {
    script.unclear(rule, why, reply.events());
  }
}

// The parameter says which task is meant, and the metadata does not.
SCENARIO(tasks_are_known_by_the_parameter, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"})) {
  const auto tool = any_task_tool(script, {kParameter, kIgnored});
  if (!tool) return;
  Connection& session = script.session();
  const TaskCall one = create_task(session, *tool);
  const TaskCall other = create_task(session, *tool);
  if (!one.is_created() || !other.is_created()) {
    no_task(script, one.is_created() ? other : one, {kParameter, kIgnored});
    return;
  }
  const Reply plain = get_task(session, one.id);
  if (!plain.is_result()) {
    script.unclear(kParameter, "tasks/get did not find the task", plain.events());
    script.unclear(kIgnored, "tasks/get did not find the task", plain.events());
    return;
  }
  script.check(kParameter, text_member(plain.result(), "taskId") == one.id, plain,
               "tasks/get gave another task than the one in taskId", "/result/taskId");
  for (const std::string& named : {other.id, std::string(kNoTask)}) {
    const Reply reply = session.request("tasks/get", params_naming(one.id, named));
    const Reply after = get_task(session, one.id);
    if (!after.is_result()) break;  // it has expired, or nothing is answered any more
    const bool is_it = text_member(reply.result(), "taskId") == one.id;
    const bool is_other = text_member(reply.result(), "taskId") == named;
    script.check(kParameter, !is_other, reply,
                 "tasks/get gave the task named in _meta, not the one in taskId", "/result/taskId");
    script.check(kIgnored, is_it, reply,
                 fmt::format("tasks/get with the metadata of {} task was answered with {}",
                             named == other.id ? "another" : "an unknown",
                             is_other ? "that task" : reply.describe()));
    if (!reply.is_answered()) break;  // once is enough to wait for what does not come
  }
  drop_task(session, one.id);
  drop_task(session, other.id);
}

// A cancellation is meant for the task of the parameter: no other one is cancelled, and what the
// metadata says is no reason to refuse it.
void judge_named_cancellation(Script& script, const std::string& id, const std::string& named) {
  Connection& session = script.session();
  const Reply before = get_task(session, id);
  if (is_at_end(before) || !before.is_result()) {
    return leave_open(script, "the task had ended before it could be cancelled", before);
  }
  const Reply reply = session.request("tasks/cancel", params_naming(id, named));
  if (reply.is_error()) {
    // It may have ended just then: only where it can be cancelled now was the metadata the reason.
    const Reply plain = session.request("tasks/cancel", {{"taskId", id}});
    if (status_of(plain) != "cancelled") {
      return leave_open(script, "the task could not be cancelled", reply);
    }
    script.check(kIgnored, false, {reply.events().back(), plain.events().back()},
                 fmt::format("tasks/cancel was answered with {} when its metadata named {} task, "
                             "and accepted without it",
                             reply.describe(), named == kNoTask ? "an unknown" : "another"));
    return;
  }
  if (!reply.is_result()) return leave_open(script, "tasks/cancel was not answered", reply);
  // Nobody else cancels the other one.
  const Reply other = named == kNoTask ? reply : get_task(session, named);
  const bool is_other = text_member(reply.result(), "taskId") == named ||
                        (named != kNoTask && status_of(other) == "cancelled");
  for (const RequirementId rule : {kParameter, kIgnored}) {
    script.check(rule, !is_other, {reply.events().back(), other.events().back()},
                 "tasks/cancel cancelled the task named in _meta, not the one in taskId");
  }
}

SCENARIO(tasks_are_cancelled_by_the_parameter, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"})) {
  if (!script.is_declared("tasks.cancel")) return;
  const auto tool = task_tool(script, Ability::kTaskTakesTime, {kParameter, kIgnored});
  if (!tool) return;
  Connection& session = script.session();
  const TaskCall one = create_task(session, *tool);
  const TaskCall other = create_task(session, *tool);
  if (!one.is_created() || !other.is_created()) {
    no_task(script, one.is_created() ? other : one, {kParameter, kIgnored});
    return;
  }
  judge_named_cancellation(script, one.id, other.id);
  judge_named_cancellation(script, other.id, kNoTask);
}

// What of a result is the tool's: without the metadata that tells whose it is.
Json without_metadata(const Reply& reply) {
  Json result = reply.result();
  if (result.is_object()) result.erase("_meta");
  return result;
}

Reply result_of(Connection& session, const Json& params) {
  return session.await(session.start("tasks/result", params), task_patience(session));
}

// The results of two tasks, as they are given without metadata.
struct Results {
  Reply one;
  Reply other;
};

// The result of a task is asked for with the metadata of another, whose result differs in what it
// says or at least in whose it says it is. Both tasks are at their end, so that there is nothing to
// wait for. False if no answer came.
bool judge_mixed_result(Script& script, const std::string& id, const std::string& named,
                        const Results& results) {
  Connection& session = script.session();
  const Reply mixed = session.request("tasks/result", params_naming(id, named));
  if (!mixed.is_answered()) {
    leave_open(script, "tasks/result with the metadata of another task was not answered", mixed);
    return false;
  }
  const Reply after = session.request("tasks/result", {{"taskId", id}});
  if (!after.is_result()) {
    leave_open(script, "tasks/result failed the second time", after);
    return after.is_answered();
  }
  const std::string_view told =
      text_member(member(member(mixed.result(), "_meta"), kRelatedTask), "taskId");
  const bool differ = without_metadata(results.one) != without_metadata(results.other);
  const bool is_other =
      mixed.is_result() &&
      (told == named || (differ && without_metadata(mixed) == without_metadata(results.other)));
  const std::vector<EventPtr> evidence = {mixed.events().back(), after.events().back()};
  if (mixed.is_error()) {
    script.check(kIgnored, false, evidence,
                 fmt::format("tasks/result was answered with {} when its metadata named {} task, "
                             "and with the result without it",
                             mixed.describe(), named == kNoTask ? "an unknown" : "another"));
    return true;
  }
  for (const RequirementId rule : {kParameter, kIgnored}) {
    script.check(rule, !is_other, evidence,
                 "tasks/result gave the result of the task named in _meta, not the one in taskId");
  }
  return true;
}

SCENARIO(tasks_give_the_result_of_the_parameter, in_turn("tasks"), lengthy(), with_tasks(),
         judges({"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"})) {
  const auto tool = any_task_tool(script, {kParameter, kIgnored});
  if (!tool) return;
  Connection& session = script.session();
  const auto failing = script.tool_with(Ability::kTaskFails);
  const TaskCall one = create_task(session, *tool);
  const TaskCall other = create_task(session, failing.value_or(*tool));
  if (!one.is_created() || !other.is_created()) {
    no_task(script, one.is_created() ? other : one, {kParameter, kIgnored});
    return;
  }
  const Results results{result_of(session, {{"taskId", one.id}}),
                        result_of(session, {{"taskId", other.id}})};
  if (!results.one.is_result() || !results.other.is_result()) {
    const Reply& missing = results.one.is_result() ? results.other : results.one;
    return leave_open(script, "the task gave no result", missing);
  }
  // Who does not answer the one does not answer the other.
  if (!judge_mixed_result(script, one.id, other.id, results)) return;
  judge_mixed_result(script, one.id, kNoTask, results);
}

}  // namespace
}  // namespace assay::scenarios
