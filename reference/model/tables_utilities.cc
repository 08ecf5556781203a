// Specification: server/utilities (completion, logging) and basic/utilities or basic/patterns
// (progress, cancellation).
#include "reference/model/tables.h"

namespace assay::model {
namespace {

// The page allows 100 values in every revision; the schema says so since 2026-07-28.
constexpr std::size_t kMostCompletions = 100;

}  // namespace

Types completion_types() {
  return {
      request("CompleteRequest", "completion/complete",
              {required("params", ref("CompleteRequestParams"))}),
      object("CompleteRequestParams",
             {
                 required("ref", one_of({
                                     ref("PromptReference"),
                                     ref("ResourceTemplateReference"),
                                 })),
                 required("argument", object({
                                          required("name", string()),
                                          required("value", string()),
                                      })),
                 optional("context", object({optional("arguments", map(string()))}))
                     .since(v2025_06_18),
             })
          .extends("RequestParams"),
      object("PromptReference", {required("type", constant("ref/prompt"))}).extends("BaseMetadata"),
      object("ResourceTemplateReference",
             {
                 required("type", constant("ref/resource")),
                 required("uri", uri_template()),
             }),
      named("ResourceReference", ref("ResourceTemplateReference")).until(v2025_03_26),
      object("CompleteResult",
             {required("completion",
                       object({
                           required("values", array(string()).at_most_items(kMostCompletions)),
                           optional("total", integer()),
                           optional("hasMore", boolean()),
                       }))})
          .extends("Result"),
      result_response("CompleteResultResponse", ref("CompleteResult")),
  };
}

Types logging_types() {
  return {
      named("LoggingLevel", one_of_strings({"debug", "info", "notice", "warning", "error",
                                            "critical", "alert", "emergency"})),
      request("SetLevelRequest", "logging/setLevel",
              {required("params", ref("SetLevelRequestParams"))})
          .until(v2025_11_25),
      object("SetLevelRequestParams", {required("level", ref("LoggingLevel"))})
          .extends("RequestParams")
          .until(v2025_11_25),
      notification("LoggingMessageNotification", "notifications/message",
                   {required("params", ref("LoggingMessageNotificationParams"))}),
      object("LoggingMessageNotificationParams",
             {
                 required("level", ref("LoggingLevel")),
                 required("data", any()),
                 optional("logger", string()),
             })
          .extends("NotificationParams"),
  };
}

Types progress_types() {
  return {
      notification("ProgressNotification", "notifications/progress",
                   {required("params", ref("ProgressNotificationParams"))}),
      object("ProgressNotificationParams",
             {
                 required("progressToken", ref("ProgressToken")),
                 required("progress", number()),
                 optional("total", number()),
                 optional("message", string()).since(v2025_03_26),
             })
          .extends("NotificationParams"),
      notification("CancelledNotification", "notifications/cancelled",
                   {required("params", ref("CancelledNotificationParams"))}),
      object("CancelledNotificationParams",
             {
                 required("requestId", ref("RequestId")).until(v2025_06_18),
                 // A task is cancelled by tasks/cancel instead.
                 optional("requestId", ref("RequestId")).only(v2025_11_25),
                 required("requestId", ref("RequestId")).since(v2026_07_28),
                 optional("reason", string()),
             })
          .extends("NotificationParams"),
  };
}

}  // namespace assay::model
