// How a client can be wrong beside the tasks that it runs or asks for: in what it announces,
// cancels and leaves unsaid. Specification: basic/utilities/tasks, basic/utilities/cancellation,
// 2025-11-25.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

constexpr const char* kNameOfTask = "io.modelcontextprotocol/related-task";

bool has_id_of(Departure& d, std::string_view id) {
  return d.json().is_object() && d.json().contains("result") && d.json()["id"] == id;
}

}  // namespace

std::vector<Fault> task_again_faults() {
  return {
      {.id = "task-cancelled-by-request",
       .description = "Cancels a task by the id of the request that it came of",
       .breaks = {"cancellation.not-for-tasks", "cancellation.tasks-use-tasks-cancel"},
       .shown_in = {"tools-as-tasks"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("tools/call") || !d.part("task").is_object()) return;
             d.after(Json{{"jsonrpc", "2.0"},
                          {"method", "notifications/cancelled"},
                          {"params", {{"requestId", d.json()["id"]}}}}
                         .dump());
           }},
      {.id = "task-announced-with-its-name",
       .description = "Names a task in _meta as well where it announces its status",
       .breaks = {"tasks.related-task-not-in-status-notification"},
       .shown_in = {"server-makes-tasks"},
       .departure =
           [](Departure& d) {
             if (!has_id_of(d, "assay-task") || !d.json()["result"].contains("task")) return;
             Json params = d.json()["result"]["task"];
             params["_meta"][kNameOfTask] = {{"taskId", params["taskId"]}};
             d.after(Json{
                 {"jsonrpc", "2.0"}, {"method", "notifications/tasks/status"}, {"params", params}}
                         .dump());
           }},
      {.id = "task-fails-in-silence",
       .description = "Shows that a task has failed, and does not say why",
       .breaks = {"tasks.failure-explained"},
       .may_break = {"tasks.terminal-is-final", "tasks.status-transitions"},
       .shown_in = {"server-makes-tasks"},
       .departure =
           [](Departure& d) {
             if (!has_id_of(d, "assay-get-task") && !has_id_of(d, "assay-get-ended-task")) return;
             d.json()["result"]["status"] = "failed";
             d.json()["result"].erase("statusMessage");
           }},
  };
}

}  // namespace assay::client
