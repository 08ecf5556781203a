// Other ways in which a client can break what one fault alone breaks elsewhere: another member,
// another answer, a near miss. Specification: basic, basic/transports, basic/utilities/tasks
// (2025-11-25), client/elicitation and client/sampling.
#include <string>
#include <string_view>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

constexpr const char* kRelated = "io.modelcontextprotocol/related-task";

// An answer to the question of that id.
bool answers_id(Departure& d, std::string_view id) {
  const Json& json = d.json();
  return json.is_object() && !json.contains("method") && json.contains("id") && json["id"] == id;
}

void recode(Departure& d, std::string_view id, int code) {
  if (answers_id(d, id) && d.is_error()) d.json()["error"]["code"] = code;
}

// The result of that method; null where it is none.
Json* result_to(Departure& d, std::string_view method) {
  return d.answers(method) && !d.is_error() ? &d.json()["result"] : nullptr;
}

Json* new_task(Departure& d) {
  Json* const result = result_to(d, "sampling/createMessage");
  return result != nullptr && result->contains("task") ? &(*result)["task"] : nullptr;
}

void for_each_listed(Departure& d, void (*spoil)(Json& task)) {
  Json* const result = result_to(d, "tasks/list");
  if (result == nullptr) return;
  for (Json& task : (*result)["tasks"]) spoil(task);
}

}  // namespace

std::vector<Fault> second_task_way_faults() {
  return {
      {.id = "task-created-in-words",
       .description = "Says in words when a new task was created",
       .breaks = {"tasks.created-at-given"},
       .departure =
           [](Departure& d) {
             if (Json* const task = new_task(d)) (*task)["createdAt"] = "just now";
           }},
      {.id = "tasks-listed-without-update",
       .description = "Lists tasks without the time of their last update",
       .breaks = {"tasks.last-updated-given"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             for_each_listed(d, [](Json& task) { task.erase("lastUpdatedAt"); });
           }},
      {.id = "tasks-listed-by-number",
       .description = "Lists tasks by numbers",
       .breaks = {"tasks.id-string"},
       .may_break = {"schema.client-results", "tasks.list-complete", "tasks.list-next-cursor"},
       .departure =
           [](Departure& d) { for_each_listed(d, [](Json& task) { task["taskId"] = 7; }); }},
      {.id = "tasks-listed-as-queued",
       .description = "Lists working tasks with a status that does not exist",
       .breaks = {"tasks.transitions-from-working"},
       .may_break = {"schema.client-results", "tasks.status-transitions", "tasks.terminal-is-final",
                     "tasks.begins-working"},
       .departure =
           [](Departure& d) {
             for_each_listed(d, [](Json& task) {
               if (task["status"] == "working") task["status"] = "queued";
             });
           }},
      {.id = "unknown-task-recoded",
       .description = "Answers for an unknown task that something went wrong inside",
       .breaks = {"tasks.unknown-task-error"},
       .may_break = {"tasks.task-id-parameter-rules"},
       .departure =
           [](Departure& d) { recode(d, "assay-get-unknown-task", wire::kInternalError); }},
      {.id = "unknown-task-method-unknown",
       .description = "Answers for an unknown task that it does not know the method",
       .breaks = {"tasks.unknown-task-error"},
       .may_break = {"tasks.task-id-parameter-rules"},
       .departure =
           [](Departure& d) { recode(d, "assay-get-unknown-task", wire::kMethodNotFound); }},
      {.id = "unknown-task-result-recoded",
       .description = "Refuses the result of an unknown task with error -32603",
       .breaks = {"tasks.unknown-task-error"},
       .departure =
           [](Departure& d) { recode(d, "assay-result-of-no-task", wire::kInternalError); }},
      {.id = "unknown-task-cancelled",
       .description = "Takes the cancellation of a task that does not exist",
       .breaks = {"tasks.unknown-task-error"},
       .may_break = {"tasks.task-id-parameter-rules"},
       .departure =
           [](Departure& d) {
             if (!answers_id(d, "assay-cancel-unknown-task")) return;
             d.json().erase("error");
             d.json()["result"] = {{"taskId", "assay-no-such-task"},
                                   {"status", "cancelled"},
                                   {"createdAt", "2025-11-25T10:30:00Z"},
                                   {"lastUpdatedAt", "2025-11-25T10:30:00Z"},
                                   {"ttl", nullptr}};
           }},
      {.id = "unknown-cursor-recoded",
       .description = "Answers for an unknown cursor that something went wrong inside",
       .breaks = {"tasks.list-invalid-cursor-error"},
       .departure =
           [](Departure& d) { recode(d, "assay-list-tasks-by-no-cursor", wire::kInternalError); }},
      {.id = "ended-task-cancel-recoded",
       .description = "Refuses the cancellation of a task at its end with error -32603",
       .breaks = {"tasks.cancel-terminal-refused"},
       .departure =
           [](Departure& d) { recode(d, "assay-cancel-ended-task", wire::kInternalError); }},
      {.id = "task-result-of-another",
       .description = "Names another task in a result than the one that it is of",
       .breaks = {"tasks.related-task-in-result"},
       .may_break = {"tasks.related-task-given"},
       .departure =
           [](Departure& d) {
             Json* const result = result_to(d, "tasks/result");
             if (result != nullptr) (*result)["_meta"][kRelated] = {{"taskId", "another"}};
           }},
      {.id = "task-told-flat",
       .description = "Answers with the members of a task in place of a result that holds it",
       .breaks = {"tasks.create-result-returned"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (Json* const task = new_task(d)) d.json()["result"] = Json(*task);
           }},
      {.id = "tasks-declared-for-roots",
       .description = "Runs sampling as tasks, and declares tasks for roots",
       .breaks = {"tasks.request-types-declared"},
       .may_break = {"tasks.undeclared-ignored", "schema.client-requests",
                     "tasks.capability-declared"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("initialize")) return;
             Json& capabilities = d.params()["capabilities"];
             if (!capabilities.contains("tasks")) return;
             capabilities["tasks"]["requests"] = {{"roots", {{"list", Json::object()}}}};
           }},
  };
}

std::vector<Fault> second_way_faults() {
  return {
      {.id = "url-mode-undeclared-declined",
       .description = "Declines an elicitation by URL, which it did not declare",
       .breaks = {"elicitation.undeclared-mode-error"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) {
               d.params()["capabilities"]["elicitation"].erase("url");
             }
             Json* const result = result_to(d, "elicitation/create");
             if (result != nullptr) *result = {{"action", "decline"}};
           }},
      {.id = "accepts-json-on-get",
       .description = "Asks for a stream, and accepts JSON only",
       .breaks = {"http.get-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view method, const Json&, transport::Headers& fields) {
             if (method == "GET") overwrite_field(fields, "Accept", "application/json");
           }},
      {.id = "samples-without-role",
       .description = "Gives samples that have no role",
       .breaks = {"schema.client-results"},
       .may_break = {"sampling.message-fields"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             Json* const result = result_to(d, "sampling/createMessage");
             if (result != nullptr) result->erase("role");
           }},
  };
}

}  // namespace assay::client
