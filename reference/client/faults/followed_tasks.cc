// How a client can be wrong with calls that go on as tasks. Specification: the extension
// io.modelcontextprotocol/tasks.
#include <string>
#include <string_view>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"
#include "reference/client/session.h"

namespace assay::client {
namespace {

bool is_about_task(const Json& message) {
  if (!message.is_object()) return false;
  const Json method = message.value("method", Json());
  return method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
}

// The task that a result shows or creates; null where the message is none.
Json* task_in(Json& message, const char* status) {
  const auto result = message.is_object() ? message.find("result") : message.end();
  if (!message.is_object() || result == message.end() || !result->is_object()) return nullptr;
  const bool is_it = result->contains("taskId") && result->value("status", Json()) == status;
  return is_it ? &*result : nullptr;
}

// A task in that status seems to have ended.
void take_for_end(Json& message, const char* status) {
  Json* const task = task_in(message, status);
  if (task == nullptr || task->value("resultType", Json()) != "complete") return;
  (*task)["status"] = "completed";
  (*task)["result"] = {{"content", Json::array()}};
}

bool gives_input(Departure& d) {
  return d.is_request("tasks/update") && d.params().is_object() &&
         d.params()["inputResponses"].is_object();
}

}  // namespace

std::vector<Fault> followed_task_faults() {
  return {
      {.id = "followed-task-polled-at-once",
       .description = "Asks about a task again and again, without a pause",
       .breaks = {"ext-tasks.poll-interval-respected"},
       .options = [](SessionOptions& options) { options.tasks.is_tireless = true; }},
      {.id = "followed-task-interval-kept",
       .description = "Asks about a task as often as it might at first, whatever it is told later",
       .breaks = {"ext-tasks.poll-interval-respected"},
       .options = [](SessionOptions& options) { options.tasks.keeps_first_interval = true; }},
      {.id = "followed-task-asked-about-once",
       .description = "Takes a task that is still at work for one that has ended",
       .breaks = {"ext-tasks.polled-until-terminal"},
       .may_break = {"ext-tasks.observed-after-update"},
       .intake = [](Json& message, const FaultMemory&) { take_for_end(message, "working"); }},
      {.id = "followed-task-of-other-name",
       .description = "Asks about tasks under another taskId than it was given",
       .breaks = {"ext-tasks.polled-until-terminal"},
       .intake =
           [](Json& message, const FaultMemory&) {
             Json* const task = task_in(message, "working");
             if (task != nullptr && (*task)["resultType"] == "task") {
               (*task)["taskId"] = (*task)["taskId"].get<std::string>() + " ";
             }
           }},
      {.id = "followed-task-not-known",
       .description = "Breaks off when a call is answered with a task",
       .breaks = {"ext-tasks.either-result-handled"},
       .chokes =
           [](const transport::Observation&, std::string_view text) {
             const Json message = Json::parse(text, nullptr, false);
             const Json::json_pointer type("/result/resultType");
             return message.is_object() && message.contains(type) && message[type] == "task" &&
                    message["result"].value("taskId", "").starts_with("assay-task-of-test_");
           }},
      {.id = "followed-task-of-a-list",
       .description = "Follows a task that answers a request for tools",
       .breaks = {"ext-tasks.unsupported-type-invalid"},
       .options = [](SessionOptions& options) { options.tasks.follows_any = true; }},
      {.id = "followed-task-left-in-want",
       .description = "Takes a task that asks for input for one that has ended",
       .breaks = {"ext-tasks.input-fulfilled"},
       .intake = [](Json& message,
                    const FaultMemory&) { take_for_end(message, "input_required"); }},
      {.id = "followed-task-given-nothing",
       .description = "Polls a task that asks for input, and never gives it any",
       .breaks = {"ext-tasks.input-fulfilled"},
       .intake =
           [](Json& message, const FaultMemory&) {
             if (Json* const task = task_in(message, "input_required")) {
               (*task)["status"] = "working";
             }
           }},
      {.id = "followed-task-left-once-given",
       .description = "Asks no more about a task that it has given its input",
       .breaks = {"ext-tasks.observed-after-update"},
       .intake =
           [](Json& message, const FaultMemory& memory) {
             const Json::json_pointer type("/result/resultType");
             const bool is_bare = message.is_object() && message.contains(type) &&
                                  message["result"].size() == 1 && message[type] == "complete";
             if (!is_bare || memory.previous != "tasks/update") return;
             message.erase("result");
             message["error"] = {{"code", -32603}, {"message", "That is enough"}};
           }},
      {.id = "followed-task-answered-again",
       .description = "Answers what a task asks each time that the task shows it",
       .breaks = {"ext-tasks.answered-once"},
       .options = [](SessionOptions& options) { options.tasks.forgets_answers = true; }},
      {.id = "followed-task-answered-unasked",
       .description = "Gives a task something that it did not ask for",
       .breaks = {"ext-tasks.update-keys-outstanding"},
       .may_break = {"ext-tasks.answered-once"},
       .departure =
           [](Departure& d) {
             if (gives_input(d)) d.params()["inputResponses"]["more"] = {{"action", "decline"}};
           }},
      {.id = "followed-task-updated-unasked",
       .description = "Gives input to a task that is at work and asks for none",
       .breaks = {"ext-tasks.update-keys-outstanding"},
       .may_break = {"ext-tasks.answered-once"},
       .intake =
           [](Json& message, const FaultMemory&) {
             Json* const task = task_in(message, "working");
             if (task == nullptr || (*task)["resultType"] != "complete") return;
             (*task)["status"] = "input_required";
             (*task)["inputRequests"] = {
                 {"go-on", {{"method", "roots/list"}, {"params", Json::object()}}}};
           }},
      {.id = "followed-task-given-whole-messages",
       .description = "Gives a task whole JSON-RPC messages for its input",
       .breaks = {"ext-tasks.inputs-as-standalone"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             if (!gives_input(d)) return;
             for (auto& [key, response] : d.params()["inputResponses"].items()) {
               response = {{"jsonrpc", "2.0"}, {"id", key}, {"result", response}};
             }
           }},
      {.id = "followed-task-cancelled-as-call",
       .description = "Cancels a task with notifications/cancelled",
       .breaks = {"ext-tasks.no-cancelled-notification"},
       .may_break = {"cancellation.same-direction"},
       .seen_over = SeenOver::kStdioOnly,
       .options = [](SessionOptions& options) { options.tasks.cancels_as_call = true; }},
      {.id = "followed-task-without-name-header",
       .description = "Leaves Mcp-Name out where it asks about a task",
       .breaks = {"ext-tasks.routing-header"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"calls-become-tasks", "tasks-ask"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_about_task(body)) take_field_out(fields, "Mcp-Name");
           }},
      {.id = "followed-task-with-tool-in-name-header",
       .description = "Names the tool in Mcp-Name where it asks about its task",
       .breaks = {"ext-tasks.routing-header"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"calls-become-tasks", "tasks-ask"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_about_task(body)) overwrite_field(fields, "Mcp-Name", "test_task_steady");
           }},
      {.id = "followed-task-in-older-form",
       .description = "Asks about a task under the member task, as in no revision",
       .breaks = {"ext-tasks.schema"},
       .may_break = {"ext-tasks.polled-until-terminal"},
       .shown_in = {"calls-become-tasks"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("tasks/get") || !d.params().is_object()) return;
             d.params()["task"] = {{"taskId", d.params()["taskId"]}};
             d.params().erase("taskId");
           }},
      {.id = "followed-task-given-a-list",
       .description = "Gives a task its input as a list",
       .breaks = {"ext-tasks.schema"},
       .shown_in = {"tasks-ask"},
       .departure =
           [](Departure& d) {
             if (!gives_input(d)) return;
             Json list = Json::array();
             for (const Json& response : d.params()["inputResponses"]) list.push_back(response);
             d.params()["inputResponses"] = std::move(list);
           }},
  };
}

}  // namespace assay::client
