// Other ways to break what one fault alone breaks elsewhere, in the era without a handshake: one
// status, one method, one header, the second time. Specification: server/tools, server/prompts,
// server/resources and basic/utilities/progress (since 2026-07-28), and the page of the extension
// `io.modelcontextprotocol/tasks`.
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

// --- Lists ---

// Each second connection is told of one more item.
template <Literal kMethod, Literal kMember>
void add_by_connection(Departure& d, FaultMemory& memory) {
  if (!d.is_result_of(kMethod.text())) return;
  if (!is_each_second(memory) || d.result().contains("nextCursor")) return;
  list_one_more(d.result()[std::string(kMember.text())], "only-here");
}

std::vector<Fault> listed_faults() {
  return {
      connection_fault("tools-added-by-connection", "Has one more tool for each second connection",
                       "tools.list-same-on-every-connection",
                       add_by_connection<"tools/list", "tools">),
      connection_fault(
          "prompts-added-by-connection", "Has one more prompt for each second connection",
          "prompts.list-same-on-every-connection", add_by_connection<"prompts/list", "prompts">),
      connection_fault("resources-added-by-connection",
                       "Has one more resource for each second connection",
                       "resources.list-same-on-every-connection",
                       add_by_connection<"resources/list", "resources">),
  };
}

// --- Progress ---

// Before each answer to a call, for the call before it.
void report_on_the_last(Departure& d, FaultMemory& memory) {
  if (!d.is_result_of("tools/call")) return;
  const Json token = member(member(asked_params(d), "_meta"), "progressToken");
  if (token.is_null()) return;
  const Json last = memory.of_server["last-token"];
  memory.of_server["last-token"] = token;
  if (last.is_null() || last == token) return;
  d.before(wire::encode(wire::make_notification("notifications/progress",
                                                {{"progressToken", last}, {"progress", 1000}})));
}

std::vector<Fault> told_faults() {
  return {
      {.id = "progress-of-the-call-before",
       .description = "Reports progress of the call before the one that it answers",
       .breaks = {"progress.token-of-running-operation", "progress.token-of-active-request",
                  "progress.stops-on-completion"},
       .may_break = {"http.stream-messages-relate", "progress.value-increases"},
       .recollection = report_on_the_last},
  };
}

// --- Tasks ---

template <Literal kStatus>
bool shows_task(Departure& d) {
  return d.is_result_of("tasks/get") && member(d.result(), "status") == kStatus.text();
}

// What was cancelled after its end is shown as cancelled.
void cancel_what_has_ended(Departure& d, FaultMemory& memory) {
  const std::string id = string_member(asked_params(d), "taskId").value_or("");
  Json& known = memory.of_server["ended-tasks"][id];
  if (shows_task<"completed">(d)) {
    if (known == "cancelled") {
      d.result()["status"] = "cancelled";
      d.result().erase("result");
    } else {
      known = "ended";
    }
  }
  if (d.answers("tasks/cancel") && known == "ended") known = "cancelled";
}

// A request of that method whose Mcp-Name is of another task.
template <Literal kMethod>
void overhear_task(const Json& body, transport::HttpHead& head) {
  if (string_member(body, "method") != kMethod.text()) return;
  const auto id = string_member(member(body, "params"), "taskId");
  if (!id) return;
  for (auto& [name, value] : head.headers) {
    if (transport::lower_case(name) == "mcp-name") value = *id;
  }
}

Fault unread_task_header(std::string_view id, std::string_view description,
                         void (*mishears)(const Json&, transport::HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"ext-tasks.routing-header-validated"},
          .seen_over = SeenOver::kHttpOnly,
          .mishears = mishears};
}

std::vector<Fault> second_job_faults() {
  return {
      {.id = "completed-task-untyped",
       .description = "Leaves resultType out of the answer to tasks/get of a completed task",
       .breaks = {"ext-tasks.get-result-type"},
       .may_break = {"ext-tasks.schema", "jsonrpc.result-type"},
       .departure = erases<shows_task<"completed">, "/result/resultType">},
      {.id = "completed-task-with-text",
       .description = "Gives the result of a completed task as a text",
       .breaks = {"ext-tasks.get-completed"},
       .may_break = {"ext-tasks.schema", "ext-tasks.same-result"},
       .departure = sets<shows_task<"completed">, "/result/result", "It is complete.">},
      {.id = "waiting-task-with-list",
       .description = "Lists the questions of a task in place of naming them by keys",
       .breaks = {"ext-tasks.get-input-required"},
       .may_break = {"ext-tasks.schema"},
       .departure =
           [](Departure& d) {
             if (!shows_task<"input_required">(d)) return;
             Json questions = Json::array();
             for (const Json& each : d.result()["inputRequests"]) questions.push_back(each);
             d.result()["inputRequests"] = std::move(questions);
           }},
      {.id = "ended-task-cancelled-later",
       .description = "Shows a task as cancelled that was cancelled after its end",
       .breaks = {"ext-tasks.status-transitions"},
       .may_break = {"ext-tasks.cancel-may-lag"},
       .recollection = cancel_what_has_ended},
      unread_task_header("task-header-unread-by-cancel",
                         "Cancels a task although Mcp-Name is of another one",
                         overhear_task<"tasks/cancel">),
      unread_task_header("task-header-unread-by-update",
                         "Updates a task although Mcp-Name is of another one",
                         overhear_task<"tasks/update">),
      {.id = "task-log-told",
       .description = "Sends log messages on a subscription for a task",
       .breaks = {"ext-tasks.no-progress-when-listening"},
       .may_break = {"logging.on-requesting-stream-only", "logging.level-requested",
                     "subscriptions.only-requested"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/tasks")) return;
             Json params = {{"level", "info"}, {"data", "The task goes on"}};
             params["_meta"] = d.json()["params"]["_meta"];
             d.before(
                 wire::encode(wire::make_notification("notifications/message", std::move(params))));
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_second_way_faults() {
  return of_stateless_era({listed_faults, told_faults, second_job_faults});
}

}  // namespace assay::server
