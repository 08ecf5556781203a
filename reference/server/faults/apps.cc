// Faults of tools with a user interface, and of those: the extension `io.modelcontextprotocol/ui`.
// Specification: the page of the extension, "UI Resource Format" to "Server Behavior".
#include "reference/server/apps.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/content.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/base64.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

constexpr std::string_view kFragment = "<p>Sunny</p>";

// `_meta` of the tool with the dashboard, where it leaves in a list.
template <auto kChange>
void change_tool_meta(Departure& d) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool["name"] == "test_app_dashboard" && tool.contains("_meta")) kChange(tool["_meta"]);
  }
}

// The dashboard, where it leaves in a list of resources.
template <auto kChange>
void change_listed(Departure& d) {
  if (!d.is_result_of("resources/list")) return;
  for (Json& resource : d.result()["resources"]) {
    if (resource["uri"] == kDashboardUri) kChange(resource);
  }
}

void change_contents(Departure& d, std::string_view uri, void (*change)(Json& contents)) {
  if (d.is_result_of("resources/read") && asked_uri(d) == uri) change(d.result()["contents"][0]);
}
template <auto kChange>
void change_dashboard(Departure& d) {
  change_contents(d, kDashboardUri, kChange);
}
template <auto kChange>
void change_chart(Departure& d) {
  change_contents(d, kChartUri, kChange);
}

void lose(Departure& d, std::string_view uri) {
  if (!d.is_result_of("resources/read") || asked_uri(d) != uri) return;
  become_error(d, wire::kInvalidParams, "Resource not found");
}

// The result of the tool with the dashboard.
template <auto kChange>
void change_shown(Departure& d) {
  const bool is_it = string_member(asked_params(d), "name") == "test_app_dashboard";
  if (d.is_result_of("tools/call") && is_it) kChange(d.result());
}

Fault app_fault(std::string_view id, std::string_view description, std::string_view rule,
                void (*departure)(Departure&)) {
  return {.id = id, .description = description, .breaks = {rule}, .departure = departure};
}

std::vector<Fault> app_tool_faults() {
  return {
      app_fault("app-of-https", "Names a user interface by a URL of HTTPS", "ext-apps.ui-scheme",
                change_tool_meta<[](Json& meta) {
                  meta["ui"]["resourceUri"] = "https://assay.example/dashboard";
                }>),
      app_fault(
          "app-of-one-slash", "Names a user interface by ui:/", "ext-apps.ui-scheme",
          change_tool_meta<[](Json& meta) { meta["ui"]["resourceUri"] = "ui:/assay/dashboard"; }>),
      app_fault(
          "app-of-a-path", "Names a user interface by a path", "ext-apps.ui-scheme",
          change_tool_meta<[](Json& meta) { meta["ui"]["resourceUri"] = "assay/dashboard"; }>),
      {.id = "app-in-flat-key",
       .description = "Names a user interface in the deprecated key alone",
       .breaks = {"ext-apps.flat-resource-uri"},
       .departure = change_tool_meta<[](Json& meta) {
         meta["ui/resourceUri"] = meta["ui"]["resourceUri"];
         meta.erase("ui");
       }>},
      {.id = "app-in-flat-key-beside-visibility",
       .description = "Names a user interface in the deprecated key, and the visibility in ui",
       .breaks = {"ext-apps.flat-resource-uri"},
       .departure = change_tool_meta<[](Json& meta) {
         meta["ui/resourceUri"] = meta["ui"]["resourceUri"];
         meta["ui"].erase("resourceUri");
       }>},
      app_fault("app-uri-as-object", "Names a user interface by an object", "ext-apps.schema",
                change_tool_meta<[](Json& meta) {
                  meta["ui"]["resourceUri"] = {{"uri", kDashboardUri}};
                }>),
      app_fault("app-ui-as-text", "Puts the URI of a user interface in place of what ui holds",
                "ext-apps.schema",
                change_tool_meta<[](Json& meta) { meta["ui"] = kDashboardUri; }>),
      app_fault("app-flat-uri-as-list", "Puts a list in the deprecated key", "ext-apps.schema",
                change_tool_meta<[](Json& meta) {
                  meta["ui/resourceUri"] = Json::array({kDashboardUri});
                }>),
      app_fault("app-visibility-as-text", "Says for whom a tool is in a text, and no list",
                "ext-apps.schema",
                change_tool_meta<[](Json& meta) { meta["ui"]["visibility"] = "model"; }>),
      app_fault("app-visibility-of-user", "Says that a tool is for the user", "ext-apps.schema",
                change_tool_meta<[](Json& meta) {
                  meta["ui"]["visibility"] = Json::array({"model", "user"});
                }>),
  };
}

std::vector<Fault> app_resource_faults() {
  return {
      app_fault("app-listed-as-html", "Lists a user interface as plain HTML",
                "ext-apps.declared-media-type",
                change_listed<[](Json& resource) { resource["mimeType"] = "text/html"; }>),
      app_fault("app-listed-untyped", "Lists a user interface without a type",
                "ext-apps.declared-media-type",
                change_listed<[](Json& resource) { resource.erase("mimeType"); }>),
      {.id = "app-listed-under-https",
       .description = "Lists a user interface under a URL of HTTPS",
       .breaks = {"ext-apps.ui-scheme"},
       .departure = change_listed<[](Json& resource) {
         resource["uri"] = "https://assay.example/dashboard";
       }>},
      {.id = "app-gone",
       .description = "Does not have the user interface that a tool names",
       .breaks = {"ext-apps.resource-exists"},
       .departure = [](Departure& d) { lose(d, kDashboardUri); }},
      {.id = "app-second-gone",
       .description = "Does not have the user interface that another tool names",
       .breaks = {"ext-apps.resource-exists"},
       .departure = [](Departure& d) { lose(d, kChartUri); }},
      {.id = "app-read-under-another-uri",
       .description = "Gives a user interface under the URI of another one",
       .breaks = {"ext-apps.read-same-uri"},
       .departure = change_dashboard<[](Json& contents) { contents["uri"] = kChartUri; }>},
      app_fault("app-typed-as-html", "Gives a user interface as plain HTML",
                "ext-apps.resource-media-type",
                change_dashboard<[](Json& contents) { contents["mimeType"] = "text/html"; }>),
      app_fault(
          "app-typed-by-another-profile", "Gives a user interface another profile",
          "ext-apps.resource-media-type",
          change_dashboard<[](Json& contents) { contents["mimeType"] = "text/html;profile=mcp"; }>),
      app_fault(
          "app-typed-as-widget", "Gives a user interface the type of another protocol",
          "ext-apps.resource-media-type",
          change_dashboard<[](Json& contents) { contents["mimeType"] = "text/html+skybridge"; }>),
      app_fault("app-untyped", "Gives a user interface without a type",
                "ext-apps.resource-media-type",
                change_dashboard<[](Json& contents) { contents.erase("mimeType"); }>),
      app_fault("app-blob-untyped", "Gives a user interface in base64 without a type",
                "ext-apps.resource-media-type",
                change_chart<[](Json& contents) { contents.erase("mimeType"); }>),
  };
}

std::vector<Fault> app_content_faults() {
  const auto given = [](std::string_view id, std::string_view description,
                        void (*departure)(Departure&)) {
    return Fault{.id = id,
                 .description = description,
                 .breaks = {"ext-apps.content-given"},
                 // Its contents are not those of a resource either.
                 .may_break = {"schema.resources-read-result", "resources.binary-encoded"},
                 .departure = departure};
  };
  return {
      given("app-without-contents", "Gives a user interface without contents",
            [](Departure& d) {
              if (!d.is_result_of("resources/read") || asked_uri(d) != kDashboardUri) return;
              d.result()["contents"] = Json::array();
            }),
      given("app-without-text", "Gives a user interface with neither a text nor a blob",
            change_dashboard<[](Json& contents) { contents.erase("text"); }>),
      given("app-text-as-list", "Gives a user interface as a list of lines",
            change_dashboard<[](Json& contents) {
              contents["text"] = Json::array({"<!DOCTYPE html>", kFragment});
            }>),
      given("app-blob-unencoded", "Gives a user interface in a blob as it is",
            change_chart<[](Json& contents) { contents["blob"] = "<!DOCTYPE html><p>21.5</p>"; }>),
      app_fault("app-of-a-fragment", "Gives a part of a page as user interface",
                "ext-apps.valid-html",
                change_dashboard<[](Json& contents) { contents["text"] = kFragment; }>),
      app_fault(
          "app-blob-of-a-fragment", "Gives a part of a page as user interface, in base64",
          "ext-apps.valid-html",
          change_chart<[](Json& contents) { contents["blob"] = wire::encode_base64(kFragment); }>),
      app_fault("app-empty", "Gives an empty text as user interface", "ext-apps.valid-html",
                change_dashboard<[](Json& contents) { contents["text"] = ""; }>),
      app_fault("app-of-xml", "Gives a document of SVG as user interface", "ext-apps.valid-html",
                change_dashboard<[](Json& contents) {
                  contents["text"] = "<?xml version=\"1.0\"?><!DOCTYPE svg><svg/>";
                }>),
  };
}

std::vector<Fault> app_meta_faults() {
  return {
      app_fault("app-domains-as-text", "Names the origins that a user interface needs in a text",
                "ext-apps.schema", change_dashboard<[](Json& contents) {
                  contents["_meta"]["ui"]["csp"]["connectDomains"] = "https://api.example.com";
                }>),
      app_fault("app-domains-as-objects",
                "Names the origins that a user interface needs as objects", "ext-apps.schema",
                change_dashboard<[](Json& contents) {
                  contents["_meta"]["ui"]["csp"]["resourceDomains"] =
                      Json::array({{{"origin", "https://cdn.example.com"}}});
                }>),
      app_fault("app-csp-as-text", "Writes the policy of a user interface as its header would",
                "ext-apps.schema", change_dashboard<[](Json& contents) {
                  contents["_meta"]["ui"]["csp"] = "default-src 'none'";
                }>),
      app_fault("app-permissions-as-list", "Lists the permissions that a user interface wants",
                "ext-apps.schema", change_dashboard<[](Json& contents) {
                  contents["_meta"]["ui"]["permissions"] = Json::array({"geolocation"});
                }>),
      app_fault("app-permission-as-true", "Says true in place of a permission", "ext-apps.schema",
                change_dashboard<[](Json& contents) {
                  contents["_meta"]["ui"]["permissions"]["geolocation"] = true;
                }>),
      app_fault("app-domain-as-list", "Names the domain of a user interface in a list",
                "ext-apps.schema", change_chart<[](Json& contents) {
                  contents["_meta"]["ui"]["domain"] = Json::array({"chart.example.com"});
                }>),
      app_fault(
          "app-border-as-text", "Says \"false\" of the border of a user interface",
          "ext-apps.schema",
          change_chart<[](Json& contents) { contents["_meta"]["ui"]["prefersBorder"] = "false"; }>),
      app_fault("app-listed-border-as-text", "Says \"true\" of the border where it lists it",
                "ext-apps.schema", change_listed<[](Json& resource) {
                  resource["_meta"]["ui"] = {{"prefersBorder", "true"}};
                }>),
  };
}

// Without annotations no tool says that it only reads, and none is called.
Fault of_answer(std::string_view id, std::string_view description,
                std::vector<std::string_view> breaks, void (*departure)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .may_break = {"schema.tools-call-result", "tools.structured-content-as-text"},
          .concerns = &model::Revision::has_tool_annotations,
          .departure = departure};
}

std::vector<Fault> app_answer_faults() {
  const std::vector<std::string_view> both = {"ext-apps.content-array", "ext-apps.text-fallback"};
  return {
      of_answer("app-result-empty", "Answers a call with what the user interface shows alone", both,
                change_shown<[](Json& result) { result["content"] = Json::array(); }>),
      of_answer("app-result-without-content", "Answers a call with structuredContent alone", both,
                change_shown<[](Json& result) { result.erase("content"); }>),
      of_answer(
          "app-result-of-an-image", "Answers a call with an image of the user interface",
          {"ext-apps.text-fallback"},
          change_shown<[](Json& result) { result["content"] = Json::array({image_content()}); }>),
  };
}

}  // namespace

std::vector<Fault> app_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() : {app_tool_faults, app_resource_faults, app_content_faults,
                                        app_meta_faults, app_answer_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
