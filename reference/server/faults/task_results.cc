// Faults of tasks: their results, which of them is meant, where they are named, and their list.
// Specification: basic/utilities/tasks (2025-11-25).
#include <algorithm>
#include <array>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/tool_dialogue.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::array kTaskMethods = {"tasks/get", "tasks/result", "tasks/cancel", "tasks/list"};

std::string key() {
  return std::string(kRelatedTask);
}

bool is_task_error(const Departure& d) {
  return std::any_of(kTaskMethods.begin(), kTaskMethods.end(), [&](const char* method) {
    return d.is_error_of(method, wire::kInvalidParams);
  });
}

// The task that the metadata of the request names; null if it names none.
Json named_in_request(const Departure& d) {
  const Json& params = d.request()->params();
  if (!params.is_object() || !params.contains("_meta")) return nullptr;
  return params["_meta"].value(key(), Json::object()).value("taskId", Json());
}

void refuse(Departure& d, std::int64_t code, const char* message) {
  d.json().erase("result");
  d.json()["error"] = {{"code", code}, {"message", message}};
}

std::vector<Fault> outcome_faults() {
  return {
      {.id = "task-result-early",
       .description = "Answers tasks/result before the task has ended",
       .breaks = {"tasks.result-blocks"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kAnswersTaskResultEarly},
      {.id = "task-result-at-input",
       .description = "Answers tasks/result at once while the task waits for its client",
       .breaks = {"tasks.result-blocks"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kGivesResultForInput},
      {.id = "task-result-until-input",
       .description = "Answers tasks/result as soon as the task needs its client",
       .breaks = {"tasks.result-blocks"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kEndsResultForInput},
      {.id = "task-result-lost",
       .description = "Has no results of completed tasks",
       .breaks = {"tasks.result-of-terminal"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/result") || d.result().value("isError", false)) return;
             refuse(d, wire::kInvalidRequest, "The task has no result");
           }},
      {.id = "task-result-wrapped",
       .description = "Gives the results of tasks with a text of its own",
       .breaks = {"tasks.result-exact"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/result") || d.result().value("isError", false)) return;
             d.result()["content"].push_back({{"type", "text"}, {"text", "This was a task."}});
           }},
      {.id = "task-failure-as-error",
       .description = "Answers with an error where the tool's result says isError",
       .breaks = {"tasks.result-same-response"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/result") || !d.result().value("isError", false)) return;
             refuse(d, wire::kInternalError, "The task failed");
           }},
      {.id = "task-error-reworded",
       .description = "Answers with another error than the one that a task ended in",
       .breaks = {"tasks.result-same-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("tasks/result", wire::kInternalError)) return;
             d.json()["error"]["message"] = "The task failed";
           }},
  };
}

std::vector<Fault> identity_faults() {
  return {
      {.id = "unknown-task-other-code",
       .description = "Refuses unknown tasks with -32603",
       .breaks = {"tasks.unknown-task-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             for (const char* method : {"tasks/get", "tasks/result"}) {
               if (d.is_error_of(method, wire::kInvalidParams)) {
                 d.set_error_code(wire::kInternalError);
               }
             }
           }},
      {.id = "task-error-code-404",
       .description = "Refuses unknown tasks with the codes of HTTP",
       .breaks = {"tasks.standard-errors"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (is_task_error(d)) d.set_error_code(404);
           }},
      {.id = "task-error-mute",
       .description = "Refuses unknown tasks without a word",
       .breaks = {"tasks.errors-informative"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = sets<is_task_error, "/error/message", "">},
      {.id = "task-of-another",
       .description = "Answers tasks/get with another task",
       .breaks = {"tasks.task-id-parameter-rules"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get") || !named_in_request(d).is_null()) return;
             d.result()["taskId"] = "another-task";
           }},
      {.id = "task-by-metadata",
       .description = "Answers tasks/get with the task that the metadata names",
       .breaks = {"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get")) return;
             const Json named = named_in_request(d);
             if (!named.is_null()) d.result()["taskId"] = named;
           }},
      {.id = "task-cancelled-by-metadata",
       .description = "Cancels the task that the metadata names",
       .breaks = {"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kCancelsTaskOfMetadata},
      {.id = "task-result-by-metadata",
       .description = "Gives the result of the task that the metadata names",
       .breaks = {"tasks.task-id-parameter-rules", "tasks.related-task-ignored-in-requests"},
       .may_break = {"tasks.related-task-in-result"},  // it names whose it is
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kGivesResultOfMetadata},
      {.id = "task-metadata-unknown",
       .description = "Refuses tasks/cancel and tasks/result that name a task in their metadata",
       .breaks = {"tasks.related-task-ignored-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kRefusesTaskMetadata},
      {.id = "task-metadata-refused",
       .description = "Refuses tasks/get that names a task in its metadata",
       .breaks = {"tasks.related-task-ignored-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get") || named_in_request(d).is_null()) return;
             refuse(d, wire::kInvalidParams, "The request names a task twice");
           }},
  };
}

std::vector<Fault> naming_faults() {
  return {
      {.id = "task-result-unrelated",
       .description = "Leaves the related task out of the answer to tasks/result",
       .breaks = {"tasks.related-task-in-result"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<result_of<"tasks/result">, "/result/_meta">},
      {.id = "task-progress-unrelated",
       .description = "Leaves the related task out of progress",
       .breaks = {"tasks.related-task-given"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<notification<"notifications/progress">, "/params/_meta">},
      {.id = "task-named-twice",
       .description = "Names the related task in the answers to tasks/get and tasks/cancel",
       .breaks = {"tasks.related-task-not-in-results"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/get") && !d.is_result_of("tasks/cancel")) return;
             d.result()["_meta"][key()] = {{"taskId", d.result()["taskId"]}};
           }},
      {.id = "task-status-named-twice",
       .description = "Names the related task in status notifications",
       .breaks = {"tasks.related-task-not-in-status-notification"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/tasks/status")) return;
             d.params()["_meta"][key()] = {{"taskId", d.params()["taskId"]}};
           }},
  };
}

std::vector<Fault> list_faults_of_tasks() {
  return {
      {.id = "task-unlisted",
       .description = "Does not list the newest task",
       .breaks = {"tasks.list-complete"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list") || d.result().contains("nextCursor")) return;
             Json& tasks = d.result()["tasks"];
             if (!tasks.empty()) tasks.erase(tasks.size() - 1);
           }},
      {.id = "task-list-of-running",
       .description = "Lists no task that has ended",
       .breaks = {"tasks.list-complete"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list")) return;
             Json running = Json::array();
             for (const Json& task : d.result()["tasks"]) {
               if (task["status"] == "working") running.push_back(task);
             }
             d.result()["tasks"] = running;
           }},
      {.id = "task-list-cut",
       .description = "Lists four tasks and tells of no more",
       // When a task ends while it is listed, nobody can tell a list that is cut from one that
       // leaves it out.
       .breaks = {"tasks.list-next-cursor", "tasks.list-complete"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/list")) return;
             Json& tasks = d.result()["tasks"];
             while (tasks.size() > 4) tasks.erase(tasks.size() - 1);
             d.result().erase("nextCursor");
           }},
      {.id = "task-list-any-cursor",
       .description = "Lists nothing for a cursor that it does not know",
       .breaks = {"tasks.list-invalid-cursor-error"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("tasks/list", wire::kInvalidParams)) return;
             d.json().erase("error");
             d.result() = {{"tasks", Json::array()}};
           }},
      {.id = "task-list-of-all",
       .description = "Lists the tasks of every session",
       .breaks = {"tasks.unidentified-no-list"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kListsTasksOfAll},
      {.id = "task-poll-streamed",
       .description = "Answers tasks/get with an event stream",
       .breaks = {"tasks.get-answered-without-stream"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_core_tasks,
       .neglects = transport::HttpDuty::kAnswersTaskPollsAtOnce},
  };
}

}  // namespace

std::vector<Fault> task_result_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() :
       {outcome_faults, identity_faults, naming_faults, list_faults_of_tasks}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
