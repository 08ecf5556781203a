// Faults of tasks where the server asks something of its client: on behalf of a task of its own, or
// as the requestor of one of the client's.
// Specification: basic/utilities/tasks (2025-11-25).
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/tool_dialogue.h"

namespace assay::server {
namespace {

bool is_request_with_params(Departure& d) {
  return d.json().is_object() && d.json().contains("method") && d.json().contains("id") &&
         d.json().contains("params");
}

std::vector<Fault> input_faults() {
  return {
      {.id = "task-request-unrelated",
       .description = "Leaves the related task out of requests that a task makes",
       .breaks = {"tasks.input-request-related"},
       .concerns = &model::Revision::has_core_tasks,
       .departure = erases<is_request_with_params, "/params/_meta">},
      {.id = "task-request-of-another",
       .description = "Names another task in the requests that a task makes",
       .breaks = {"tasks.related-task-shared"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!is_request_with_params(d) || !d.params().contains("_meta")) return;
             d.params()["_meta"][std::string(kRelatedTask)]["taskId"] = "another-task";
           }},
      {.id = "task-waits-working",
       .description = "Leaves a task working that waits for its client",
       .breaks = {"tasks.input-required-entered"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kStaysWorkingForInput},
      {.id = "task-waits-on",
       .description = "Leaves a task in input_required that has its input",
       .breaks = {"tasks.input-required-left"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kStaysInInputRequired},
  };
}

std::vector<Fault> requestor_faults() {
  return {
      {.id = "task-asked-undeclared",
       .description = "Asks for elicitation as a task, which the client does not declare",
       .breaks = {"tasks.none-without-capability", "tasks.only-declared-augmented"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_request("elicitation/create")) d.params()["task"] = {{"ttl", 60'000}};
           }},
      {.id = "client-task-named-twice",
       .description = "Names the related task in tasks/get",
       .breaks = {"tasks.related-task-not-in-requests"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_request("tasks/get")) return;
             d.params()["_meta"][std::string(kRelatedTask)] = {{"taskId", d.params()["taskId"]}};
           }},
      {.id = "client-task-cursor-changed",
       .description = "Changes the cursor of tasks/list",
       .breaks = {"tasks.list-cursor-opaque"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_request("tasks/list") || !d.params().contains("cursor")) return;
             d.params()["cursor"] = d.params()["cursor"].get<std::string>() + "+1";
           }},
      {.id = "client-task-token-reused",
       .description = "Gives other requests the progress token of a client's task under way",
       .breaks = {"progress.token-unique"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_request("sampling/createMessage") && !d.is_request("tasks/get")) return;
             d.params()["_meta"]["progressToken"] = "the-same";
           }},
      {.id = "client-task-polled-at-once",
       .description = "Looks at a client's task more often than the client wants",
       .breaks = {"tasks.poll-interval-respected"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kPollsClientAtOnce},
      {.id = "client-task-polled-once",
       .description = "Looks at a client's task once",
       .breaks = {"tasks.polled-until-terminal", "tasks.polled-despite-notifications"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kStopsPollingClient},
      {.id = "client-task-polled-until-told",
       .description = "Stops looking at a client's task when a notification comes",
       .breaks = {"tasks.polled-despite-notifications"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kPollsClientUntilTold},
      {.id = "client-task-unpolled",
       .description =
           "Looks at a client's task when a notification comes, and gives it up otherwise",
       .breaks = {"tasks.status-notification-not-relied-on"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kWaitsForClientsWord},
      {.id = "client-task-need-ignored",
       .description = "Goes on looking at a client's task that is input_required",
       .breaks = {"tasks.input-required-result-called"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kIgnoresClientsNeed},
  };
}

}  // namespace

std::vector<Fault> task_request_faults() {
  std::vector<Fault> all = input_faults();
  for (Fault& fault : requestor_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
