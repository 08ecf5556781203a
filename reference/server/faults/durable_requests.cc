// Faults of requests about tasks of the extension `io.modelcontextprotocol/tasks`: what a task asks
// and is answered, its cancellation, subscriptions, headers and errors. Specification: the page of
// the extension.
#include <string>
#include <string_view>

#include "reference/server/durable_task.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool is_asking(Departure& d) {
  return d.is_result_of("tasks/get") && member(d.result(), "status") == "input_required" &&
         member(d.result(), "inputRequests").is_object();
}

template <Literal kMethod>
bool is_not_found(Departure& d) {
  return d.answers(kMethod.text()) && d.has_error_code(wire::kInvalidParams) &&
         member(member(d.json(), "error"), "message") == "Task not found";
}

// Acknowledges what it cannot have done.
template <Literal kMethod>
void acknowledge_unknown(Departure& d) {
  if (is_not_found<kMethod>(d)) become_result(d, Json::object());
}

// Changes what a key stands for, from the second time on that it is shown.
void alter_question(Departure& d, FaultMemory& memory) {
  if (!is_asking(d)) return;
  Json& times = memory.of_server[string_member(d.result(), "taskId").value_or("")];
  const int shown = times.is_number_integer() ? times.get<int>() : 0;
  times = shown + 1;
  if (shown == 0) return;
  for (Json& request : d.result()["inputRequests"]) {
    request["params"]["message"] = "And now to something else";
  }
}

// Shows all but the first of several questions, every other time.
void hide_question(Departure& d, FaultMemory& memory) {
  if (!is_asking(d)) return;
  Json& requests = d.result()["inputRequests"];
  Json& times = memory.of_server[string_member(d.result(), "taskId").value_or("")];
  const int shown = times.is_number_integer() ? times.get<int>() : 0;
  times = shown + 1;
  if (requests.size() < 2 || shown % 2 == 0) return;
  requests.erase(requests.begin().key());
}

// What the call of a task that is told of said in that member of _meta; null for nothing.
Json asked_for_told_task(Departure& d, FaultMemory& memory, const char* name) {
  if (d.is_result_of("tools/call") && member(d.result(), "resultType") == "task") {
    memory.of_server[string_member(d.result(), "taskId").value_or("")] =
        member(member(asked_params(d), "_meta"), name);
  }
  if (!d.is_notification("notifications/tasks")) return nullptr;
  return memory.of_server[string_member(d.params(), "taskId").value_or("")];
}

void tell_before(Departure& d, std::string_view method, Json params) {
  params["_meta"] = d.params()["_meta"];
  d.before(wire::encode(wire::make_notification(method, std::move(params))));
}

bool tells_of_end(Departure& d) {
  if (!d.is_notification("notifications/tasks")) return false;
  const auto status = string_member(d.params(), "status");
  return status != "working" && status != "input_required";
}

void show_at_work(Json& task) {
  task["status"] = "working";
  task.erase("result");
  task.erase("error");
}

std::vector<Fault> job_input_faults() {
  return {
      {.id = "task-keys-repeated",
       .description = "Gives each question of a task the same key",
       .breaks = {"ext-tasks.key-unique", "ext-tasks.key-one-request", "ext-tasks.key-not-reused"},
       .may_break = {"ext-tasks.update-ignores-other-keys"},
       .inside = Switch::kRepeatsInputKeys},
      {.id = "task-question-changes",
       .description = "Changes a question of a task under its key",
       .breaks = {"ext-tasks.key-one-request", "ext-tasks.key-unique"},
       .may_break = {"ext-tasks.update-ignores-other-keys"},
       .recollection = alter_question},
      {.id = "task-question-hidden",
       .description = "Leaves out one of several questions every other time",
       .breaks = {"ext-tasks.input-requests-complete"},
       .may_break = {"ext-tasks.update-ignores-other-keys"},
       .recollection = hide_question},
      {.id = "task-update-tells",
       .description = "Acknowledges tasks/update with a status",
       .breaks = {"ext-tasks.update-acknowledged"},
       .departure = sets<result_of<"tasks/update">, "/result/status", "working">},
      {.id = "task-update-typed-task",
       .description = "Acknowledges tasks/update with the resultType \"task\"",
       .breaks = {"ext-tasks.update-result-type"},
       .departure = sets<result_of<"tasks/update">, "/result/resultType", "task">},
      {.id = "task-update-unknown-acknowledged",
       .description = "Acknowledges tasks/update for a task that does not exist",
       .breaks = {"ext-tasks.update-unknown-error"},
       .departure = acknowledge_unknown<"tasks/update">},
      {.id = "task-update-other-keys-refused",
       .description = "Refuses responses to keys that a task does not wait for",
       .breaks = {"ext-tasks.update-ignores-other-keys"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/update")) return;
             const Json& responses = member(asked_params(d), "inputResponses");
             for (const auto& [key, response] : responses.items()) {
               if (member(response, "action") != "decline") continue;
               become_error(d, wire::kInvalidParams, "Unknown key: " + key);
             }
           }},
      {.id = "task-cancel-tells",
       .description = "Answers tasks/cancel with the task",
       .breaks = {"ext-tasks.cancel-acknowledged"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/cancel")) return;
             d.result()["taskId"] = member(asked_params(d), "taskId");
             d.result()["status"] = "cancelled";
           }},
      {.id = "task-cancel-refused",
       .description = "Refuses to cancel a task at work",
       .breaks = {"ext-tasks.cancel-acknowledged"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/cancel")) return;
             become_error(d, wire::kInternalError, "The task cannot be stopped");
           }},
      {.id = "task-cancel-typed-task",
       .description = "Acknowledges tasks/cancel with the resultType \"task\"",
       .breaks = {"ext-tasks.cancel-result-type"},
       .departure = sets<result_of<"tasks/cancel">, "/result/resultType", "task">},
      {.id = "task-cancel-unknown-acknowledged",
       .description = "Acknowledges tasks/cancel for a task that does not exist",
       .breaks = {"ext-tasks.cancel-unknown-error"},
       .departure = acknowledge_unknown<"tasks/cancel">},
  };
}

std::vector<Fault> job_error_faults() {
  return {
      {.id = "unknown-task-own-code",
       .description = "Answers tasks/get for a task that does not exist with error -32001",
       .breaks = {"ext-tasks.get-unknown-error", "ext-tasks.standard-errors"},
       .departure = recodes<is_not_found<"tasks/get">, -32001>},
      {.id = "unknown-task-empty",
       .description = "Answers tasks/get for a task that does not exist with a working task",
       .breaks = {"ext-tasks.get-unknown-error"},
       .may_break = {"ext-tasks.get-working"},
       .departure =
           [](Departure& d) {
             if (!is_not_found<"tasks/get">(d)) return;
             become_result(d, {{"taskId", member(asked_params(d), "taskId")},
                               {"status", "working"},
                               {"createdAt", "2026-07-28T10:00:00Z"},
                               {"lastUpdatedAt", "2026-07-28T10:00:00Z"},
                               {"ttlMs", nullptr}});
           }},
      {.id = "unknown-task-internal-error",
       .description = "Answers tasks/update and tasks/cancel for no task with error -32603",
       .breaks = {"ext-tasks.unknown-error-code"},
       .departure =
           [](Departure& d) {
             if (is_not_found<"tasks/update">(d) || is_not_found<"tasks/cancel">(d)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "unknown-task-without-words",
       .description = "Refuses requests for a task that does not exist with an empty message",
       .breaks = {"ext-tasks.errors-informative"},
       .departure =
           [](Departure& d) {
             const bool is_it = is_not_found<"tasks/get">(d) || is_not_found<"tasks/update">(d) ||
                                is_not_found<"tasks/cancel">(d);
             if (is_it) d.json()["error"]["message"] = " ";
           }},
      {.id = "task-shown-to-others",
       .description = "Finds the tasks of other users",
       .breaks = {"ext-tasks.auth-bound"},
       .seen_over = SeenOver::kHttpOnly,
       .inside = Switch::kFindsTasksOfAll,
       .needs_protection = true},
      {.id = "task-answered-by-others",
       .description = "Takes answers for tasks of other users, and acknowledges those for no task",
       .breaks = {"ext-tasks.auth-bound", "ext-tasks.update-unknown-error"},
       .seen_over = SeenOver::kHttpOnly,
       .departure = acknowledge_unknown<"tasks/update">,
       .inside = Switch::kUpdatesTasksOfAll,
       .needs_protection = true},
      {.id = "task-cancelled-by-others",
       .description = "Cancels tasks of other users, and acknowledges that of no task",
       .breaks = {"ext-tasks.auth-bound", "ext-tasks.cancel-unknown-error"},
       .seen_over = SeenOver::kHttpOnly,
       .departure = acknowledge_unknown<"tasks/cancel">,
       .inside = Switch::kCancelsTasksOfAll,
       .needs_protection = true},
      {.id = "task-listened-to-by-others",
       .description = "Lets a client listen to the tasks of other users",
       .breaks = {"ext-tasks.auth-bound"},
       .seen_over = SeenOver::kHttpOnly,
       .inside = Switch::kListensToTasksOfAll,
       .needs_protection = true},
      {.id = "any-task-listened-to",
       .description = "Agrees to tell of any task that a client names, and tells of it",
       .breaks = {"ext-tasks.auth-bound"},
       .seen_over = SeenOver::kHttpOnly,
       .inside = Switch::kListensToAnyTask,
       .needs_protection = true},
      {.id = "task-header-missing-accepted",
       .description = "Serves requests about tasks without Mcp-Name",
       .breaks = {"ext-tasks.routing-header-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears =
           [](const Json& body, transport::HttpHead& head) {
             const auto id = string_member(member(body, "params"), "taskId");
             const auto name = transport::find_header(head.headers, transport::kNameHeader);
             if (id && !name) head.headers.emplace_back(transport::kNameHeader, *id);
           }},
      {.id = "task-header-unread",
       .description = "Serves requests about tasks whose Mcp-Name is of another task",
       .breaks = {"ext-tasks.routing-header-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears =
           [](const Json& body, transport::HttpHead& head) {
             const auto id = string_member(member(body, "params"), "taskId");
             if (!id) return;
             for (auto& [name, value] : head.headers) {
               if (transport::lower_case(name) == "mcp-name") value = *id;
             }
           }},
  };
}

std::vector<Fault> job_listening_faults() {
  return {
      {.id = "task-told-unagreed",
       .description = "Tells of tasks that its acknowledgement does not list",
       .breaks = {"ext-tasks.notified-as-agreed"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/subscriptions/acknowledged")) return;
             Json& filter = d.json()["params"]["notifications"];
             if (filter.is_object()) filter.erase("taskIds");
           }},
      {.id = "task-progress-told",
       .description = "Reports progress on a subscription for a task",
       .breaks = {"ext-tasks.no-progress-when-listening"},
       .may_break = {"progress.token-of-active-request"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/tasks")) return;
             Json params = {{"progressToken", "task"}, {"progress", 1}};
             params["_meta"] = d.json()["params"]["_meta"];
             d.before(wire::encode(
                 wire::make_notification("notifications/progress", std::move(params))));
           }},
      {.id = "task-progress-told-when-asked",
       .description =
           "Reports progress on a subscription for a task whose call has a progressToken",
       .breaks = {"ext-tasks.no-progress-when-listening"},
       .may_break = {"progress.token-of-active-request"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             const Json token = asked_for_told_task(d, memory, "progressToken");
             if (token.is_null()) return;
             tell_before(d, "notifications/progress", {{"progressToken", token}, {"progress", 1}});
           }},
      {.id = "task-log-told-when-asked",
       .description = "Sends log messages on a subscription for a task whose call has a logLevel",
       .breaks = {"ext-tasks.no-progress-when-listening"},
       .may_break = {"logging.on-requesting-stream-only", "logging.level-requested",
                     "subscriptions.only-requested"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             const Json level = asked_for_told_task(d, memory, kLogLevelKey);
             if (level.is_null()) return;
             tell_before(d, "notifications/message",
                         {{"level", level}, {"data", "The task goes on"}});
           }},
      {.id = "ended-task-told-to-work",
       .description = "Tells of a task as working after it has told of its end",
       .breaks = {"ext-tasks.status-transitions"},
       .departure =
           [](Departure& d) {
             if (!tells_of_end(d)) return;
             Json again = d.json();
             show_at_work(again["params"]);
             d.after(again.dump());
           }},
      {.id = "told-task-works-again",
       .description = "Shows a task as working after it has told of its end",
       .breaks = {"ext-tasks.status-transitions"},
       .may_break = {"ext-tasks.cancel-may-lag"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             // A look that crosses the notification shows nothing, the next ones do.
             constexpr int kLooks = 3;
             const bool is_told = tells_of_end(d);
             if (!is_told && !d.is_result_of("tasks/get")) return;
             Json& task = is_told ? d.params() : d.result();
             Json& looks = memory.of_server[string_member(task, "taskId").value_or("")];
             if (is_told) {
               looks = kLooks;
             } else if (looks.is_number() && looks.get<int>() > 0) {
               looks = looks.get<int>() - 1;
               show_at_work(task);
             }
           }},
      {.id = "task-told-in-part",
       .description = "Tells of a task with its id and status alone",
       .breaks = {"ext-tasks.schema"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/tasks")) return;
             const Json& all = d.json()["params"];
             const Json few = {
                 {"taskId", all["taskId"]}, {"status", all["status"]}, {"_meta", all["_meta"]}};
             d.json()["params"] = few;
           }},
  };
}

}  // namespace

std::vector<Fault> durable_request_faults() {
  return of_stateless_era({job_input_faults, job_error_faults, job_listening_faults});
}

}  // namespace assay::server
