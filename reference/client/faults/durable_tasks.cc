// How a client can be wrong with tasks of the extension io.modelcontextprotocol/tasks. It declares
// the extension, and asks after its last task where it lists resources and prompts. Specification:
// the page of the extension, "Task Update Requests", "Task Cancellation", "Routing Headers".
#include <string>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"

namespace assay::client {
namespace {

void declare_extension(Departure& d) {
  const Json::json_pointer declared("/params/_meta/io.modelcontextprotocol~1clientCapabilities");
  if (!d.json().is_object() || !d.json().contains(declared)) return;
  d.json()[declared]["extensions"]["io.modelcontextprotocol/tasks"] = Json::object();
}

// A message about the task of which the client knows, that declares as much as this one.
Json about_task(Departure& d, const char* method) {
  Json message = d.json();
  message["id"] = std::string(method) + " beside " + d.json()["id"].dump();
  message["method"] = method;
  message["params"] = {{"_meta", d.params()["_meta"]}, {"taskId", d.memory().durable_task}};
  return message;
}

bool knows_task(Departure& d, const char* list) {
  declare_extension(d);
  return d.is_request(list) && !d.memory().durable_task.empty();
}

// Asks after the task, and answers what it did not ask, once its answer has come.
void answer_nothing(Departure& d, int times) {
  if (knows_task(d, "resources/list")) d.after(about_task(d, "tasks/get").dump());
  if (!knows_task(d, "prompts/list")) return;
  for (int i = 0; i < times; ++i) {
    Json update = about_task(d, "tasks/update");
    update["id"] = "update " + std::to_string(i);
    update["params"]["inputResponses"] = {{"nobody", {{"action", "decline"}}}};
    d.after(update.dump());
  }
}

}  // namespace

std::vector<Fault> durable_task_faults() {
  const std::vector<std::string_view> with_every_tool = {"request-metadata", "reserved-keys"};
  return {
      {.id = "durable-task-unrouted",
       .description = "Leaves Mcp-Name out where it asks after a task of the extension",
       .breaks = {"ext-tasks.routing-header"},
       .may_break = {"ext-tasks.unsupported-type-invalid"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = with_every_tool,
       .departure =
           [](Departure& d) {
             if (knows_task(d, "resources/list")) d.after(about_task(d, "tasks/get").dump());
           },
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             const bool is_it = asks_for(body, "tasks/get");
             if (is_it) overwrite_field(fields, "Mcp-Method", "tasks/get");
           }},
      {.id = "durable-task-unnamed",
       .description = "Asks after a task of the extension, and does not say which",
       .breaks = {"ext-tasks.schema"},
       .may_break = {"ext-tasks.unsupported-type-invalid"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = with_every_tool,
       .departure =
           [](Departure& d) {
             if (!knows_task(d, "resources/list")) return;
             Json question = about_task(d, "tasks/get");
             question["params"].erase("taskId");
             d.after(question.dump());
           }},
      {.id = "durable-task-given-what-it-did-not-ask",
       .description = "Gives a task of the extension what it did not ask for",
       .breaks = {"ext-tasks.update-keys-outstanding"},
       .may_break = {"ext-tasks.unsupported-type-invalid"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = with_every_tool,
       .departure = [](Departure& d) { answer_nothing(d, 1); }},
      {.id = "durable-task-answered-twice",
       .description = "Answers what a task of the extension asks twice",
       .breaks = {"ext-tasks.answered-once"},
       .may_break = {"ext-tasks.update-keys-outstanding", "ext-tasks.unsupported-type-invalid"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = with_every_tool,
       .departure = [](Departure& d) { answer_nothing(d, 2); }},
      {.id = "durable-task-cancelled-by-call",
       .description = "Cancels a task of the extension by the id of the call that it came of",
       .breaks = {"ext-tasks.no-cancelled-notification"},
       .may_break = {"cancellation.still-in-progress", "ext-tasks.unsupported-type-invalid"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = with_every_tool,
       .departure =
           [](Departure& d) {
             if (!knows_task(d, "resources/list")) return;
             d.after(about_task(d, "tasks/get").dump());
             d.after(Json{{"jsonrpc", "2.0"},
                          {"method", "notifications/cancelled"},
                          {"params", {{"requestId", d.memory().durable_call}}}}
                         .dump());
           }},
  };
}

}  // namespace assay::client
