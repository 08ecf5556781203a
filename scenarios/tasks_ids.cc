// Scenarios about which task is meant: by an id that is known, unknown or expired, whatever the
// metadata says.
//
// Specification: basic/utilities/tasks, "Associating Task-Related Messages", "Protocol Errors".
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kUnknown = "tasks.unknown-task-error";

std::vector<std::string> methods_of(Connection& session) {
  std::vector<std::string> methods = {"tasks/get", "tasks/result"};
  if (session.has_capability("tasks.cancel")) methods.emplace_back("tasks/cancel");
  return methods;
}

// An id that is of no task, or no id at all, is refused by each method that takes one.
SCENARIO(tasks_refuse_unknown_ids, with_tasks(),
         judges({"tasks.unknown-task-error", "tasks.standard-errors",
                 "tasks.errors-informative"})) {
  Connection& session = script.session();
  if (!session.has_capability("tasks.requests")) return;
  if (!session.barrier()) {
    script.unclear(kUnknown, "a ping before it was not answered");
    return;
  }
  for (const std::string& method : methods_of(session)) {
    judge_refusal(script, kUnknown, session.request(method, {{"taskId", "assay-no-such-task"}}),
                  method + " of an unknown task");
    const auto on_purpose = session.malformed_on_purpose();
    judge_refusal(script, kUnknown, session.request(method, {{"taskId", 7}}),
                  method + " with a number for an id");
  }
}

// The parameter says which task is meant, and the metadata does not.
SCENARIO(tasks_are_known_by_the_parameter, own_session(), lengthy(), with_tasks(),
         judges({"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"})) {
  constexpr RequirementId kParameter = "tasks.task-id-parameter-rules";
  constexpr RequirementId kIgnored = "tasks.related-task-ignored-in-requests";
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
               "tasks/get gave another task than the one that was named", "/result/taskId");
  for (const std::string& named : {other.id, std::string("assay-no-such-task")}) {
    const Reply reply = session.request(
        "tasks/get", {{"taskId", one.id}, {"_meta", {{kRelatedTask, {{"taskId", named}}}}}});
    const Reply after = get_task(session, one.id);
    if (!after.is_result()) break;  // it has expired, or nothing is answered any more
    const bool is_it = text_member(reply.result(), "taskId") == one.id;
    const bool is_other = text_member(reply.result(), "taskId") == named;
    script.check(kParameter, !is_other, reply,
                 "tasks/get gave the task of the metadata, and not that of taskId",
                 "/result/taskId");
    script.check(kIgnored, is_it, reply,
                 fmt::format("tasks/get with the metadata of {} task was answered with {}",
                             named == other.id ? "another" : "an unknown",
                             is_other ? "that task" : reply.describe()));
    if (!reply.is_answered()) break;  // once is enough to wait for what does not come
  }
  drop_task(session, one.id);
  drop_task(session, other.id);
}

// A task that has outlived its ttl may be gone, and is then an unknown one.
SCENARIO(tasks_expire, with_tasks(),
         judges({"tasks.expired-may-be-deleted", "tasks.unknown-task-error",
                 "tasks.standard-errors", "tasks.errors-informative"})) {
  constexpr RequirementId kRule = "tasks.expired-may-be-deleted";
  constexpr std::chrono::milliseconds kTtl{20};
  constexpr int kLooks = 8;
  const auto tool = any_task_tool(script, {kRule});
  if (!tool) return;
  Connection& session = script.session();
  Json params = task_params(*tool);
  params["task"]["ttl"] = kTtl.count();
  const Reply reply = session.request("tools/call", params);
  const std::string id(text_member(member(reply.result(), "task"), "taskId"));
  if (id.empty()) return;
  const auto is_about_it = [](const Event& event) {
    return !event.is_sent() && event.message() != nullptr &&
           event.message()->method() == "notifications/tasks/status";
  };
  for (int look = 0; look < kLooks; ++look) {
    session.wait_for(session.mark(), is_about_it, kTtl);
    const Reply got = get_task(session, id);
    if (got.is_error()) {
      script.check(kRule, true, got);
      judge_refusal(script, kUnknown, got, "tasks/get of a task that has expired");
      return;
    }
    if (!got.is_result()) break;
  }
  script.not_exercised(kRule, "the server kept the task longer than was asked for");
  drop_task(session, id);
}

}  // namespace
}  // namespace assay::scenarios
