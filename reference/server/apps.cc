#include "reference/server/apps.h"

#include <string>

#include "reference/server/context.h"
#include "reference/server/extensions.h"
#include "reference/wire/base64.h"

namespace assay::server {
namespace {

constexpr std::string_view kAppType = "text/html;profile=mcp-app";
constexpr std::string_view kDashboardPage =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>Dashboard</title></head>\n"
    "<body><p>Sunny, 21.5 \302\260C</p></body>\n</html>\n";
constexpr std::string_view kChartPage =
    "<!doctype html>\n<html lang=\"en\">\n<head><title>Chart</title></head>\n"
    "<body><p>21.5</p></body>\n</html>\n";

struct App {
  std::string_view uri;
  std::string_view name;
  std::string_view description;
  std::string_view page;
  bool is_blob;
  Json meta;  // `_meta.ui` of its contents
};

const std::vector<App>& all_apps() {
  static const std::vector<App> kAll = {
      {kDashboardUri, "dashboard", "Shows the weather", kDashboardPage, false,
       Json{{"csp",
             {{"connectDomains", {"https://api.example.com"}},
              {"resourceDomains", {"https://*.example.com"}}}},
            {"permissions", {{"geolocation", Json::object()}}},
            {"prefersBorder", true}}},
      {kChartUri, "chart", "Draws the weather", kChartPage, true, Json{{"prefersBorder", false}}},
  };
  return kAll;
}

bool has_apps(const Context& context) {
  return is_offered(context.options(), apps_extension(), context.speaks());
}

}  // namespace

const model::Extension& apps_extension() {
  static const model::Extension& kApps = *model::find_extension("apps");
  return kApps;
}

std::vector<Json> app_resources(const Context& context) {
  std::vector<Json> all;
  if (!has_apps(context)) return all;
  for (const App& app : all_apps()) {
    all.push_back({{"uri", app.uri},
                   {"name", app.name},
                   {"description", app.description},
                   {"mimeType", kAppType}});
  }
  return all;
}

std::optional<Json> app_contents(const Context& context, std::string_view uri) {
  if (!has_apps(context)) return std::nullopt;
  for (const App& app : all_apps()) {
    if (app.uri != uri) continue;
    Json contents = {{"uri", uri}, {"mimeType", kAppType}, {"_meta", {{"ui", app.meta}}}};
    if (app.is_blob) {
      contents["blob"] = wire::encode_base64(app.page);
    } else {
      contents["text"] = app.page;
    }
    return contents;
  }
  return std::nullopt;
}

}  // namespace assay::server
