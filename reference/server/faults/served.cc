// Faults of who declares more than it serves, or uses more than it declares.
// Specification: basic/lifecycle, "Capability Negotiation" and "Operation".
#include <initializer_list>
#include <string>
#include <string_view>

#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

// Has the server look for a method that it does not have.
void forget(Json& request, std::initializer_list<std::string_view> methods) {
  const std::string asked = request.value("method", std::string());
  for (const std::string_view method : methods) {
    if (asked == method) request["method"] = "no/" + asked;
  }
}

void undeclare(Departure& d, const char* path) {
  if (!d.is_result_of("initialize")) return;
  const Json::json_pointer member(path);
  Json& capabilities = d.result()["capabilities"];
  if (capabilities.contains(member)) capabilities.at(member.parent_pointer()).erase(member.back());
}

}  // namespace

std::vector<Fault> served_faults() {
  return {
      {.id = "tools-listed-only",
       .description = "Lists tools and does not know tools/call",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"tools/call"}); }},
      {.id = "resources-listed-only",
       .description = "Lists resources and does not know resources/read",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"resources/read"}); }},
      {.id = "prompts-listed-only",
       .description = "Lists prompts and does not know prompts/get",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"prompts.unknown-name-error", "prompts.missing-argument-error"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"prompts/get"}); }},
      {.id = "completions-declared-only",
       .description = "Declares completions and does not know completion/complete",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"completion.unknown-prompt-error", "completion.missing-argument-error"},
       .concerns = &model::Revision::has_completions_capability,
       .intake = [](Json& request, FaultMemory&) { forget(request, {"completion/complete"}); }},
      {.id = "logging-declared-only",
       .description = "Declares logging and does not know logging/setLevel",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"logging/setLevel"}); }},
      {.id = "subscriptions-declared-only",
       .description = "Declares subscriptions and does not know resources/subscribe",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"resources/subscribe"}); }},
      {.id = "unsubscribe-unknown",
       .description = "Declares subscriptions and does not know resources/unsubscribe",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"resources.updates-only-subscribed"},
       .intake = [](Json& request, FaultMemory&) { forget(request, {"resources/unsubscribe"}); }},
      {.id = "task-list-declared-only",
       .description = "Declares tasks.list and does not know tasks/list",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .concerns = &model::Revision::has_core_tasks,
       .intake = [](Json& request, FaultMemory&) { forget(request, {"tasks/list"}); }},
      {.id = "tasks-declared-only",
       .description = "Declares tasks and does not know tasks/get and tasks/result",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"tasks.unknown-task-error"},
       .concerns = &model::Revision::has_core_tasks,
       .intake =
           [](Json& request, FaultMemory&) {
             forget(request, {"tasks/get", "tasks/result"});
           }},
      {.id = "task-cancellation-declared-only",
       .description = "Declares tasks.cancel and does not know tasks/cancel",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"tasks.unknown-task-error", "tasks.cancel-terminal-refused"},
       .concerns = &model::Revision::has_core_tasks,
       .intake = [](Json& request, FaultMemory&) { forget(request, {"tasks/cancel"}); }},
      {.id = "tool-changes-undeclared",
       .description = "Announces changes of its tools without declaring that it does",
       .breaks = {"lifecycle.uses-negotiated-capabilities"},
       .departure = [](Departure& d) { undeclare(d, "/tools/listChanged"); }},
      {.id = "prompt-changes-undeclared",
       .description = "Announces changes of its prompts without declaring that it does",
       .breaks = {"lifecycle.uses-negotiated-capabilities", "prompts.negotiation-respected"},
       .departure = [](Departure& d) { undeclare(d, "/prompts/listChanged"); }},
      {.id = "resource-changes-undeclared",
       .description = "Announces changes of its resources without declaring that it does",
       .breaks = {"lifecycle.uses-negotiated-capabilities"},
       .departure = [](Departure& d) { undeclare(d, "/resources/listChanged"); }},
  };
}

}  // namespace assay::server
