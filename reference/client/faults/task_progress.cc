// How a client can tell badly of the progress of its tasks. Specification: basic/utilities/progress
// and basic/utilities/tasks, 2025-11-25.
#include <string>
#include <string_view>

#include "reference/client/faults/fault.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

constexpr const char* kTaskOfReport = "io.modelcontextprotocol/related-task";
constexpr std::string_view kWatchedToken = "assay-watched-task";
constexpr std::string_view kStoppedToken = "assay-stopped-task";

bool reports_on_task(Departure& d) {
  return d.is_notification("notifications/progress") && d.params().contains("_meta");
}

// The id of the request that it answers with a result; empty if it does not.
std::string id_answered(Departure& d) {
  const bool is_result = d.json().is_object() && d.json().contains("result");
  const Json id = is_result ? d.json().value("id", Json()) : Json();
  return id.is_string() ? id.get<std::string>() : "";
}

std::string report(std::string_view token, double progress, const Json& task_id) {
  Json params = {{"progressToken", token}, {"progress", progress}};
  if (!task_id.is_null()) params["_meta"][kTaskOfReport] = {{"taskId", task_id}};
  return wire::encode(wire::make_notification("notifications/progress", std::move(params)));
}

// A report ahead of each look at the task behind its end, each of more.
void report_ahead(Departure& d, std::string_view looks, std::string_view token) {
  const std::string id = id_answered(d);
  if (!id.starts_with(looks)) return;
  d.before(report(token, 10 + (id.back() - '0'), d.json()["result"].value("taskId", Json())));
}

}  // namespace

std::vector<Fault> task_progress_faults() {
  return {
      {.id = "task-reports-by-another-token",
       .description = "Reports the progress of a task under a token of its own",
       .breaks = {"progress.task-token-kept", "progress.token-of-active-request"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (reports_on_task(d)) d.params()["progressToken"] = "a-token-of-its-own";
           }},
      {.id = "task-reports-of-nothing",
       .description = "Does not name the task whose progress it reports",
       .breaks = {"tasks.related-task-given"},
       .departure =
           [](Departure& d) {
             if (reports_on_task(d)) d.params().erase("_meta");
           }},
      {.id = "completed-task-reports-on",
       .description = "Reports the progress of a task that is completed",
       .breaks = {"progress.task-stops-at-terminal"},
       .seen_over = SeenOver::kStdioOnly,
       .departure = [](Departure& d) { report_ahead(d, "assay-watched-again-", kWatchedToken); }},
      {.id = "cancelled-task-reports-on",
       .description = "Goes on with a task that was cancelled, and reports its progress",
       .breaks = {"tasks.cancel-stops-execution", "progress.task-stops-at-terminal"},
       .seen_over = SeenOver::kStdioOnly,
       .departure = [](Departure& d) { report_ahead(d, "assay-stopped-again-", kStoppedToken); }},
      {.id = "task-heard-on-one-stream",
       .description = "Answers what its task wants to know on the stream of tasks/result alone",
       .breaks = {"tasks.any-stream-expected"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (id_answered(d) == "assay-asked-on-get-stream") d.drop();
           }},
  };
}

}  // namespace assay::client
