#include "harness/script/app_resource.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

Json tool_with(const Json& meta) {
  return {{"name", "tool"}, {"_meta", meta}};
}

TEST(AppResource, IsNamedInUiOrInTheFlatKey) {
  EXPECT_EQ(app_uri(tool_with({{"ui", {{"resourceUri", "ui://a"}}}})), "ui://a");
  EXPECT_EQ(app_uri(tool_with({{"ui/resourceUri", "ui://b"}})), "ui://b");
  EXPECT_EQ(app_uri(tool_with({{"ui", {{"resourceUri", "ui://a"}}}, {"ui/resourceUri", "ui://b"}})),
            "ui://a");
  EXPECT_EQ(app_uri(tool_with({{"ui", {{"visibility", {"app", "model"}}}}})), "");
  EXPECT_EQ(app_uri(tool_with({{"ui", "ui://a"}})), "");
  EXPECT_EQ(app_uri({{"name", "tool"}}), "");
}

TEST(AppResource, IsForModelsUnlessItsToolSaysOtherwise) {
  EXPECT_TRUE(is_for_model({{"name", "tool"}}));
  EXPECT_TRUE(is_for_model(tool_with({{"ui", {{"visibility", {"app", "model"}}}}})));
  EXPECT_TRUE(is_for_model(tool_with({{"ui", {{"visibility", "app"}}}})));
  EXPECT_FALSE(is_for_model(tool_with({{"ui", {{"visibility", Json::array({"app"})}}}})));
  EXPECT_FALSE(is_for_model(tool_with({{"ui", {{"visibility", Json::array()}}}})));
}

TEST(AppResource, HasAScheme) {
  for (const char* uri : {"ui://a", "UI://a/b", "Ui://"}) EXPECT_TRUE(has_ui_scheme(uri)) << uri;
  for (const char* uri : {"", "ui:/a", "ui:a", "uis://a", "https://a", " ui://a"}) {
    EXPECT_FALSE(has_ui_scheme(uri)) << uri;
  }
}

TEST(AppResource, IsTheSameInSeveralSpellings) {
  EXPECT_TRUE(is_same_app_uri("ui://assay/a%20b", "UI://Assay/a b/"));
  EXPECT_TRUE(is_same_app_uri("ui://a/%7Eb", "ui://a/~b"));
  EXPECT_FALSE(is_same_app_uri("ui://a/b", "ui://a/c"));
  EXPECT_FALSE(is_same_app_uri("ui://a/%2", "ui://a/2"));
}

TEST(AppResource, HasAMediaTypeInAnySpelling) {
  for (const char* type :
       {"text/html;profile=mcp-app", "text/html; profile=mcp-app", "Text/HTML;Profile=\"mcp-app\"",
        "text/html;charset=utf-8;profile=mcp-app", "text/html ;profile=mcp-app; charset=utf-8"}) {
    EXPECT_TRUE(is_app_media_type(type)) << type;
    EXPECT_TRUE(is_html(type)) << type;
  }
  for (const char* type : {"", "text/html", "text/html;profile=mcp", "text/html;mcp-app",
                           "text/html+skybridge", "text/plain;profile=mcp-app"}) {
    EXPECT_FALSE(is_app_media_type(type)) << type;
  }
  EXPECT_FALSE(is_html("text/html+skybridge"));
}

TEST(AppResource, IsADocumentByItsDoctype) {
  for (const char* document :
       {"<!DOCTYPE html>", "<!doctype HTML><p>", "\xEF\xBB\xBF \n<!-- a -->\n<!DOCTYPE\nhtml>",
        "<!DOCTYPE html SYSTEM \"about:legacy-compat\"><p>"}) {
    EXPECT_TRUE(has_html_doctype(document)) << document;
  }
  for (const char* document : {"", "<html>", "<p>", "<!DOCTYPE svg>", "<!-- <!DOCTYPE html>",
                               "x<!DOCTYPE html>", "<?xml version=\"1.0\"?><!DOCTYPE html>"}) {
    EXPECT_FALSE(has_html_doctype(document)) << document;
  }
}

}  // namespace
}  // namespace assay::harness
