// Faults of a client that renders apps. Specification: the extension io.modelcontextprotocol/ui,
// "Client (Host) Capabilities", "Behavior".
#include <string_view>
#include <vector>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

// What the client says of the extension, in its handshake or in a request that stands alone; null
// where the message says nothing of it.
Json* settings_of_apps(Departure& d) {
  static const Json::json_pointer kInHandshake(
      "/params/capabilities/extensions/io.modelcontextprotocol~1ui");
  static const Json::json_pointer kInRequest(
      "/params/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/"
      "io.modelcontextprotocol~1ui");
  for (const Json::json_pointer& place : {kInHandshake, kInRequest}) {
    if (d.json().is_object() && d.json().contains(place)) return &d.json()[place];
  }
  return nullptr;
}

template <auto kChange>
void change_settings(Departure& d) {
  if (Json* const settings = settings_of_apps(d)) kChange(*settings);
}

// What stands where an object belongs may break the schema of the request as well.
Fault of_mime_types(std::string_view id, std::string_view description,
                    void (*departure)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = {"ext-apps.mime-types-declared"},
          .may_break = {"schema.client-requests"},
          .shown_in = {"apps"},
          .departure = departure};
}

}  // namespace

std::vector<Fault> app_faults() {
  return {
      of_mime_types("app-types-unnamed",
                    "Declares the extension for user interfaces without content types",
                    change_settings<[](Json& settings) { settings.erase("mimeTypes"); }>),
      of_mime_types("app-type-as-text", "Declares one content type, and no list",
                    change_settings<[](Json& settings) {
                      const Json first = settings["mimeTypes"][0];
                      settings["mimeTypes"] = first;
                    }>),
      of_mime_types("app-types-as-objects", "Declares content types as objects",
                    change_settings<[](Json& settings) {
                      settings["mimeTypes"] = {{{"type", "text/html"}, {"profile", "mcp-app"}}};
                    }>),
      of_mime_types("app-types-under-another-name", "Declares content types as mimetypes",
                    change_settings<[](Json& settings) {
                      const Json types = settings["mimeTypes"];
                      settings = {{"mimetypes", types}};
                    }>),
      of_mime_types("app-types-flat", "Declares content types in place of the settings",
                    change_settings<[](Json& settings) {
                      const Json types = settings["mimeTypes"];
                      settings = types;
                    }>),
      {.id = "app-fetched-over-http",
       .description = "Takes the URI of a user interface for one of HTTP, and fetches it there",
       .breaks = {"ext-apps.read-by-resources-read"},
       .fetches = "resourceUri"},
  };
}

}  // namespace assay::client
