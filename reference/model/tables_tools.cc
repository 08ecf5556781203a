// Specification: server/tools.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

// Up to 2025-11-25 a tool's schemas list their properties as objects.
Type tool_schema() {
  return object({
      required("type", constant("object")),
      optional("properties", map(object())),
      optional("required", array(string())),
      optional("$schema", string()).since(v2025_11_25),
  });
}

}  // namespace

Types tool_types() {
  return {
      object(
          "Tool",
          {
              required("name", string()).until(v2025_06_18),
              required("name", tool_name()).since(v2025_11_25),
              optional("description", string()),
              required("inputSchema", tool_schema()).until(v2025_11_25),
              required("inputSchema", object({
                                          required("type", constant("object")),
                                          optional("$schema", string()),
                                      }))
                  .since(v2026_07_28),
              optional("outputSchema", tool_schema()).between(v2025_06_18, v2025_11_25),
              optional("outputSchema", object({optional("$schema", string())})).since(v2026_07_28),
              optional("annotations", ref("ToolAnnotations")).since(v2025_03_26),
              optional("execution", ref("ToolExecution")).only(v2025_11_25),
              optional("_meta", ref("MetaObject")).since(v2025_06_18),
          })
          .extends("BaseMetadata")
          .extends("Icons"),
      object("ToolAnnotations",
             {
                 optional("title", string()),
                 optional("readOnlyHint", boolean()),
                 optional("destructiveHint", boolean()),
                 optional("idempotentHint", boolean()),
                 optional("openWorldHint", boolean()),
             })
          .since(v2025_03_26),
      object("ToolExecution",
             {optional("taskSupport", one_of_strings({"forbidden", "optional", "required"}))})
          .only(v2025_11_25),

      request("ListToolsRequest", "tools/list", page_params()),
      object("ListToolsResult", {required("tools", array(ref("Tool")))})
          .extends("PaginatedResult")
          .extends("CacheableResult"),
      result_response("ListToolsResultResponse", ref("ListToolsResult")),

      request("CallToolRequest", "tools/call", {required("params", ref("CallToolRequestParams"))}),
      object("CallToolRequestParams",
             {
                 required("name", string()),
                 optional("arguments", object()),
             })
          .extends("TaskAugmentedRequestParams", RevisionSet::until(v2025_11_25))
          .extends("InputResponseRequestParams", RevisionSet::since(v2026_07_28)),
      object("CallToolResult",
             {
                 required("content", array(ref("ContentBlock"))),
                 optional("structuredContent", object()).between(v2025_06_18, v2025_11_25),
                 optional("structuredContent", any()).since(v2026_07_28),
                 optional("isError", boolean()),
             })
          .extends("Result"),
      result_response("CallToolResultResponse", or_any_input_required(ref("CallToolResult"))),

      notification("ToolListChangedNotification", "notifications/tools/list_changed",
                   {optional("params", ref("NotificationParams"))}),
  };
}

}  // namespace assay::model
