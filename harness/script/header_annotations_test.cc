#include "harness/script/header_annotations.h"

#include <gtest/gtest.h>

#include <utility>

namespace assay::harness {
namespace {

Json schema_with(Json property) {
  return {{"type", "object"}, {"properties", {{"value", std::move(property)}}}};
}

TEST(HeaderAnnotations, AreFoundWhereverTheyStand) {
  const Json text = {{"type", "string"}, {"x-mcp-header", "A"}};
  const Json schema = {{"properties", {{"a", text}, {"deep", {{"properties", {{"b", text}}}}}}},
                       {"anyOf", {{{"properties", {{"c", text}}}}}}};
  const std::vector<HeaderAnnotation> found = header_annotations(schema);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].pointer, "/properties/a");
  EXPECT_EQ(found[0].property, "a");
  EXPECT_EQ(found[1].pointer, "/properties/deep/properties/b");
  EXPECT_TRUE(found[1].is_reachable);
  EXPECT_EQ(found[2].pointer, "/anyOf/0/properties/c");
  EXPECT_FALSE(found[2].is_reachable);
  EXPECT_TRUE(found[2].is_barred);
}

TEST(HeaderAnnotations, AreNoTroubleAsTheTextHasThem) {
  for (const char* type : {"string", "integer", "boolean"}) {
    EXPECT_EQ(header_annotation_trouble(schema_with({{"type", type}, {"x-mcp-header", "Region"}})),
              std::nullopt)
        << type;
  }
  EXPECT_EQ(header_annotation_trouble(Json::object()), std::nullopt);
  EXPECT_EQ(header_annotation_trouble(nullptr), std::nullopt);
}

TEST(HeaderAnnotations, AreTroubleForWhatTheTextForbids) {
  for (const Json& bad :
       {Json{{"type", "string"}, {"x-mcp-header", ""}},
        Json{{"type", "string"}, {"x-mcp-header", "My Region"}},
        Json{{"type", "string"}, {"x-mcp-header", "Region:Primary"}},
        Json{{"type", "string"}, {"x-mcp-header", "Region\t1"}},
        Json{{"type", "string"}, {"x-mcp-header", 7}},
        Json{{"type", "number"}, {"x-mcp-header", "A"}},
        Json{{"type", "object"}, {"x-mcp-header", "A"}},
        Json{{"type", "null"}, {"x-mcp-header", 1}},
        Json{{"type", "array"}, {"items", {{"type", "string"}, {"x-mcp-header", "A"}}}}}) {
    EXPECT_NE(header_annotation_trouble(schema_with(bad)), std::nullopt) << bad;
  }
  const Json text = {{"type", "string"}, {"x-mcp-header", "Field"}};
  Json same = schema_with(text);
  same["properties"]["other"] = {{"type", "string"}, {"x-mcp-header", "fIELD"}};
  EXPECT_NE(header_annotation_trouble(same), std::nullopt);
  EXPECT_NE(header_annotation_trouble(text), std::nullopt);
}

}  // namespace
}  // namespace assay::harness
