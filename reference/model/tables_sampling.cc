// Specification: client/sampling.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

// Since 2025-11-25 a message may hold several blocks.
Field message_content() {
  return required("content", one_of({
                                 ref("TextContent"),
                                 ref("ImageContent"),
                                 ref("AudioContent").since(v2025_03_26),
                                 ref("ToolUseContent").since(v2025_11_25),
                                 ref("ToolResultContent").since(v2025_11_25),
                                 array(ref("SamplingMessageContentBlock")).since(v2025_11_25),
                             }));
}

Types request_types() {
  return {
      server_request("CreateMessageRequest", "sampling/createMessage",
                     {required("params", ref("CreateMessageRequestParams"))}),
      object("CreateMessageRequestParams",
             {
                 required("messages", array(ref("SamplingMessage"))),
                 required("maxTokens", integer()),
                 optional("modelPreferences", ref("ModelPreferences")),
                 optional("systemPrompt", string()),
                 optional("includeContext", one_of_strings({"none", "thisServer", "allServers"})),
                 optional("temperature", number()),
                 optional("stopSequences", array(string())),
                 optional("metadata", object()),
                 optional("tools", array(ref("Tool"))).since(v2025_11_25),
                 optional("toolChoice", ref("ToolChoice")).since(v2025_11_25),
             })
          .extends("TaskAugmentedRequestParams"),
      object("ModelPreferences",
             {
                 optional("hints", array(ref("ModelHint"))),
                 optional("costPriority", number().between(0, 1)),
                 optional("speedPriority", number().between(0, 1)),
                 optional("intelligencePriority", number().between(0, 1)),
             }),
      object("ModelHint", {optional("name", string())}),
      object("ToolChoice", {optional("mode", one_of_strings({"auto", "required", "none"}))})
          .since(v2025_11_25),
  };
}

Types message_types() {
  return {
      object("CreateMessageResult",
             {
                 required("role", ref("Role")),
                 message_content(),
                 required("model", string()),
                 optional("stopReason", string()),
                 optional("_meta", ref("MetaObject")),
             }),
      object("SamplingMessage",
             {
                 required("role", ref("Role")),
                 message_content(),
                 optional("_meta", ref("MetaObject")).since(v2025_11_25),
             }),
      one_of("SamplingMessageContentBlock",
             {
                 ref("TextContent"),
                 ref("ImageContent"),
                 ref("AudioContent"),
                 ref("ToolUseContent"),
                 ref("ToolResultContent"),
             })
          .since(v2025_11_25),
      object("ToolUseContent",
             {
                 required("type", constant("tool_use")),
                 required("id", string()),
                 required("name", string()),
                 required("input", object()),
                 optional("_meta", ref("MetaObject")),
             })
          .since(v2025_11_25),
      object("ToolResultContent",
             {
                 required("type", constant("tool_result")),
                 required("toolUseId", string()),
                 required("content", array(ref("ContentBlock"))),
                 optional("structuredContent", object()).only(v2025_11_25),
                 optional("structuredContent", any()).since(v2026_07_28),
                 optional("isError", boolean()),
                 optional("_meta", ref("MetaObject")),
             })
          .since(v2025_11_25),
  };
}

}  // namespace

Types sampling_types() {
  return joined({request_types(), message_types()});
}

}  // namespace assay::model
