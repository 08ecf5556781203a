// Scenarios about the ids of tasks: of none, and of one that has expired.
//
// Specification: basic/utilities/tasks, "TTL and Resource Management", "Protocol Errors".
#include <chrono>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
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
  if (!session.fence()) {
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

// Where no task is named none is meant, be there one or many.
SCENARIO(tasks_are_not_guessed, with_tasks(),
         judges({"tasks.unknown-task-error", "tasks.standard-errors",
                 "tasks.errors-informative"})) {
  const auto tool = any_task_tool(script, {kUnknown});
  if (!tool) return;
  Connection& session = script.session();
  const TaskCall call = create_task(session, *tool);
  if (!call.is_created()) return no_task(script, call, {kUnknown});
  for (const std::string& method : methods_of(session)) {
    for (const Json& params : {Json::object(), Json{{"taskId", nullptr}}}) {
      const auto on_purpose = session.malformed_on_purpose();
      judge_refusal(script, kUnknown, session.request(method, params), method + " without an id");
    }
  }
  drop_task(session, call.id);
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
    return event.is_from_server() && event.message() != nullptr &&
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
