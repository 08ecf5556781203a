// Tools that are made to be called as tasks. Specification: basic/utilities/tasks (2025-11-25), and
// the extension io.modelcontextprotocol/tasks.
#include "reference/server/content.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"

namespace assay::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWork{100};

Answer work(ToolDialogue& conversation, const Json&) {
  for (const int progress : {1, 2}) {
    conversation.wait(kWork / 2);
    conversation.progress(progress, 2, "Working");
  }
  return tool_text("The task is done.");
}

Answer fail(ToolDialogue& conversation, const Json&) {
  conversation.wait(kWork / 2);
  return tool_error("This task intentionally fails");
}

Answer confirm(ToolDialogue& conversation, const Json&) {
  conversation.wait(kWork / 2);  // so that somebody can be waiting for the result before it asks
  const ClientAnswer reply = conversation.ask(
      "elicitation/create",
      {{"mode", "form"},
       {"message", "Shall the task go on?"},
       {"requestedSchema", required_arguments({{"confirm", {{"type", "boolean"}}}})}});
  if (!reply.is_result()) return tool_error("Elicitation failed: " + reply.trouble());
  return tool_text("The user's answer: " + string_member(reply.value, "action").value_or("?"));
}

}  // namespace

std::vector<Tool> task_tools() {
  return {
      {.name = "test_tool_with_task",
       .title = "Task",
       .description = "Can only be called as a task",
       .input_schema = no_arguments(),
       .run = work,
       .is_slow = true,
       .task_support = TaskSupport::kRequired,
       .exists = &model::Revision::has_core_tasks},
      {.name = "test_optional_task",
       .title = "Optional task",
       .description = "Can be called as a task",
       .input_schema = no_arguments(),
       .run = work,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::may_have_tasks},
      {.name = "test_failing_task",
       .title = "Failing task",
       .description = "Fails, as a task or not",
       .input_schema = no_arguments(),
       .run = fail,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::may_have_tasks},
      {.name = "test_task_with_elicitation",
       .title = "Task with elicitation",
       .description = "Asks the user in the middle of a task",
       .input_schema = no_arguments(),
       .run = confirm,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::has_core_tasks},
  };
}

}  // namespace assay::server
