// Specification: server/resources.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Types listed_types() {
  return {
      object("Resource",
             {
                 required("uri", uri()),
                 optional("description", string()),
                 optional("mimeType", string()),
                 optional("size", integer()),
                 optional("annotations", ref("Annotations")),
                 optional("_meta", ref("MetaObject")).since(v2025_06_18),
             })
          .extends("BaseMetadata")
          .extends("Icons"),
      object("ResourceTemplate",
             {
                 required("uriTemplate", uri_template()),
                 optional("description", string()),
                 optional("mimeType", string()),
                 optional("annotations", ref("Annotations")),
                 optional("_meta", ref("MetaObject")).since(v2025_06_18),
             })
          .extends("BaseMetadata")
          .extends("Icons"),
      object("ResourceContents",
             {
                 required("uri", uri()),
                 optional("mimeType", string()),
                 optional("_meta", ref("MetaObject")).since(v2025_06_18),
             }),
      object("TextResourceContents", {required("text", string())}).extends("ResourceContents"),
      object("BlobResourceContents", {required("blob", base64())}).extends("ResourceContents"),
  };
}

Types list_and_read_types() {
  return {
      request("ListResourcesRequest", "resources/list", page_params()),
      object("ListResourcesResult", {required("resources", array(ref("Resource")))})
          .extends("PaginatedResult")
          .extends("CacheableResult"),
      result_response("ListResourcesResultResponse", ref("ListResourcesResult")),
      request("ListResourceTemplatesRequest", "resources/templates/list", page_params()),
      object("ListResourceTemplatesResult",
             {required("resourceTemplates", array(ref("ResourceTemplate")))})
          .extends("PaginatedResult")
          .extends("CacheableResult"),
      result_response("ListResourceTemplatesResultResponse", ref("ListResourceTemplatesResult")),

      object("ResourceRequestParams", {required("uri", uri())}).extends("RequestParams"),
      request("ReadResourceRequest", "resources/read",
              {required("params", ref("ReadResourceRequestParams"))}),
      object("ReadResourceRequestParams", {})
          .extends("ResourceRequestParams")
          .extends("InputResponseRequestParams", RevisionSet::since(v2026_07_28)),
      object("ReadResourceResult",
             {required("contents",
                       array(one_of({ref("TextResourceContents"), ref("BlobResourceContents")})))})
          .extends("CacheableResult"),
      result_response("ReadResourceResultResponse",
                      or_any_input_required(ref("ReadResourceResult"))),
  };
}

Types change_types() {
  return {
      request("SubscribeRequest", "resources/subscribe",
              {required("params", ref("SubscribeRequestParams"))})
          .until(v2025_11_25),
      object("SubscribeRequestParams", {}).extends("ResourceRequestParams").until(v2025_11_25),
      request("UnsubscribeRequest", "resources/unsubscribe",
              {required("params", ref("UnsubscribeRequestParams"))})
          .until(v2025_11_25),
      object("UnsubscribeRequestParams", {}).extends("ResourceRequestParams").until(v2025_11_25),
      notification("ResourceListChangedNotification", "notifications/resources/list_changed",
                   {optional("params", ref("NotificationParams"))}),
      notification("ResourceUpdatedNotification", "notifications/resources/updated",
                   {required("params", ref("ResourceUpdatedNotificationParams"))}),
      object("ResourceUpdatedNotificationParams", {required("uri", uri())})
          .extends("NotificationParams"),
  };
}

}  // namespace

Types resource_types() {
  return joined({listed_types(), list_and_read_types(), change_types()});
}

}  // namespace assay::model
