#include "harness/surface/schema_difference.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

Json object_with(const Json& properties, const Json& required = Json::array()) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

TEST(CompareSchemas, FindsNothingInAnotherWayToWriteTheSame) {
  const Json before = object_with({{"unit", {{"type", "string"}, {"enum", {"C", "F"}}}}});
  const Json after = {{"$defs", {{"Unit", {{"enum", {"F", "C"}}}}}},
                      {"type", Json::array({"object"})},
                      {"properties", {{"unit", {{"$ref", "#/$defs/Unit"}}}}}};
  const SchemaDifference difference = compare_schemas(before, after);
  EXPECT_TRUE(difference.refused_now.empty());
  EXPECT_TRUE(difference.taken_now.empty());
  EXPECT_FALSE(difference.is_unclear);
}

TEST(CompareSchemas, ShowsANewRequiredMember) {
  const Json city = {{"type", "string"}};
  const SchemaDifference difference = compare_schemas(
      object_with({{"city", city}}, {"city"}),
      object_with({{"city", city}, {"unit", {{"type", "string"}}}}, {"city", "unit"}));
  ASSERT_FALSE(difference.refused_now.empty());
  EXPECT_EQ(difference.refused_now[0].pointer, "/unit");
  EXPECT_EQ(difference.refused_now[0].found, "nothing");
  EXPECT_FALSE(difference.refused_now[0].value.contains("unit"));
}

TEST(CompareSchemas, ShowsWhatANarrowerEnumRefuses) {
  const SchemaDifference difference =
      compare_schemas(object_with({{"unit", {{"enum", {"C", "F", "K"}}}}}),
                      object_with({{"unit", {{"enum", {"C", "F"}}}}}));
  ASSERT_EQ(difference.refused_now.size(), 1U);
  EXPECT_EQ(difference.refused_now[0].value["unit"], "K");
  EXPECT_TRUE(difference.taken_now.empty());
}

TEST(CompareSchemas, ShowsAnotherTypeInBothDirections) {
  const SchemaDifference difference =
      compare_schemas(object_with({{"limit", {{"type", "integer"}}}}),
                      object_with({{"limit", {{"type", "string"}}}}));
  EXPECT_FALSE(difference.refused_now.empty());
  EXPECT_FALSE(difference.taken_now.empty());
}

TEST(CompareSchemas, TriesBothSidesOfABound) {
  const SchemaDifference difference =
      compare_schemas(object_with({{"limit", {{"type", "integer"}, {"maximum", 100}}}}),
                      object_with({{"limit", {{"type", "integer"}, {"maximum", 50}}}}));
  ASSERT_FALSE(difference.refused_now.empty());
  EXPECT_GT(difference.refused_now[0].value["limit"], 50);
  EXPECT_TRUE(difference.taken_now.empty());
}

TEST(CompareSchemas, LooksIntoArraysAndBranches) {
  const Json narrow = {{"type", "array"}, {"items", {{"type", "string"}}}};
  const Json wide = {{"type", "array"},
                     {"items", {{"anyOf", {{{"type", "string"}}, {{"type", "integer"}}}}}}};
  const SchemaDifference difference =
      compare_schemas(object_with({{"ids", wide}}), object_with({{"ids", narrow}}));
  ASSERT_FALSE(difference.refused_now.empty());
  EXPECT_TRUE(difference.taken_now.empty());
}

TEST(CompareSchemas, SaysWhereNothingCouldBeTold) {
  const Json far = {{"$ref", "https://example.com/schema.json"}};
  EXPECT_TRUE(compare_schemas({{"type", "object"}}, far).is_unclear);
}

TEST(Specimens, AreBoundedWhateverTheSchemaAsksFor) {
  Json deep = {{"type", "string"}};
  for (int i = 0; i < 40; ++i) {
    Json properties = Json::object();
    for (const char* name : {"a", "b", "c"}) properties[name] = deep;
    deep = object_with(properties);
    if (i > 4) break;
  }
  EXPECT_LE(specimens(deep).size(), kMostSpecimens);
  EXPECT_LE(specimens({{"type", "string"}, {"minLength", 4'000'000'000}}).size(), kMostSpecimens);
  const Json circle = {{"$defs", {{"a", {{"$ref", "#/$defs/a"}}}}}, {"$ref", "#/$defs/a"}};
  EXPECT_LE(specimens(circle).size(), kMostSpecimens);
}

}  // namespace
}  // namespace assay::harness
