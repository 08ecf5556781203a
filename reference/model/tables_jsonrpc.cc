// Specification: basic, "Messages": JSON-RPC 2.0 as MCP narrows it.
#include "reference/model/tables.h"

namespace assay::model {

Types jsonrpc_types() {
  return {
      object("Request",
             {
                 required("method", string()),
                 optional("params", ref("RequestParams")).until(v2025_06_18),
                 optional("params", object()).since(v2025_11_25),
             }),
      object("Notification",
             {
                 required("method", string()),
                 optional("params", ref("NotificationParams")).until(v2025_06_18),
                 optional("params", object()).since(v2025_11_25),
             }),
      object("PaginatedRequest",
             {
                 required("jsonrpc", constant("2.0")).since(v2025_11_25),
                 required("id", ref("RequestId")).since(v2025_11_25),
                 required("method", string()),
                 optional("params", ref("PaginatedRequestParams")).until(v2025_11_25),
                 required("params", ref("PaginatedRequestParams")).since(v2026_07_28),
             }),

      object("JSONRPCRequest",
             {
                 required("jsonrpc", constant("2.0")),
                 required("id", ref("RequestId")),
             })
          .extends("Request"),
      object("JSONRPCNotification", {required("jsonrpc", constant("2.0"))}).extends("Notification"),
      object("JSONRPCResultResponse",
             {
                 required("jsonrpc", constant("2.0")),
                 required("id", ref("RequestId")),
                 required("result", ref("Result")),
             }),
      object("JSONRPCErrorResponse",
             {
                 required("jsonrpc", constant("2.0")),
                 required("id", ref("RequestId")).until(v2025_06_18),
                 // The id of a request that could not be read is unknown.
                 optional("id", ref("RequestId")).since(v2025_11_25),
                 required("error", ref("Error")),
             }),
      object("Error",
             {
                 required("code", integer()),
                 required("message", string()),
                 optional("data", any()),
             }),
      // Up to 2025-06-18 the two responses had other names.
      named("JSONRPCError", ref("JSONRPCErrorResponse")).until(v2025_06_18),
      one_of("JSONRPCResponse",
             {
                 ref("JSONRPCResultResponse"),
                 ref("JSONRPCErrorResponse").since(v2025_11_25),
             }),

      named("JSONRPCBatchRequest",
            array(one_of({ref("JSONRPCRequest"), ref("JSONRPCNotification")})))
          .only(v2025_03_26),
      named("JSONRPCBatchResponse",
            array(one_of({ref("JSONRPCResultResponse"), ref("JSONRPCErrorResponse")})))
          .only(v2025_03_26),
      one_of("JSONRPCMessage",
             {
                 ref("JSONRPCRequest"),
                 ref("JSONRPCNotification"),
                 ref("JSONRPCResultResponse"),
                 ref("JSONRPCErrorResponse"),
                 ref("JSONRPCBatchRequest").only(v2025_03_26),
                 ref("JSONRPCBatchResponse").only(v2025_03_26),
             }),
  };
}

}  // namespace assay::model
