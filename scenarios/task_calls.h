// Calls of tools as tasks, and how they go on, for the scenarios about tasks.
//
// Specification: basic/utilities/tasks (2025-11-25).
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "harness/script/means.h"
#include "harness/script/script.h"
#include "harness/script/task_trial.h"

namespace assay::scenarios {

// The key of `_meta` under which a message names the task that it belongs to.
inline constexpr const char* kRelatedTask = "io.modelcontextprotocol/related-task";

// A task-augmented call of a tool, and what came of it.
struct TaskCall {
  harness::Reply reply;
  std::string id;  // of the task; empty if none was created
  bool is_created() const { return !id.empty(); }
};

using harness::kToolsAsTasks;
using harness::runs_tools_as_tasks;
using harness::task_support;

// A tool of that ability which can be called as a task: one of the profile, or where it knows none,
// one that says it can be called as a task and is found by trying. Without one each of the rules is
// noted as not exercised (as not applicable where the server runs no tools as tasks).
std::optional<harness::ToolUse> task_tool(harness::Script& script, harness::Ability ability,
                                          std::initializer_list<catalogue::RequirementId> rules);
// The same for any tool that can be called as a task, known or not.
std::optional<harness::ToolUse> any_task_tool(
    harness::Script& script, std::initializer_list<catalogue::RequirementId> rules);

// The params of the call, with a ttl that outlives every scenario.
Json task_params(const harness::ToolUse& tool, const Json& token = nullptr);
TaskCall create_task(harness::Connection& session, const harness::ToolUse& tool,
                     const Json& token = nullptr);
// Notes that nothing can be said of these rules, as no task was created.
void no_task(harness::Script& script, const TaskCall& call,
             std::initializer_list<catalogue::RequirementId> rules);

// True if tasks/list names the task, on any of its pages.
bool lists_task(harness::Connection& session, std::string_view id);

harness::Reply get_task(harness::Connection& session, const std::string& id);
// The status in the answer to tasks/get or tasks/cancel; empty if there is none.
std::string_view status_of(const harness::Reply& reply);
bool is_at_end(const harness::Reply& reply);
// How long the harness is willing to wait for a task.
std::chrono::milliseconds task_patience(const harness::Connection& session);
// How a task is polled: what asks for it once, and the member of the answer that says how long to
// wait until the next time.
struct Polling {
  std::function<harness::Reply()> get;
  const char* interval;
};
// Polls, no more often than the server asks for, until the status is none of `statuses` or patience
// ends; the last answer.
harness::Reply poll_while(harness::Connection& session, const Polling& polling,
                          std::initializer_list<std::string_view> statuses);
// The same with tasks/get of 2025-11-25.
harness::Reply poll_while(harness::Connection& session, const std::string& id,
                          std::initializer_list<std::string_view> statuses);
// Polls until the task is at its end, cannot be found any more, or patience ends.
harness::Reply await_end(harness::Connection& session, const std::string& id);
// Cancels what is no longer needed, where that can be done.
void drop_task(harness::Connection& session, const std::string& id);

// True if our requests carry something beyond what the transport needs, by which the server could
// tell its requestors apart.
bool has_credentials(harness::Connection& session);

// Judges a refusal that has to carry -32602: the rule about this one, that errors are standard
// ones, and that they tell something. `what` begins the sentence: "tasks/get of an unknown task".
void judge_refusal(harness::Script& script, catalogue::RequirementId rule,
                   const harness::Reply& reply, const std::string& what);

}  // namespace assay::scenarios
