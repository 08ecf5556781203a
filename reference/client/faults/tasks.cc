// How a client can run tasks badly for a server. Specification: basic/utilities/tasks, 2025-11-25.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

bool has_id(Departure& d, std::string_view id) {
  return d.json().is_object() && !d.json().contains("method") && d.json().contains("id") &&
         d.json()["id"] == id;
}

bool gives_result_of(const Departure& d, std::string_view method) {
  return d.answers(method) && !d.is_error();
}

// The task that it created.
Json* created(Departure& d) {
  const bool is_it =
      gives_result_of(d, "sampling/createMessage") && d.json()["result"].contains("task");
  return is_it ? &d.json()["result"]["task"] : nullptr;
}

// It looks at a task whose id begins so, or fetches its result.
bool asks_after(Departure& d, std::string_view prefix) {
  const bool asks = d.is_request("tasks/get") || d.is_request("tasks/result");
  if (!asks || !d.params().is_object()) return false;
  const Json id = d.params().value("taskId", Json());
  return id.is_string() && id.get_ref<const std::string&>().starts_with(prefix);
}

void answer_with(Departure& d, Json result) {
  d.json().erase("error");
  d.json()["result"] = std::move(result);
}

Json some_task(const char* status) {
  return {{"taskId", "some"},
          {"status", status},
          {"createdAt", "2025-11-25T10:30:00Z"},
          {"lastUpdatedAt", "2025-11-25T10:30:00Z"},
          {"ttl", nullptr}};
}

}  // namespace

std::vector<Fault> task_faults() {
  return {
      {.id = "task-not-created",
       .description = "Samples at once where a task was asked for",
       .breaks = {"tasks.create-result-returned"},
       .departure =
           [](Departure& d) {
             if (created(d) == nullptr) return;
             answer_with(d, {{"role", "assistant"},
                             {"model", "m"},
                             {"content", {{"type", "text"}, {"text", "At once"}}}});
           }},
      {.id = "tasks-undeclared",
       .description = "Runs tasks, and declares no such capability",
       .breaks = {"tasks.undeclared-ignored", "tasks.capability-declared"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["capabilities"].erase("tasks");
           }},
      {.id = "task-types-undeclared",
       .description = "Runs sampling as tasks, and declares tasks for nothing",
       .breaks = {"tasks.undeclared-ignored", "tasks.request-types-declared"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["capabilities"]["tasks"].erase("requests");
           }},
      {.id = "task-ids-alike",
       .description = "Gives all tasks the same id",
       .breaks = {"tasks.id-unique"},
       .departure =
           [](Departure& d) {
             if (Json* task = created(d)) (*task)["taskId"] = "the-task";
           }},
      {.id = "task-of-meta-shown",
       .description = "Shows the task that _meta names, and not that of taskId",
       .breaks = {"tasks.related-task-ignored-in-requests", "tasks.task-id-parameter-rules"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-get-task")) answer_with(d, some_task("working"));
           }},
      {.id = "task-result-is-the-task",
       .description = "Gives the task as its own result",
       .breaks = {"tasks.result-of-terminal", "tasks.result-same-response", "tasks.result-exact"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (!gives_result_of(d, "tasks/result")) return;
             Json task = some_task("completed");
             task["_meta"] = d.json()["result"]["_meta"];
             answer_with(d, task);
           }},
      {.id = "task-result-of-nothing",
       .description = "Does not name the task that a result is of",
       .breaks = {"tasks.related-task-in-result"},
       .may_break = {"tasks.related-task-given"},
       .departure =
           [](Departure& d) {
             if (gives_result_of(d, "tasks/result")) d.json()["result"].erase("_meta");
           }},
      {.id = "tasks-named-twice",
       .description = "Names the task again in the result of tasks/get",
       .breaks = {"tasks.related-task-not-in-results"},
       .departure =
           [](Departure& d) {
             if (!gives_result_of(d, "tasks/get")) return;
             Json& result = d.json()["result"];
             result["_meta"]["io.modelcontextprotocol/related-task"] = {
                 {"taskId", result["taskId"]}};
           }},
      {.id = "tasks-not-listed",
       .description = "Lists no task of those that it has",
       .breaks = {"tasks.list-complete", "tasks.list-next-cursor"},
       .departure =
           [](Departure& d) {
             if (gives_result_of(d, "tasks/list")) d.json()["result"]["tasks"] = Json::array();
           }},
      {.id = "unknown-task-shown",
       .description = "Shows a task that does not exist",
       .breaks = {"tasks.unknown-task-error"},
       .may_break = {"tasks.task-id-parameter-rules"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-get-unknown-task")) answer_with(d, some_task("working"));
           }},
      {.id = "tasks-by-any-cursor",
       .description = "Lists tasks by a cursor that it never gave",
       .breaks = {"tasks.list-invalid-cursor-error"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-list-tasks-by-no-cursor")) {
               answer_with(d, {{"tasks", Json::array()}});
             }
           }},
      {.id = "ended-task-cancelled",
       .description = "Takes the cancellation of a task at its end",
       .breaks = {"tasks.cancel-terminal-refused"},
       .may_break = {"tasks.task-id-parameter-rules", "tasks.terminal-is-final",
                     "tasks.status-transitions"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-cancel-ended-task")) answer_with(d, some_task("cancelled"));
           }},
      {.id = "cancelled-task-goes-on",
       .description = "Takes a cancellation, and shows the task as working",
       .breaks = {"tasks.cancel-status-first"},
       .departure =
           [](Departure& d) {
             if (gives_result_of(d, "tasks/cancel")) d.json()["result"]["status"] = "working";
           }},
      {.id = "cancelled-task-completes",
       .description = "Completes a task that was cancelled",
       .breaks = {"tasks.cancelled-stays-cancelled", "tasks.status-transitions"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-get-cancelled-task")) d.json()["result"]["status"] = "completed";
           }},
      {.id = "ended-task-works-again",
       .description = "Shows a completed task as failed later",
       .breaks = {"tasks.terminal-is-final", "tasks.status-transitions"},
       .departure =
           [](Departure& d) {
             if (!has_id(d, "assay-get-ended-task")) return;
             d.json()["result"]["status"] = "failed";
             d.json()["result"]["statusMessage"] = "It failed after all";
           }},
      {.id = "task-begins-oddly",
       .description = "Begins a task with a status that does not exist",
       .breaks = {"tasks.begins-working"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (Json* task = created(d)) (*task)["status"] = "begun";
           }},
      {.id = "task-goes-oddly",
       .description = "Moves a task on to a status that does not exist",
       .breaks = {"tasks.transitions-from-working", "tasks.status-transitions"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-get-task")) d.json()["result"]["status"] = "done";
           }},
      {.id = "task-without-times",
       .description = "Does not say when a task was created, and when it changed last",
       .breaks = {"tasks.created-at-given", "tasks.last-updated-given"},
       .departure =
           [](Departure& d) {
             if (!gives_result_of(d, "tasks/get")) return;
             d.json()["result"].erase("createdAt");
             d.json()["result"].erase("lastUpdatedAt");
           }},
      {.id = "task-without-ttl",
       .description = "Does not say how long a task is kept",
       .breaks = {"tasks.ttl-reported"},
       .departure =
           [](Departure& d) {
             if (gives_result_of(d, "tasks/get")) d.json()["result"].erase("ttl");
           }},
      {.id = "task-id-taken-over",
       .description = "Takes the id of a task from the request for it",
       .breaks = {"tasks.id-from-receiver"},
       .may_break = {"tasks.result-exact", "tasks.result-blocks"},
       .departure =
           [](Departure& d) {
             Json* task = has_id(d, "assay-sample-as-task") ? created(d) : nullptr;
             if (task != nullptr) (*task)["taskId"] = "assay-chose-this-id";
           }},
      {.id = "tasks-kept-for-ages",
       .description = "Keeps a task for as long as it is asked to",
       .breaks = {"tasks.ttl-limit"},
       .departure =
           [](Departure& d) {
             Json* task = has_id(d, "assay-sample-for-ages") ? created(d) : nullptr;
             if (task != nullptr) (*task)["ttl"] = nullptr;
           }},
      {.id = "task-result-in-part",
       .description = "Does not say which model the result of a task is of",
       .breaks = {"tasks.result-exact"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-result-of-task")) d.json()["result"].erase("model");
           }},
      {.id = "task-works-behind-its-result",
       .description = "Shows a task as working whose result it has given",
       .breaks = {"tasks.result-blocks"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-task-behind-result")) d.json()["result"]["status"] = "working";
           }},
      {.id = "task-fails-otherwise",
       .description = "Gives another error as the result of a task than to the plain request",
       .breaks = {"tasks.result-same-error"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-result-of-bad-task") && d.is_error()) {
               d.json()["error"]["code"] = -32603;
             }
           }},
      {.id = "no-task-oddly-refused",
       .description = "Refuses the result of no task with an error of its own, and without a word",
       .breaks = {"tasks.standard-errors", "tasks.errors-informative", "tasks.unknown-task-error"},
       .departure =
           [](Departure& d) {
             if (has_id(d, "assay-result-of-no-task") && d.is_error()) {
               d.json()["error"] = {{"code", -31999}, {"message", " "}};
             }
           }},
      {.id = "task-looked-at-when-told",
       .description = "Looks at a task only where a notification came",
       .breaks = {"tasks.status-notification-not-relied-on"},
       .departure =
           [](Departure& d) {
             if (!asks_after(d, "assay-task-of-test_tool_with_task")) return;
             d.json()["method"] = "ping";
             d.json()["params"] = Json::object();
           }},
      {.id = "task-left-while-it-works",
       .description = "Looks at its tasks twice, and no more",
       .breaks = {"tasks.polled-until-terminal", "tasks.polled-beside-result"},
       .departure =
           [](Departure& d) {
             const bool is_later = d.is_request("tasks/get") && d.follows("tasks/get");
             const bool is_fetch = d.is_request("tasks/result");
             if (!asks_after(d, "assay-task-of-test_tool_with_task")) return;
             if (!is_later && !is_fetch) return;
             d.json()["method"] = "ping";
             d.json()["params"] = Json::object();
           }},
      {.id = "task-polled-in-haste",
       .description = "Looks at its tasks without a pause",
       .breaks = {"tasks.poll-interval-respected"},
       .intake =
           [](Json& message, const FaultMemory&) {
             for (const char* place : {"/result/pollInterval", "/result/task/pollInterval"}) {
               const Json::json_pointer interval(place);
               if (message.is_object() && message.contains(interval)) message[interval] = 1;
             }
           }},
      {.id = "task-left-when-told",
       .description = "Looks at a task no more once a notification came",
       .breaks = {"tasks.polled-despite-notifications"},
       .departure =
           [](Departure& d) {
             const bool is_later = d.is_request("tasks/get") && d.follows("tasks/get");
             const bool is_fetch = d.is_request("tasks/result");
             if (!asks_after(d, "assay-task-of-test_task_announced")) return;
             if (!is_later && !is_fetch) return;
             d.json()["method"] = "ping";
             d.json()["params"] = Json::object();
           }},
      {.id = "task-in-want-is-polled",
       .description = "Goes on looking at a task that is in want of input",
       .breaks = {"tasks.input-required-result-called"},
       .intake =
           [](Json& message, const FaultMemory&) {
             for (const char* place : {"/result/status", "/result/task/status"}) {
               const Json::json_pointer status(place);
               const bool is_it = message.is_object() && message.contains(status) &&
                                  message[status] == "input_required";
               if (is_it) message[status] = "working";
             }
           }},
      {.id = "lists-asked-for-as-tasks",
       .description = "Asks for the list of tools as a task",
       .breaks = {"tasks.only-declared-augmented"},
       .may_break = {"schema.client-requests"},
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/list")) d.params()["task"] = Json::object();
           }},
      {.id = "tasks-named-in-questions",
       .description = "Names a task in _meta as well where it asks after it",
       .breaks = {"tasks.related-task-not-in-requests"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("tasks/get")) return;
             d.params()["_meta"]["io.modelcontextprotocol/related-task"] = {
                 {"taskId", d.params()["taskId"]}};
           }},
      {.id = "tasks-listed-by-own-cursor",
       .description = "Asks for a list of tasks with a cursor that the server did not issue",
       .breaks = {"tasks.list-cursor-opaque"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("tasks/result")) return;
             const Json list = {{"jsonrpc", "2.0"},
                                {"id", "list-behind-" + d.json()["id"].dump()},
                                {"method", "tasks/list"},
                                {"params", {{"cursor", "page-2"}}}};
             d.after(list.dump());
           }},
      {.id = "task-id-number",
       .description = "Lists tasks whose ids are numbers",
       .breaks = {"tasks.id-string"},
       .may_break = {"tasks.list-complete", "tasks.list-next-cursor"},
       .departure =
           [](Departure& d) {
             if (!gives_result_of(d, "tasks/list")) return;
             for (Json& task : d.json()["result"]["tasks"]) task["taskId"] = 7;
           }},
  };
}

}  // namespace assay::client
