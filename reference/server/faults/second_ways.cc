// Other ways to break what one fault alone breaks elsewhere: a near miss, another member, another
// place. Each is what the sentence allows somebody to get wrong. Specification: basic,
// basic/utilities/cancellation, progress and tasks, client/elicitation, client/sampling,
// server/tools.
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

// --- Requests of the server's own ---

std::vector<Fault> own_request_faults() {
  return {
      {.id = "request-id-object",
       .description = "Sends a request whose id is an object ahead of each answer to tools/list",
       .breaks = {"jsonrpc.request-id-type"},
       .departure =
           precedes<result_of<"tools/list">, R"({"jsonrpc":"2.0","id":{"n":1},"method":"ping"})">},
      {.id = "request-id-true",
       .description = "Sends a request whose id is true ahead of each answer to tools/list",
       .breaks = {"jsonrpc.request-id-type"},
       .departure =
           precedes<result_of<"tools/list">, R"({"jsonrpc":"2.0","id":true,"method":"ping"})">},
      {.id = "request-id-in-later-lists",
       .description = "Uses the id of its ping again once that is answered",
       .breaks = {"jsonrpc.request-id-unique"},
       .departure = precedes<result_of<"tools/list">,
                             R"({"jsonrpc":"2.0","id":"once-a-list","method":"ping"})">},
      {.id = "cancels-by-id",
       .description = "Names what it cancels in \"id\" in place of \"requestId\"",
       .breaks = {"cancellation.request-id-given"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           precedes<result_of<"tools/call">,
                    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"id":"x"}})">},
      {.id = "own-progress-token-true",
       .description = "Asks for progress with true for a token",
       .breaks = {"progress.token-type", "schema.server-requests"},
       .departure = sets<request<"sampling/createMessage">, "/params/_meta/progressToken", true>},
      {.id = "progress-in-arrays",
       .description = "Sends each notification of progress in an array of its own",
       .breaks = {"schema.no-batches"},
       .may_break = {"schema.server-notifications"},
       .concerns = &Revision::has_no_batches,
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/progress")) d.set_bytes("[" + d.text() + "]");
           }},
  };
}

// --- Elicitations that are required ---

bool requires_elicitation(const Departure& d) {
  return d.has_error_code(wire::kUrlElicitationRequired);
}

void require_in_a_result(Departure& d) {
  if (!requires_elicitation(d)) return;
  const Json data = d.json()["error"].value("data", Json::object());
  d.json().erase("error");
  d.json()["result"] = {{"content", Json::array({{{"type", "text"}, {"text", data.dump()}}})},
                        {"isError", true}};
}

template <Literal kMember>
void requires_without(Departure& d) {
  if (!requires_elicitation(d)) return;
  for (Json& entry : d.json()["error"]["data"]["elicitations"]) {
    entry.erase(std::string(kMember.text()));
  }
}

void require_by_name(Departure& d) {
  if (!requires_elicitation(d)) return;
  Json& elicitations = d.json()["error"]["data"]["elicitations"];
  elicitations = {{"first", elicitations.at(0)}};
}

std::vector<Fault> requirement_faults() {
  return {
      {.id = "required-elicitation-in-result",
       .description = "Says in the result of a tool that an elicitation is required",
       .breaks = {"elicitation.required-error-code"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = require_in_a_result},
      {.id = "required-elicitation-without-url",
       .description = "Requires an elicitation that has no URL",
       .breaks = {"elicitation.url-parameters"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = requires_without<"url">},
      {.id = "required-elicitation-without-id",
       .description = "Requires an elicitation that has no elicitationId",
       .breaks = {"elicitation.required-error-entries", "elicitation.url-parameters"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = requires_without<"elicitationId">},
      {.id = "required-elicitations-by-name",
       .description = "Requires elicitations in an object in place of a list",
       .breaks = {"elicitation.required-error-lists"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = require_by_name},
  };
}

// --- Tasks ---

bool makes_task(const Departure& d) {
  return d.is_result_of("tools/call") && d.request()->params().contains("task");
}

void tell_task_flat(Departure& d) {
  if (!makes_task(d) || !d.result().contains("task")) return;
  d.result() = Json(d.result()["task"]);
}

void name_task_in_array(Departure& d) {
  if (!makes_task(d) || !d.result().contains("task")) return;
  Json& id = d.result()["task"]["taskId"];
  id = Json::array({Json(id)});
}

void list_task_numbers(Departure& d) {
  if (!d.is_result_of("tasks/list")) return;
  int number = 0;
  for (Json& task : d.result()["tasks"]) task["taskId"] = ++number;
}

template <Literal kFrom, Literal kTo>
void lists_as(Departure& d) {
  if (!d.is_result_of("tasks/list")) return;
  for (Json& task : d.result()["tasks"]) {
    if (task["status"] == kFrom.text()) task["status"] = kTo.text();
  }
}

bool is_failed_result(Departure& d) {
  return d.is_result_of("tasks/result") && d.result().value("isError", false);
}

std::vector<Fault> declared_task_faults() {
  return {
      {.id = "tasks-declared-as-null",
       .description = "Creates tasks and declares null for them",
       .breaks = {"tasks.capability-declared"},
       .may_break = {"tasks.undeclared-ignored", "tasks.request-types-declared",
                     "schema.initialize-result"},
       .concerns = &Revision::has_core_tasks,
       .departure = sets<result_of<"initialize">, "/result/capabilities/tasks", nullptr>},
      {.id = "task-requests-of-other-kind",
       .description = "Creates tasks for tools/call and declares them for tools/list",
       .breaks = {"tasks.request-types-declared"},
       .may_break = {"tasks.undeclared-ignored", "schema.initialize-result"},
       .concerns = &Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             d.result()["capabilities"]["tasks"]["requests"] = {
                 {"tools", {{"list", Json::object()}}}};
           }},
  };
}

std::vector<Fault> shown_task_faults() {
  return {
      {.id = "task-told-flat",
       .description = "Answers with the members of a task in place of a result that holds it",
       .breaks = {"schema.tools-call-result"},
       .may_break = {"tasks.create-result-returned"},
       .concerns = &Revision::has_core_tasks,
       .departure = tell_task_flat},
      {.id = "task-id-in-array",
       .description = "Gives the id of a new task in an array",
       .breaks = {"tasks.id-string"},
       .may_break = {"schema.task-results", "schema.tools-call-result"},
       .concerns = &Revision::has_core_tasks,
       .departure = name_task_in_array},
      {.id = "task-ids-numbered-in-lists",
       .description = "Lists tasks by numbers",
       .breaks = {"tasks.id-string"},
       .may_break = {"schema.task-results", "tasks.list-complete", "tasks.id-unique"},
       .concerns = &Revision::has_core_tasks,
       .departure = list_task_numbers},
      {.id = "task-cancelled-listed-as-failed",
       .description = "Lists cancelled tasks as failed",
       .breaks = {"tasks.cancelled-stays-cancelled"},
       .may_break = {"tasks.terminal-is-final", "tasks.status-transitions",
                     "tasks.failure-explained"},
       .concerns = &Revision::has_core_tasks,
       .departure = lists_as<"cancelled", "failed">},
      {.id = "task-working-listed-as-queued",
       .description = "Lists working tasks with a status that does not exist",
       .breaks = {"tasks.transitions-from-working"},
       .may_break = {"tasks.status-transitions", "schema.task-results", "tasks.begins-working",
                     "tasks.transitions-from-input-required"},
       .concerns = &Revision::has_core_tasks,
       .departure = lists_as<"working", "queued">},
  };
}

std::vector<Fault> told_result_faults() {
  return {
      {.id = "task-failure-without-is-error",
       .description = "Leaves isError out of the result of a task that failed",
       .breaks = {"tasks.result-same-response"},
       .may_break = {"tasks.result-exact"},
       .concerns = &Revision::has_core_tasks,
       .departure = erases<is_failed_result, "/result/isError">},
      {.id = "task-failure-in-other-words",
       .description = "Tells another failure in tasks/result than the tool told",
       .breaks = {"tasks.result-same-response"},
       .may_break = {"tasks.result-exact"},
       .concerns = &Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!is_failed_result(d)) return;
             d.result()["content"] = Json::array({{{"type", "text"}, {"text", "It failed"}}});
           }},
      {.id = "task-error-recoded",
       .description = "Answers tasks/result with another code than the task ended in",
       .breaks = {"tasks.result-same-error"},
       .concerns = &Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_error_of("tasks/result", wire::kInternalError)) {
               d.set_error_code(wire::kInvalidParams);
             }
           }},
  };
}

}  // namespace

std::vector<Fault> second_way_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() :
       {own_request_faults, requirement_faults, declared_task_faults, shown_task_faults,
        told_result_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
