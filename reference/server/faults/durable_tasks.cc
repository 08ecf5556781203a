// Faults of tasks of the extension `io.modelcontextprotocol/tasks`: how they come to be, what is
// told of them, and to whom. Specification: the page of the extension.
#include <string>
#include <string_view>

#include "reference/server/durable_task.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::int64_t kNotDeclared = -32021;

// A result that creates a task.
bool is_created(Departure& d) {
  return d.is_result_of("tools/call") && member(d.result(), "resultType") == "task";
}
bool is_got(Departure& d) {
  return d.is_result_of("tasks/get");
}
// A result of tasks/get, or a notification, of a task in that status; the task.
template <Literal kStatus>
Json* task_in(Departure& d) {
  Json* task = nullptr;
  if (d.is_result_of("tasks/get")) task = &d.json()["result"];
  if (d.is_notification("notifications/tasks")) task = &d.json()["params"];
  return task != nullptr && member(*task, "status") == kStatus.text() ? task : nullptr;
}
template <Literal kStatus>
bool is_got_as(Departure& d) {
  return is_got(d) && member(d.result(), "status") == kStatus.text();
}
bool is_refused_undeclared(Departure& d) {
  return d.is_error() && d.has_error_code(kNotDeclared) &&
         member(member(d.json(), "error"), "data").dump().find(tasks_extension().identifier) !=
             std::string::npos;
}
bool is_about_task(std::string_view method) {
  return method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
}

// Takes a request of such a method for one that declares the extension.
template <bool (*kConcerns)(const Json& request)>
void declare_tasks(Json& request, FaultMemory&) {
  if (!has_meta(request) || !kConcerns(request)) return;
  Json& capabilities = meta_of(request)[kClientCapabilitiesKey];
  if (capabilities.is_object()) capabilities.merge_patch(tasks_extension().capability());
}
bool is_call(const Json& request) {
  return member(request, "method") == "tools/call";
}
bool is_about_some_task(const Json& request) {
  return is_about_task(string_member(request, "method").value_or(""));
}
bool is_listen(const Json& request) {
  return member(request, "method") == "subscriptions/listen";
}

void nest_task(Departure& d) {
  if (!is_created(d)) return;
  Json& result = d.result();
  Json task = result;
  task.erase("resultType");
  task.erase("_meta");
  result = {{"resultType", "complete"}, {"task", std::move(task)}, {"_meta", result["_meta"]}};
}

void rename_ttl(Departure& d) {
  if (!is_created(d)) return;
  d.result()["ttl"] = d.result()["ttlMs"];
  d.result().erase("ttlMs");
}

void create_for_prompt(Departure& d) {
  if (!d.is_result_of("prompts/get")) return;
  become_result(d, {{"resultType", "task"},
                    {"taskId", "a-task-of-a-prompt"},
                    {"status", "working"},
                    {"createdAt", "2026-07-28T10:00:00Z"},
                    {"lastUpdatedAt", "2026-07-28T10:00:00Z"},
                    {"ttlMs", 60'000}});
}

std::vector<Fault> job_creation_faults() {
  return {
      {.id = "task-for-undeclared",
       .description = "Answers with a task, whether the request declares the extension or not",
       .breaks = {"ext-tasks.undeclared-no-task"},
       .may_break = {"ext-tasks.missing-capability-error", "versioning.extension-unsupported"},
       .intake = declare_tasks<is_call>},
      {.id = "task-methods-for-undeclared",
       .description = "Serves requests about tasks that do not declare the extension",
       .breaks = {"ext-tasks.methods-undeclared-error"},
       .intake = declare_tasks<is_about_some_task>},
      {.id = "task-subscription-for-undeclared",
       .description = "Accepts subscriptions to tasks that do not declare the extension",
       .breaks = {"ext-tasks.listen-undeclared-error"},
       .intake = declare_tasks<is_listen>},
      {.id = "task-required-other-code",
       .description = "Refuses a call that needs the extension with error -32602",
       .breaks = {"ext-tasks.missing-capability-error"},
       .departure =
           [](Departure& d) {
             if (is_refused_undeclared(d) && d.answers("tools/call")) d.set_error_code(-32602);
           }},
      {.id = "task-required-unnamed",
       .description = "Does not name the extension in error -32021",
       .breaks = {"ext-tasks.missing-capability-error"},
       .may_break = {"ext-tasks.listen-undeclared-error"},
       .departure =
           [](Departure& d) {
             if (!is_refused_undeclared(d)) return;
             d.json()["error"]["data"]["requiredCapabilities"] = {{"extensions", Json::object()},
                                                                  {"tasks", Json::object()}};
           }},
      {.id = "task-methods-other-code",
       .description = "Refuses requests about tasks that do not declare the extension with -32603",
       .breaks = {"ext-tasks.methods-undeclared-error", "ext-tasks.standard-errors"},
       .departure =
           [](Departure& d) {
             const bool is_it =
                 d.answers("tasks/get") || d.answers("tasks/update") || d.answers("tasks/cancel");
             if (is_refused_undeclared(d) && is_it) d.set_error_code(wire::kInternalError);
           }},
      {.id = "task-untyped",
       .description = "Creates a task in a result of the type \"complete\"",
       .breaks = {"ext-tasks.create-result-type"},
       .may_break = {"schema.tools-call-result"},
       .departure = sets<is_created, "/result/resultType", "complete">},
      {.id = "task-nested",
       .description = "Creates a task in a member of the result, as in 2025-11-25",
       .breaks = {"ext-tasks.create-result-type", "ext-tasks.schema"},
       .may_break = {"schema.tools-call-result"},
       .departure = nest_task},
      {.id = "task-type-on-list",
       .description = "Gives a list of tools the resultType of a task",
       .breaks = {"ext-tasks.result-type-reserved"},
       .departure =
           [](Departure& d) {
             const Json& declared =
                 member(member(asked_params(d), "_meta"), kClientCapabilitiesKey);
             if (!d.is_result_of("tools/list") || !declared.contains("extensions")) return;
             d.result()["resultType"] = "task";
           }},
      {.id = "task-type-on-tool-result",
       .description = "Gives the result of a tool the resultType of a task",
       .breaks = {"ext-tasks.result-type-reserved"},
       .departure =
           [](Departure& d) {
             const Json& declared =
                 member(member(asked_params(d), "_meta"), kClientCapabilitiesKey);
             const bool is_it = d.is_result_of("tools/call") && d.result().contains("content") &&
                                declared.contains("extensions");
             if (is_it) d.result()["resultType"] = "task";
           }},
      {.id = "task-of-prompt",
       .description = "Answers prompts/get with a task",
       .breaks = {"ext-tasks.supported-methods-only"},
       .departure =
           [](Departure& d) {
             const Json& declared =
                 member(member(asked_params(d), "_meta"), kClientCapabilitiesKey);
             if (declared.contains("extensions")) create_for_prompt(d);
           }},
      {.id = "task-without-creation-time",
       .description = "Creates a task without createdAt",
       .breaks = {"ext-tasks.schema"},
       .departure = erases<is_created, "/result/createdAt">},
      {.id = "task-ttl-as-before",
       .description = "Says ttl in place of ttlMs when it creates a task",
       .breaks = {"ext-tasks.schema"},
       .departure = rename_ttl},
      {.id = "task-time-in-words",
       .description = "Gives a new task a createdAt that is not a time of ISO 8601",
       .breaks = {"ext-tasks.schema"},
       .departure = sets<is_created, "/result/createdAt", "this morning">},
      {.id = "task-carries-state",
       .description = "Creates a task with the requestState of its questions",
       .breaks = {"ext-tasks.inputs-before-task"},
       .departure = sets<is_created, "/result/requestState", "of-the-questions">},
      {.id = "task-known-late",
       .description = "Does not know a new task the first time it is asked for",
       .breaks = {"ext-tasks.durable-before-answer", "ext-tasks.consistency-awaited"},
       .may_break = {"ext-tasks.kept-for-ttl"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!is_got(d)) return;
             Json& was_asked = memory.of_server[string_member(d.result(), "taskId").value_or("")];
             if (was_asked.is_null()) become_error(d, wire::kInvalidParams, "Task not found");
             was_asked = true;
           }},
      {.id = "task-ids-counted",
       .description = "Numbers its tasks",
       .breaks = {"ext-tasks.ids-unguessable"},
       .inside = Switch::kCountsTaskIds},
  };
}

std::vector<Fault> job_status_faults() {
  return {
      {.id = "task-got-bare",
       .description = "Answers tasks/get of a completed task with the result itself",
       .breaks = {"ext-tasks.get-answers-status"},
       .may_break = {"ext-tasks.same-result"},
       .departure =
           [](Departure& d) {
             if (!is_got_as<"completed">(d)) return;
             Json result = d.result()["result"];
             become_result(d, std::move(result));
           }},
      {.id = "task-status-unknown",
       .description = "Shows a working task with the status \"running\"",
       .breaks = {"ext-tasks.get-answers-status"},
       .departure = sets<is_got_as<"working">, "/result/status", "running">},
      {.id = "working-task-incomplete",
       .description = "Shows a working task without lastUpdatedAt",
       .breaks = {"ext-tasks.get-working"},
       .departure = erases<is_got_as<"working">, "/result/lastUpdatedAt">},
      {.id = "waiting-task-without-questions",
       .description = "Shows a task that needs input without inputRequests",
       .breaks = {"ext-tasks.get-input-required"},
       .departure = erases<is_got_as<"input_required">, "/result/inputRequests">},
      {.id = "completed-task-without-result",
       .description = "Shows a completed task without its result",
       .breaks = {"ext-tasks.get-completed"},
       .may_break = {"ext-tasks.same-result"},
       .departure = erases<is_got_as<"completed">, "/result/result">},
      {.id = "cancelled-task-incomplete",
       .description = "Shows a cancelled task without createdAt",
       .breaks = {"ext-tasks.get-cancelled"},
       .departure = erases<is_got_as<"cancelled">, "/result/createdAt">},
      {.id = "failed-task-without-error",
       .description = "Shows a failed task without its error",
       .breaks = {"ext-tasks.get-failed"},
       .may_break = {"ext-tasks.same-error"},
       .departure = erases<is_got_as<"failed">, "/result/error">},
      {.id = "failed-task-with-text",
       .description = "Shows the error of a failed task as a text",
       .breaks = {"ext-tasks.get-failed"},
       .may_break = {"ext-tasks.same-error"},
       .departure = sets<is_got_as<"failed">, "/result/error", "It failed">},
      {.id = "failed-task-unexplained",
       .description = "Shows a failed task without statusMessage",
       .breaks = {"ext-tasks.failure-explained"},
       .departure = erases<is_got_as<"failed">, "/result/statusMessage">},
      {.id = "task-got-as-task",
       .description = "Answers tasks/get with the resultType \"task\"",
       .breaks = {"ext-tasks.get-result-type"},
       .departure = sets<is_got, "/result/resultType", "task">},
      {.id = "another-task-got",
       .description = "Answers tasks/get of a working task with another one",
       .breaks = {"ext-tasks.get-working"},
       .departure = sets<is_got_as<"working">, "/result/taskId", "another-task">},
      {.id = "tool-error-fails-task",
       .description = "Fails a task whose tool reports an error",
       .breaks = {"ext-tasks.failed-only-for-errors", "ext-tasks.tool-errors-completed"},
       .departure =
           [](Departure& d) {
             Json* const task = task_in<"completed">(d);
             if (task == nullptr || member((*task)["result"], "isError") != true) return;
             (*task)["status"] = "failed";
             (*task)["error"] = {{"code", wire::kInternalError}, {"message", "The tool failed"}};
             task->erase("result");
           }},
      {.id = "tool-error-kept-in-failed-task",
       .description = "Fails a task whose tool reports an error, and shows its result",
       .breaks = {"ext-tasks.failed-only-for-errors", "ext-tasks.tool-errors-completed"},
       .departure =
           [](Departure& d) {
             Json* const task = task_in<"completed">(d);
             if (task == nullptr || member((*task)["result"], "isError") != true) return;
             (*task)["status"] = "failed";
             (*task)["error"] = {{"code", wire::kInternalError}, {"message", "The tool failed"}};
           }},
      {.id = "ended-task-works-again",
       .description = "Shows a task as working again after it has ended",
       .breaks = {"ext-tasks.status-transitions"},
       .may_break = {"ext-tasks.cancel-may-lag"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!is_got(d)) return;
             Json& was_over = memory.of_server[string_member(d.result(), "taskId").value_or("")];
             const std::string status = string_member(d.result(), "status").value_or("");
             if (was_over == true) {
               d.result()["status"] = "working";
               d.result().erase("result");
               d.result().erase("error");
             }
             was_over = status != "working" && status != "input_required";
           }},
      {.id = "ended-task-forgotten",
       .description = "Forgets a task as soon as it has shown its end",
       .breaks = {"ext-tasks.kept-for-ttl"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!is_got(d)) return;
             Json& was_over = memory.of_server[string_member(d.result(), "taskId").value_or("")];
             const std::string status = string_member(d.result(), "status").value_or("");
             if (was_over == true) become_error(d, wire::kInvalidParams, "Task not found");
             was_over = status != "working" && status != "input_required";
           }},
      {.id = "task-error-other-code",
       .description = "Ends a task with another error code than the call would have had",
       .breaks = {"ext-tasks.same-error"},
       .departure = sets<is_got_as<"failed">, "/result/error/code", -32000>},
      {.id = "task-error-in-other-words",
       .description = "Ends a task with another error message than the call would have had",
       .breaks = {"ext-tasks.same-error"},
       .departure = sets<is_got_as<"failed">, "/result/error/message", "Task failed">},
      {.id = "task-result-summarized",
       .description = "Puts other content into a task than the call would have had",
       .breaks = {"ext-tasks.same-result"},
       .departure =
           [](Departure& d) {
             if (!is_got_as<"completed">(d)) return;
             d.result()["result"]["content"] =
                 Json::array({{{"type", "text"}, {"text", "The task is complete."}}});
           }},
  };
}

}  // namespace

std::vector<Fault> durable_task_faults() {
  return of_stateless_era({job_creation_faults, job_status_faults});
}

}  // namespace assay::server
