#include "harness/script/sample_value.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

TEST(SampleValue, TakesWhatTheSchemaNamesItself) {
  EXPECT_EQ(sample_value({{"type", "string"}, {"default", "given"}}), "given");
  EXPECT_EQ(sample_value({{"const", 7}}), 7);
  EXPECT_EQ(sample_value({{"type", "string"}, {"enum", {"red", "green"}}}), "red");
  EXPECT_EQ(sample_value({{"type", "integer"}, {"examples", {42}}}), 42);
  EXPECT_EQ(sample_value({{"oneOf", Json::array({{{"const", "one"}, {"title", "One"}}})}}), "one");
}

TEST(SampleValue, IsOfTheTypeThatIsAskedFor) {
  EXPECT_TRUE(sample_value({{"type", "string"}}).is_string());
  EXPECT_TRUE(sample_value({{"type", "boolean"}}).is_boolean());
  EXPECT_EQ(sample_value({{"type", "number"}, {"minimum", 12.5}}), 12.5);
  EXPECT_EQ(sample_value({{"type", "integer"}, {"exclusiveMinimum", 3}}), 4);
  EXPECT_EQ(sample_value({{"type", {"string", "null"}}}), "assay");
  EXPECT_EQ(sample_value({{"type", "array"}, {"items", {{"type", "integer"}}}, {"minItems", 2}}),
            Json::array({1, 1}));
  EXPECT_EQ(sample_value({{"type", "string"}, {"format", "date"}}), "2025-01-31");
}

TEST(SampleValue, GuessesByTheNameWhereTheSchemaSaysNothing) {
  EXPECT_EQ(sample_value({{"type", "string"}}, "homepageUrl"), "https://example.com/");
  EXPECT_EQ(sample_value({{"type", "string"}}, "email"), "ada@example.com");
}

TEST(SampleValue, IsSmallWhateverIsAskedFor) {
  EXPECT_EQ(sample_value({{"type", "string"}, {"minLength", 8}}), "assayyyy");
  EXPECT_EQ(sample_value({{"type", "string"}, {"maxLength", 2}}), "as");
  EXPECT_LE(sample_value({{"type", "string"}, {"minLength", 1'000'000'000}})
                .get_ref<const std::string&>()
                .size(),
            1024u);
  EXPECT_LE(sample_value({{"type", "array"}, {"minItems", 1'000'000'000}}).size(), 16u);
  Json nested = {{"type", "string"}};
  for (int i = 0; i < 100; ++i) nested = {{"type", "array"}, {"items", nested}};
  EXPECT_TRUE(sample_value(nested).is_array());
}

TEST(SampleArguments, AreWhatIsRequired) {
  const Json schema = {
      {"type", "object"},
      {"properties", {{"city", {{"type", "string"}}}, {"days", {{"type", "integer"}}}}},
      {"required", {"city"}}};
  EXPECT_EQ(sample_arguments(schema), (Json{{"city", "assay"}}));
  EXPECT_EQ(sample_arguments({{"type", "object"}}), Json::object());
  EXPECT_EQ(sample_arguments(nullptr), Json::object());
}

TEST(SampleArguments, AreNoneWhereTheGuessIsForbidden) {
  const Json schema = {{"type", "object"},
                       {"properties", {{"code", {{"type", "string"}, {"pattern", "^[0-9]{4}$"}}}}},
                       {"required", {"code"}}};
  EXPECT_FALSE(sample_arguments(schema).has_value());
}

}  // namespace
}  // namespace assay::harness
