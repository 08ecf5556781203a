// Specification: server/tools "Tool Result", server/prompts "PromptMessage", server/resources
// "Annotations": the blocks that content is made of.
#include "reference/model/tables.h"

namespace assay::model {

Types content_types() {
  return {
      object("Annotations",
             {
                 optional("audience", array(ref("Role"))),
                 optional("priority", number().between(0, 1)),
                 optional("lastModified", time().advised()).since(v2025_06_18),
             }),
      object("Annotated", {optional("annotations", ref("Annotations"))}),
      // What every block has beside its type.
      object("ContentBase", {optional("_meta", ref("MetaObject")).since(v2025_06_18)})
          .extends("Annotated"),

      object("TextContent",
             {
                 required("type", constant("text")),
                 required("text", string()),
             })
          .extends("ContentBase"),
      object("ImageContent",
             {
                 required("type", constant("image")),
                 required("data", base64()),
                 required("mimeType", string()),
             })
          .extends("ContentBase"),
      object("AudioContent",
             {
                 required("type", constant("audio")),
                 required("data", base64()),
                 required("mimeType", string()),
             })
          .extends("ContentBase")
          .since(v2025_03_26),
      object("ResourceLink", {required("type", constant("resource_link"))})
          .extends("Resource")
          .since(v2025_06_18),
      object("EmbeddedResource",
             {
                 required("type", constant("resource")),
                 required("resource",
                          one_of({ref("TextResourceContents"), ref("BlobResourceContents")})),
             })
          .extends("ContentBase"),
      one_of("ContentBlock",
             {
                 ref("TextContent"),
                 ref("ImageContent"),
                 ref("AudioContent").since(v2025_03_26),
                 ref("ResourceLink").since(v2025_06_18),
                 ref("EmbeddedResource"),
             }),
  };
}

}  // namespace assay::model
