// Tools with user interfaces, of the extension io.modelcontextprotocol/ui.
#include "reference/server/apps.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reference/server/stateless_testing.h"
#include "reference/wire/base64.h"

namespace assay::server {
namespace {

Json host() {
  return apps_extension().capability();
}

// What `_meta.ui` says of each of the tools that are named after apps; null where it says nothing.
std::map<std::string, Json> apps_in(const Json& tools) {
  std::map<std::string, Json> found;
  for (const Json& tool : tools) {
    const auto name = tool["name"].get<std::string>();
    if (!name.starts_with("test_app_")) continue;
    found[name] = tool.contains("_meta") ? tool["_meta"]["ui"] : Json();
  }
  return found;
}

TEST(AppsOfServer, AreDeclaredInEachRevision) {
  for (const model::Revision revision : model::Revision::handshake()) {
    TestClient client;
    const Json capabilities = client.begin(std::string(revision.text()))["capabilities"];
    EXPECT_TRUE(capabilities["extensions"].contains(apps_extension().identifier));
  }
  Options without;
  without.has_apps_extension = false;
  TestClient plain(without);
  EXPECT_FALSE(plain.begin()["capabilities"].contains("extensions"));
  EXPECT_TRUE(apps_in(plain.request("tools/list")["result"]["tools"]).empty());
  EXPECT_TRUE(plain.request("resources/read", {{"uri", kDashboardUri}}).contains("error"));
}

TEST(AppsOfServer, AreShownToHosts) {
  TestClient with_apps;
  with_apps.begin("2024-11-05", host());
  const auto shown = apps_in(with_apps.request("tools/list")["result"]["tools"]);
  TestClient without_apps;
  without_apps.begin("2024-11-05");
  const auto plain = apps_in(without_apps.request("tools/list")["result"]["tools"]);
  ASSERT_EQ(shown.size(), 3u);
  ASSERT_EQ(plain.size(), 3u);
  for (const auto& [name, ui] : shown) {
    EXPECT_TRUE(ui["resourceUri"].is_string()) << name;
    EXPECT_TRUE(plain.at(name).is_null()) << name;
  }
  EXPECT_EQ(shown.at("test_app_refresh")["visibility"], Json::array({"app"}));
}

TEST(AppsOfServer, AreShownByEachRequestThatDeclaresThem) {
  TestClient client{stateless_only()};
  const Json shown = client.request("tools/list", with_meta(Json::object(), host()))["result"];
  const Json plain = client.request("tools/list", with_meta())["result"];
  EXPECT_FALSE(apps_in(shown["tools"]).at("test_app_chart").is_null());
  EXPECT_TRUE(apps_in(plain["tools"]).at("test_app_chart").is_null());
  // What depends on the capabilities of a client is not for all.
  EXPECT_EQ(shown["cacheScope"], "private");
}

TEST(AppsOfServer, AreReadAsTextOrInBase64) {
  TestClient client;
  client.begin();
  const auto read = [&](std::string_view uri) {
    return client.request("resources/read", {{"uri", uri}})["result"]["contents"][0];
  };
  EXPECT_TRUE(read(kDashboardUri)["text"].get<std::string>().starts_with("<!DOCTYPE html>"));
  const auto chart = wire::decode_base64(read(kChartUri)["blob"].get<std::string>());
  ASSERT_TRUE(chart);
  EXPECT_TRUE(chart->starts_with("<!doctype html>"));
  EXPECT_EQ(read(kChartUri)["mimeType"], "text/html;profile=mcp-app");
}

}  // namespace
}  // namespace assay::server
