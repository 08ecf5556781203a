// Tools that change what the server has, so that its notifications of change can be seen.
#include "reference/server/content.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"

namespace assay::server {
namespace {

using Extra = Context::Extra;

// Without sessions a list is the same for everybody, and no request may change it: there the change
// is announced, and is none.
Answer change(ToolDialogue& conversation, Extra extra, std::string_view notification) {
  Context& context = conversation.context();
  Session* const session = context.session();
  const bool is_there = session && session->toggle_extra(extra);
  context.announce(notification);
  if (!session) return tool_text("Subscribers were notified.");
  return tool_text(is_there ? "The list is longer now." : "The list is shorter now.");
}

Answer change_tools_list(ToolDialogue& conversation, const Json&) {
  return change(conversation, Extra::kTool, "notifications/tools/list_changed");
}

Answer change_prompts_list(ToolDialogue& conversation, const Json&) {
  return change(conversation, Extra::kPrompt, "notifications/prompts/list_changed");
}

Answer change_resources_list(ToolDialogue& conversation, const Json&) {
  return change(conversation, Extra::kResource, "notifications/resources/list_changed");
}

Answer update_resource(ToolDialogue& conversation, const Json& arguments) {
  const std::string uri = arguments.value("uri", "test://watched-resource");
  Context& context = conversation.context();
  if (context.session() && !context.session()->is_subscribed(uri)) {
    return tool_text("No client is subscribed to " + uri);
  }
  context.announce("notifications/resources/updated", {{"uri", uri}});
  return tool_text("The subscriber was told of " + uri);
}

Answer end_subscriptions(ToolDialogue& conversation, const Json& arguments) {
  conversation.context().end_subscriptions(arguments.at("subscription"));
  return tool_text("That subscription is over.");
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
      {.name = "test_trigger_subscription_end",
       .title = "End a subscription",
       .description = "Ends the subscription with that id from the server's side",
       .input_schema = required_arguments({{"subscription", {{"type", {"string", "integer"}}}}}),
       .run = end_subscriptions,
       .is_read_only = false,
       .exists = &model::Revision::asks_in_results},
  };
}

}  // namespace assay::server
