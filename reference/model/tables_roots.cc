// Specification: client/roots.
#include "reference/model/tables.h"

namespace assay::model {

Types roots_types() {
  return {
      server_request(
          "ListRootsRequest", "roots/list",
          {
              optional("params", ref("RequestParams")).until(v2025_11_25),
              optional("params", object({optional("_meta", ref("MetaObject"))})).since(v2026_07_28),
          }),
      object("ListRootsResult",
             {
                 required("roots", array(ref("Root"))),
                 optional("_meta", ref("MetaObject")).until(v2025_11_25),
             }),
      object("Root",
             {
                 required("uri", uri()),
                 optional("name", string()),
                 optional("_meta", ref("MetaObject")).since(v2025_06_18),
             }),
      notification("RootsListChangedNotification", "notifications/roots/list_changed",
                   {optional("params", ref("NotificationParams"))})
          .until(v2025_11_25),
  };
}

}  // namespace assay::model
