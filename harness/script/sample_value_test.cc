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
  EXPECT_EQ(sample_value({{"type", "string"}}, "start_date"), "2025-01-31");
  EXPECT_EQ(sample_value({{"type", "string"}}, "city"), "Berlin");
  EXPECT_EQ(sample_value({{"type", "string"}}, "homeCity"), "Berlin");
  EXPECT_EQ(sample_value({{"type", "string"}}, "zip"), "assay");
  EXPECT_EQ(sample_value({{"type", "string"}}, "update"), "assay");
  EXPECT_EQ(sample_value({{"type", "string"}, {"maxLength", 3}}, "city"), "ass");
}

TEST(SampleValue, TakesTheExampleOfADescription) {
  const auto with = [](const char* description) {
    return sample_value({{"type", "string"}, {"description", description}});
  };
  EXPECT_EQ(with("The name of a city, e.g. \"Oslo\""), "Oslo");
  EXPECT_EQ(with("An owner (for example: `octocat`)"), "octocat");
  EXPECT_EQ(with("Example: 'x, y'"), "x, y");
  EXPECT_EQ(with("Use quotes like \"this\" with care"), "assay");
  EXPECT_EQ(with("e.g. none, as there is one far away in the next sentence: \"Oslo\""), "assay");
  EXPECT_EQ(sample_value({{"type", "string"}, {"description", "e.g. 'Oslo'"}, {"maxLength", 2}}),
            "as");
}

TEST(SampleValue, FollowsAPattern) {
  EXPECT_EQ(sample_value({{"type", "string"}, {"pattern", "^[A-Z]{3}-\\d+$"}}), "AAA-1");
  EXPECT_EQ(sample_value({{"type", "string"}, {"pattern", "^[a-z]+$"}, {"minLength", 4}}), "aaaaa");
  EXPECT_EQ(sample_value({{"type", "string"}, {"pattern", "(?=x)"}}), "assay");
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
  EXPECT_EQ(sample_arguments(schema), (Json{{"city", "Berlin"}}));
  const Json with_reference = {{"type", "object"},
                               {"$defs", {{"Color", {{"enum", {"red", "green"}}}}}},
                               {"properties", {{"color", {{"$ref", "#/$defs/Color"}}}}},
                               {"required", {"color"}}};
  EXPECT_EQ(sample_arguments(with_reference), (Json{{"color", "red"}}));
  Json with_example = schema;
  with_example["examples"] = Json::array({{{"city", "Oslo"}, {"days", 3}}});
  EXPECT_EQ(sample_arguments(with_example), (Json{{"city", "Oslo"}, {"days", 3}}));
  EXPECT_EQ(sample_arguments({{"type", "object"}}), Json::object());
  EXPECT_EQ(sample_arguments(nullptr), Json::object());
}

TEST(SampleArguments, AreNoneWhereTheGuessIsForbidden) {
  const Json schema = {
      {"type", "object"},
      {"properties", {{"code", {{"type", "string"}, {"minLength", 5}, {"maxLength", 3}}}}},
      {"required", {"code"}}};
  EXPECT_FALSE(sample_arguments(schema).has_value());
}

}  // namespace
}  // namespace assay::harness
