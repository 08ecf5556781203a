// Specification: server/prompts.
#include "reference/model/tables.h"

namespace assay::model {

Types prompt_types() {
  return {
      object("Prompt",
             {
                 optional("description", string()),
                 optional("arguments", array(ref("PromptArgument"))),
                 optional("_meta", ref("MetaObject")).since(v2025_06_18),
             })
          .extends("BaseMetadata")
          .extends("Icons"),
      object("PromptArgument",
             {
                 optional("description", string()),
                 optional("required", boolean()),
             })
          .extends("BaseMetadata"),
      object("PromptMessage",
             {
                 required("role", ref("Role")),
                 required("content", ref("ContentBlock")),
             }),

      request("ListPromptsRequest", "prompts/list", page_params()),
      object("ListPromptsResult", {required("prompts", array(ref("Prompt")))})
          .extends("PaginatedResult")
          .extends("CacheableResult"),
      result_response("ListPromptsResultResponse", ref("ListPromptsResult")),

      request("GetPromptRequest", "prompts/get",
              {required("params", ref("GetPromptRequestParams"))}),
      object("GetPromptRequestParams",
             {
                 required("name", string()),
                 optional("arguments", map(string())),
             })
          .extends("RequestParams")
          .extends("InputResponseRequestParams", RevisionSet::since(v2026_07_28)),
      object("GetPromptResult",
             {
                 required("messages", array(ref("PromptMessage"))),
                 optional("description", string()),
             })
          .extends("Result"),
      result_response("GetPromptResultResponse", or_any_input_required(ref("GetPromptResult"))),

      notification("PromptListChangedNotification", "notifications/prompts/list_changed",
                   {optional("params", ref("NotificationParams"))}),
  };
}

}  // namespace assay::model
