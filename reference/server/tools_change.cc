// Tools that change what the server has, so that its notifications of change can be seen.
#include "reference/server/content.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"

namespace assay::server {
namespace {

Answer toggle(Conversation& conversation, Session::Extra extra, std::string_view notification) {
  const bool is_there = conversation.session().toggle_extra(extra);
  conversation.session().notify(notification);
  return tool_text(is_there ? "The list is longer now." : "The list is shorter now.");
}

Answer change_tools_list(Conversation& conversation, const Json&) {
  return toggle(conversation, Session::Extra::kTool, "notifications/tools/list_changed");
}

Answer change_prompts_list(Conversation& conversation, const Json&) {
  return toggle(conversation, Session::Extra::kPrompt, "notifications/prompts/list_changed");
}

Answer change_resources_list(Conversation& conversation, const Json&) {
  return toggle(conversation, Session::Extra::kResource, "notifications/resources/list_changed");
}

Answer update_resource(Conversation& conversation, const Json& arguments) {
  const std::string uri = arguments.value("uri", "test://watched-resource");
  Session& session = conversation.session();
  if (!session.is_subscribed(uri)) return tool_text("Nobody is subscribed to " + uri);
  session.notify("notifications/resources/updated", {{"uri", uri}});
  return tool_text("The subscriber was told of " + uri);
}

}  // namespace

std::vector<Tool> change_tools() {
  return {
      {.name = "test_trigger_tool_change",
       .title = "Change tools",
       .description = "Makes a tool appear, or vanish again",
       .input_schema = no_arguments(),
       .run = change_tools_list,
       .is_read_only = false},
      {.name = "test_trigger_prompt_change",
       .title = "Change prompts",
       .description = "Makes a prompt appear, or vanish again",
       .input_schema = no_arguments(),
       .run = change_prompts_list,
       .is_read_only = false},
      {.name = "test_trigger_resource_change",
       .title = "Change resources",
       .description = "Makes a resource appear, or vanish again",
       .input_schema = no_arguments(),
       .run = change_resources_list,
       .is_read_only = false},
      {.name = "test_trigger_resource_update",
       .title = "Update a resource",
       .description = "Tells the subscriber of a resource that it has changed",
       .input_schema = optional_arguments({{"uri", {{"type", "string"}}}}),
       .run = update_resource,
       .is_read_only = false},
  };
}

}  // namespace assay::server
