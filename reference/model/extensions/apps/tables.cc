// The extension `io.modelcontextprotocol/ui`, MCP Apps (SEP-1865).
//
// Specification: ext-apps, specification/2026-01-26/apps.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Fields optional_of_each(std::initializer_list<const char*> names, const Type& type) {
  Fields fields;
  for (const char* const name : names) fields.push_back(optional(name, type));
  return fields;
}

// What stands in `_meta.ui`, and what a client says of itself.
Types all_app_types() {
  return {
      object("McpUiResourceCsp", optional_of_each({"connectDomains", "resourceDomains",
                                                   "frameDomains", "baseUriDomains"},
                                                  array(string()))),
      object("McpUiResourcePermissions",
             optional_of_each({"camera", "microphone", "geolocation", "clipboardWrite"}, object())),
      object("McpUiResourceMeta",
             {
                 optional("csp", ref("McpUiResourceCsp")),
                 optional("permissions", ref("McpUiResourcePermissions")),
                 optional("domain", string()),
                 optional("prefersBorder", boolean()),
             }),
      object("McpUiToolMeta",
             {
                 optional("resourceUri", string()),
                 optional("visibility", array(one_of_strings({"model", "app"}))),
             }),
      object("McpUiClientCapabilities", {required("mimeTypes", array(string()))}),
  };
}

}  // namespace

// Its page shows a session of the first revision, and names no revision that it needs. It has
// clients declare the extension, and servers name user interfaces.
Extension apps_extension() {
  return {
      .name = "apps",
      .identifier = "io.modelcontextprotocol/ui",
      .title = "MCP Apps",
      .version = "2026-01-26",
      .base = v2024_11_05,
      .address =
          "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/"
          "apps.mdx",
      .shown_by = "/ui/resourceUri",
      .client_settings = R"({"mimeTypes": ["text/html;profile=mcp-app"]})",
      .types = all_app_types(),
  };
}

}  // namespace assay::model
