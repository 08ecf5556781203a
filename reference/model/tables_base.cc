// Specification: basic (messages, `_meta`, icons), and the types that everything else builds on.
#include "reference/model/tables.h"

namespace assay::model {

Types base_types() {
  const RevisionSet kKeyNames = RevisionSet::since(v2025_06_18);
  return {
      named("RequestId", one_of({string(), integer()})),
      named("ProgressToken", one_of({string(), integer()})),
      named("Cursor", string()),
      named("Role", one_of_strings({"user", "assistant"})),
      named("ResultType", string()).since(v2026_07_28),

      named("JSONValue", any()).since(v2026_07_28),
      named("JSONObject", object()).since(v2026_07_28),
      named("JSONArray", array(any())).since(v2026_07_28),

      object("MetaObject", {}).keys(Format::kMetaKey, kKeyNames),
      object(
          "RequestMetaObject",
          {
              optional("progressToken", ref("ProgressToken")),
              required("io.modelcontextprotocol/protocolVersion", string()).since(v2026_07_28),
              required("io.modelcontextprotocol/clientCapabilities", ref("ClientCapabilities"))
                  .since(v2026_07_28),
              optional("io.modelcontextprotocol/clientInfo", ref("Implementation"))
                  .since(v2026_07_28),
              optional("io.modelcontextprotocol/logLevel", ref("LoggingLevel")).since(v2026_07_28),
          })
          .keys(Format::kMetaKey, kKeyNames),
      object("NotificationMetaObject",
             {
                 optional("io.modelcontextprotocol/subscriptionId", ref("RequestId"))
                     .since(v2026_07_28),
             })
          .keys(Format::kMetaKey, kKeyNames),
      object("ResultMetaObject",
             {
                 optional("io.modelcontextprotocol/serverInfo", ref("Implementation"))
                     .since(v2026_07_28),
             })
          .keys(Format::kMetaKey, kKeyNames),

      object("RequestParams",
             {
                 optional("_meta", ref("RequestMetaObject")).until(v2025_11_25),
                 required("_meta", ref("RequestMetaObject")).since(v2026_07_28),
             }),
      object("PaginatedRequestParams", {optional("cursor", ref("Cursor"))})
          .extends("RequestParams"),
      object("NotificationParams", {optional("_meta", ref("NotificationMetaObject"))}),
      // A request that may be run as a task.
      object("TaskAugmentedRequestParams",
             {optional("task", ref("TaskMetadata")).only(v2025_11_25)})
          .extends("RequestParams", RevisionSet::until(v2025_11_25)),

      object("Result",
             {
                 optional("_meta", ref("ResultMetaObject")),
                 required("resultType", ref("ResultType")).since(v2026_07_28),
             }),
      named("EmptyResult", ref("Result")),
      object("PaginatedResult", {optional("nextCursor", ref("Cursor"))}).extends("Result"),
      // Nothing is cacheable before 2026-07-28, so that a result may extend this in every revision.
      object("CacheableResult",
             {
                 required("ttlMs", integer().at_least(0)).since(v2026_07_28),
                 required("cacheScope", one_of_strings({"public", "private"})).since(v2026_07_28),
             })
          .extends("Result"),

      object("Icon",
             {
                 required("src", uri()),
                 optional("mimeType", string()),
                 optional("sizes", array(string())),
                 optional("theme", one_of_strings({"light", "dark"})),
             })
          .since(v2025_11_25),
      // What has icons, from the revision that knows them.
      object("Icons", {optional("icons", array(ref("Icon"))).since(v2025_11_25)}),
      object("BaseMetadata",
             {
                 required("name", string()),
                 optional("title", string()).since(v2025_06_18),
             }),
      object("Implementation",
             {
                 required("version", string()),
                 optional("description", string()).since(v2025_11_25),
                 optional("websiteUrl", uri()).since(v2025_11_25),
             })
          .extends("BaseMetadata")
          .extends("Icons"),
  };
}

}  // namespace assay::model
