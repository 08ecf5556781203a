// Specification: basic/lifecycle (handshake revisions), server/discover (2026-07-28), and
// basic/ping.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Type list_changed() {
  return object({optional("listChanged", boolean())});
}

Type client_capabilities() {
  const auto kind_of_tasks = [] {
    return object({
        optional("list", object()),
        optional("cancel", object()),
        optional("requests",
                 object({
                     optional("sampling", object({optional("createMessage", object())})),
                     optional("elicitation", object({optional("create", object())})),
                 })),
    });
  };
  return object("ClientCapabilities", {
                                          optional("experimental", map(object())),
                                          optional("extensions", map(object())).since(v2026_07_28),
                                          optional("roots", list_changed()).until(v2025_11_25),
                                          optional("roots", object()).since(v2026_07_28),
                                          optional("sampling", object()).until(v2025_06_18),
                                          optional("sampling", object({
                                                                   optional("context", object()),
                                                                   optional("tools", object()),
                                                               }))
                                              .since(v2025_11_25),
                                          optional("elicitation", object()).only(v2025_06_18),
                                          optional("elicitation", object({
                                                                      optional("form", object()),
                                                                      optional("url", object()),
                                                                  }))
                                              .since(v2025_11_25),
                                          optional("tasks", kind_of_tasks()).only(v2025_11_25),
                                      });
}

Type server_capabilities() {
  const auto kind_of_tasks = [] {
    return object({
        optional("list", object()),
        optional("cancel", object()),
        optional("requests", object({optional("tools", object({optional("call", object())}))})),
    });
  };
  return object("ServerCapabilities",
                {
                    optional("experimental", map(object())),
                    optional("extensions", map(object())).since(v2026_07_28),
                    optional("logging", object()),
                    optional("completions", object()).since(v2025_03_26),
                    optional("prompts", list_changed()),
                    optional("resources", object({
                                              optional("subscribe", boolean()),
                                              optional("listChanged", boolean()),
                                          })),
                    optional("tools", list_changed()),
                    optional("tasks", kind_of_tasks()).only(v2025_11_25),
                });
}

}  // namespace

Types lifecycle_types() {
  return {
      client_capabilities(),
      server_capabilities(),

      request("InitializeRequest", "initialize",
              {required("params", ref("InitializeRequestParams"))})
          .until(v2025_11_25),
      object("InitializeRequestParams",
             {
                 required("protocolVersion", string()),
                 required("capabilities", ref("ClientCapabilities")),
                 required("clientInfo", ref("Implementation")),
             })
          .extends("RequestParams")
          .until(v2025_11_25),
      object("InitializeResult",
             {
                 required("protocolVersion", string()),
                 required("capabilities", ref("ServerCapabilities")),
                 required("serverInfo", ref("Implementation")),
                 optional("instructions", string()),
             })
          .extends("Result")
          .until(v2025_11_25),
      notification("InitializedNotification", "notifications/initialized",
                   {optional("params", ref("NotificationParams"))})
          .until(v2025_11_25),
      request("PingRequest", "ping", plain_params()).until(v2025_11_25),

      request("DiscoverRequest", "server/discover", plain_params()).since(v2026_07_28),
      object("DiscoverResult",
             {
                 required("supportedVersions", array(string())),
                 required("capabilities", ref("ServerCapabilities")),
                 optional("instructions", string()),
             })
          .extends("CacheableResult")
          .since(v2026_07_28),
      result_response("DiscoverResultResponse", ref("DiscoverResult")),
  };
}

}  // namespace assay::model
