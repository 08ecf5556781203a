// The monitor of the extension io.modelcontextprotocol/ui on hand-made transcripts: with what it
// lets pass, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/traffic_testing.h"
#include "harness/script/app_resource.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kApps = "ext_app_monitor";
constexpr const char* kUri = "ui://assay/dashboard";

Json tool_of(const Json& meta) {
  return {{"name", "show"}, {"inputSchema", {{"type", "object"}}}, {"_meta", meta}};
}
Json list_of(const Json& meta) {
  return {{"tools", Json::array({tool_of(meta)})}};
}
Json sound_meta() {
  return {{"ui", {{"resourceUri", kUri}}}};
}
Json page_of_app(const Json& more = Json::object()) {
  Json contents = {{"uri", kUri},
                   {"mimeType", "text/html;profile=mcp-app"},
                   {"text", "<!DOCTYPE html><title>A</title>"}};
  contents.update(more);
  return {{"contents", Json::array({contents})}};
}

Rules broken_by_tool(const Json& meta) {
  Traffic traffic;
  return traffic.handshake().exchange("tools/list", nullptr, list_of(meta)).broken(kApps);
}
Rules broken_by_reading(const Json& result) {
  Traffic traffic;
  return traffic.handshake()
      .exchange("tools/list", nullptr, list_of(sound_meta()))
      .exchange("resources/read", {{"uri", kUri}}, result)
      .broken(kApps);
}
Rules broken_by_contents(const Json& more) {
  return broken_by_reading(page_of_app(more));
}
Rules broken_by_listed(const Json& resource) {
  Traffic traffic;
  return traffic.handshake()
      .exchange("tools/list", nullptr, list_of(sound_meta()))
      .exchange("resources/list", nullptr, {{"resources", Json::array({resource})}})
      .broken(kApps);
}

TEST(ExtApps, LetASoundServerPassInBothEras) {
  for (const Revision revision : {Revision::v2024_11_05, Revision::v2026_07_28}) {
    Traffic traffic(revision);
    if (revision.has_handshake()) traffic.handshake();
    traffic.exchange("tools/list", nullptr, complete(list_of(sound_meta())))
        .exchange("resources/list", nullptr,
                  complete({{"resources", Json::array({{{"uri", kUri},
                                                        {"name", "dashboard"},
                                                        {"mimeType", "text/html;profile=mcp-app"},
                                                        {"_meta", {{"ui", Json::object()}}}}})}}))
        .exchange("resources/read", {{"uri", kUri}}, complete(page_of_app()))
        .exchange("tools/call", {{"name", "show"}},
                  complete({{"content", Json::array({{{"type", "text"}, {"text", "a"}}})}}));
    EXPECT_THAT(traffic.broken(kApps), IsEmpty()) << revision.text();
    EXPECT_THAT(
        traffic.held(kApps),
        IsSupersetOf(Rules{"ext-apps.ui-scheme", "ext-apps.schema", "ext-apps.flat-resource-uri",
                           "ext-apps.declared-media-type", "ext-apps.resource-media-type",
                           "ext-apps.content-given", "ext-apps.valid-html",
                           "ext-apps.read-same-uri", "ext-apps.content-array"}));
  }
}

TEST(ExtApps, ReadWhatToolsSay) {
  EXPECT_THAT(broken_by_tool({{"ui", {{"resourceUri", kUri}, {"visibility", Json::array()}}},
                              {"ui/resourceUri", kUri},
                              {"more", 1}}),
              IsEmpty());
  EXPECT_THAT(broken_by_tool({{"ui", {{"visibility", {"app", "model"}}, {"later", true}}}}),
              IsEmpty());
  EXPECT_EQ(broken_by_tool({{"ui/resourceUri", kUri}}), Rules{"ext-apps.flat-resource-uri"});
  EXPECT_EQ(broken_by_tool({{"ui/resourceUri", "https://a"}}),
            (Rules{"ext-apps.flat-resource-uri", "ext-apps.ui-scheme"}));
  EXPECT_EQ(broken_by_tool({{"ui", {{"resourceUri", "https://a"}}}}), Rules{"ext-apps.ui-scheme"});
  EXPECT_EQ(broken_by_tool({{"ui", {{"resourceUri", 1}}}}), Rules{"ext-apps.schema"});
  EXPECT_EQ(broken_by_tool({{"ui", {{"resourceUri", kUri}, {"visibility", "model"}}}}),
            Rules{"ext-apps.schema"});
}

TEST(ExtApps, ReadWhatResourcesSay) {
  EXPECT_THAT(broken_by_contents({{"uri", "UI://assay/dashboard/"}}), IsEmpty());
  EXPECT_EQ(broken_by_contents({{"uri", "ui://assay/other"}}), Rules{"ext-apps.read-same-uri"});
  EXPECT_EQ(broken_by_contents({{"mimeType", "text/html"}}), Rules{"ext-apps.resource-media-type"});
  EXPECT_EQ(broken_by_contents({{"text", "<p>"}}), Rules{"ext-apps.valid-html"});
  EXPECT_EQ(broken_by_contents({{"text", nullptr}}), Rules{"ext-apps.content-given"});
  EXPECT_EQ(broken_by_contents({{"text", nullptr}, {"blob", "<p>"}}),
            Rules{"ext-apps.content-given"});
  EXPECT_THAT(broken_by_contents({{"text", nullptr}, {"blob", "PCFET0NUWVBFIGh0bWw+"}}), IsEmpty());
  EXPECT_EQ(broken_by_contents({{"_meta", {{"ui", {{"prefersBorder", 1}}}}}}),
            Rules{"ext-apps.schema"});
  EXPECT_THAT(broken_by_contents({{"_meta", {{"of-others", {{"prefersBorder", 1}}}}}}), IsEmpty());
  EXPECT_EQ(broken_by_reading({{"contents", Json::array()}}), Rules{"ext-apps.content-given"});
}

TEST(ExtApps, ReadWhatListsOfResourcesSay) {
  const auto listed = [](const char* uri, const Json& media_type) {
    Json resource = {{"uri", uri}, {"name", "a"}};
    if (!media_type.is_null()) resource["mimeType"] = media_type;
    return broken_by_listed(resource);
  };
  EXPECT_EQ(listed(kUri, "text/html"), Rules{"ext-apps.declared-media-type"});
  EXPECT_EQ(listed(kUri, nullptr), Rules{"ext-apps.declared-media-type"});
  // Other types are reserved, and not forbidden.
  EXPECT_THAT(listed(kUri, "text/uri-list"), IsEmpty());
  EXPECT_EQ(listed("https://a", "text/html;profile=mcp-app"), Rules{"ext-apps.ui-scheme"});
  EXPECT_THAT(listed("https://a", "text/html"), IsEmpty());
}

// Pages read further resources, in any type, and only what a tool names is a user interface.
TEST(ExtApps, AreNoOtherResources) {
  Traffic traffic;
  traffic.handshake()
      .exchange("tools/list", nullptr, list_of(sound_meta()))
      .exchange(
          "resources/read", {{"uri", "ui://assay/style.css"}},
          {{"contents",
            Json::array(
                {{{"uri", "ui://assay/style.css"}, {"mimeType", "text/css"}, {"text", "p {}"}}})}});
  EXPECT_THAT(traffic.broken(kApps), IsEmpty());
  Traffic later;
  later.handshake()
      .exchange("tools/list", nullptr, list_of(sound_meta()))
      .exchange("tools/list", nullptr, {{"tools", Json::array()}})
      .exchange("resources/read", {{"uri", kUri}}, page_of_app({{"mimeType", "text/plain"}}));
  EXPECT_THAT(later.broken(kApps), IsEmpty());
}

TEST(ExtApps, AreNamedOnEachPageOfTheTools) {
  Json first = list_of(sound_meta());
  first["nextCursor"] = "2";
  const Json second = list_of({{"ui", {{"resourceUri", "ui://assay/chart"}}}});
  Traffic traffic;
  traffic.handshake()
      .exchange("tools/list", nullptr, first)
      .exchange("tools/list", {{"cursor", "2"}}, second)
      .exchange("resources/read", {{"uri", kUri}}, page_of_app({{"mimeType", "text/html"}}))
      .exchange("resources/read", {{"uri", "ui://assay/chart"}},
                page_of_app({{"uri", "ui://assay/chart"}, {"text", "<svg/>"}}));
  EXPECT_EQ(traffic.broken(kApps), (Rules{"ext-apps.resource-media-type", "ext-apps.valid-html"}));
}

TEST(ExtApps, ReturnContentOfWhichModelsLearn) {
  const auto broken_by_result = [](const Json& meta, const Json& result) {
    Traffic traffic;
    return traffic.handshake()
        .exchange("tools/list", nullptr, list_of(meta))
        .exchange("tools/call", {{"name", "show"}}, result)
        .broken(kApps);
  };
  const Json empty = {{"content", Json::array()}};
  EXPECT_EQ(broken_by_result(sound_meta(), empty), Rules{"ext-apps.content-array"});
  EXPECT_THAT(broken_by_result(sound_meta(), {{"content", Json::array()}, {"isError", true}}),
              IsEmpty());
  EXPECT_THAT(broken_by_result(sound_meta(), {{"task", {{"taskId", "t"}}}}), IsEmpty());
  EXPECT_THAT(broken_by_result(
                  {{"ui", {{"resourceUri", kUri}, {"visibility", Json::array({"app"})}}}}, empty),
              IsEmpty());
  EXPECT_THAT(broken_by_result(Json::object(), empty), IsEmpty());
}

TEST(ExtApps, AreDeclaredByClientsWithTheirTypes) {
  const auto broken_by_settings = [](Revision revision, const Json& settings) {
    const Json declared = {{"extensions", {{apps_extension().identifier, settings}}}};
    Traffic traffic(revision);
    traffic.declares(declared);
    if (revision.has_handshake()) traffic.handshake(Json::object(), declared);
    return traffic.exchange("tools/list", nullptr, {{"tools", Json::array()}})
        .of_client()
        .broken(kApps);
  };
  for (const Revision revision : {Revision::v2024_11_05, Revision::v2026_07_28}) {
    for (const char* sound :
         {R"({"mimeTypes": ["text/html;profile=mcp-app"]})", R"({"mimeTypes": []})",
          R"({"mimeTypes": ["text/uri-list"], "features": ["streaming"]})", "false", "null"}) {
      EXPECT_THAT(broken_by_settings(revision, Json::parse(sound)), IsEmpty()) << sound;
    }
    for (const char* other : {"{}", R"({"mimeTypes": "text/html;profile=mcp-app"})", "true",
                              R"({"mimeTypes": [1]})", R"(["text/html;profile=mcp-app"])"}) {
      EXPECT_EQ(broken_by_settings(revision, Json::parse(other)),
                Rules{"ext-apps.mime-types-declared"})
          << other;
    }
  }
}

}  // namespace
}  // namespace assay::harness
