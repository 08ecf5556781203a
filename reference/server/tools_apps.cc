// Tools with a user interface, of the extension `io.modelcontextprotocol/ui`. Each answers in text,
// too, for clients that render none.
//
// Specification: the extension's page, "Resource Discovery", "Server Behavior".
#include "reference/server/apps.h"
#include "reference/server/content.h"
#include "reference/server/context.h"
#include "reference/server/tools.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

Answer show_weather(ToolDialogue& conversation, const Json&) {
  const Json weather = {{"temperature", 21.5}, {"conditions", "sunny"}};
  Json result = tool_text(wire::encode(weather));
  if (conversation.context().speaks().has_structured_content()) {
    result["structuredContent"] = weather;
  }
  return result;
}

}  // namespace

std::vector<Tool> app_tools() {
  return {
      {.name = "test_app_dashboard",
       .title = "Dashboard",
       .description = "Shows the weather on a dashboard",
       .input_schema = no_arguments(),
       .run = show_weather,
       .ui = Json{{"resourceUri", kDashboardUri}, {"visibility", {"model", "app"}}}},
      {.name = "test_app_chart",
       .title = "Chart",
       .description = "Shows the weather as a chart",
       .input_schema = no_arguments(),
       .run = show_weather,
       .ui = Json{{"resourceUri", kChartUri}}},
      {.name = "test_app_refresh",
       .title = "Refresh",
       .description = "Refreshes the dashboard, which alone calls it",
       .input_schema = no_arguments(),
       .run = show_weather,
       .ui = Json{{"resourceUri", kDashboardUri}, {"visibility", Json::array({"app"})}}},
  };
}

}  // namespace assay::server
