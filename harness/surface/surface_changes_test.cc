#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/surface/surface.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
using Kind = SurfaceChange::Kind;

Json sample_surface() {
  const Json schema = {
      {"type", "object"},
      {"properties",
       {{"text", {{"type", "string"}}}, {"limit", {{"type", "integer"}, {"maximum", 100}}}}},
      {"required", {"text"}}};
  const Json output = {{"type", "object"},
                       {"properties", {{"hits", {{"type", "integer"}}}}},
                       {"required", {"hits"}}};
  return {{"format", kSurfaceFormat},
          {"revisions", {"2025-06-18", "2025-11-25"}},
          {"capabilities", {{"tools", {{"listChanged", true}}}, {"logging", Json::object()}}},
          {"tools",
           {{"search",
             {{"description", "Searches"},
              {"inputSchema", schema},
              {"outputSchema", output},
              {"annotations", {{"readOnlyHint", true}}}}}}},
          {"prompts", {{"ask", {{"arguments", {{{"name", "topic"}}}}}}}},
          {"resources", {{"file:///a", {{"mimeType", "text/plain"}}}}},
          {"resourceTemplates", Json::object()}};
}

struct Expected {
  const char* name;
  std::function<void(Json&)> change;
  Kind kind;
  const char* where;
  const char* what;
};

Json& search(Json& surface) {
  return surface["tools"]["search"];
}

const std::vector<Expected>& all_expected() {
  static const std::vector<Expected> all = {
      {"tool gone", [](Json& s) { s["tools"].erase("search"); }, Kind::kBreaking, "tool 'search'",
       "gone"},
      {"required", [](Json& s) { search(s)["inputSchema"]["required"].push_back("limit"); },
       Kind::kBreaking, "tool 'search'", "'/limit' is now required"},
      {"bound", [](Json& s) { search(s)["inputSchema"]["properties"]["limit"]["maximum"] = 10; },
       Kind::kBreaking, "tool 'search'", "'/limit' must now be"},
      {"argument gone", [](Json& s) { search(s)["inputSchema"]["properties"].erase("limit"); },
       Kind::kBreaking, "tool 'search'", "the argument 'limit' is gone"},
      {"output optional", [](Json& s) { search(s)["outputSchema"].erase("required"); },
       Kind::kBreaking, "tool 'search'", "'/hits' was always there"},
      {"output gone", [](Json& s) { search(s).erase("outputSchema"); }, Kind::kBreaking,
       "tool 'search'", "no longer describes a structured result"},
      {"promise", [](Json& s) { search(s)["annotations"]["readOnlyHint"] = false; },
       Kind::kBreaking, "tool 'search'", "no longer said to be read-only"},
      {"task", [](Json& s) { search(s)["execution"]["taskSupport"] = "required"; }, Kind::kBreaking,
       "tool 'search'", "now 'required'"},
      {"revision", [](Json& s) { s["revisions"] = {"2025-11-25"}; }, Kind::kBreaking,
       "protocol revision", "2025-06-18 is no longer spoken"},
      {"capability", [](Json& s) { s["capabilities"].erase("logging"); }, Kind::kBreaking,
       "capability", "'logging' is gone"},
      {"flag", [](Json& s) { s["capabilities"]["tools"]["listChanged"] = false; }, Kind::kBreaking,
       "capability", "'tools.listChanged' is gone"},
      {"prompt argument", [](Json& s) { s["prompts"]["ask"]["arguments"][0]["required"] = true; },
       Kind::kBreaking, "prompt 'ask'", "'topic' is now required"},
      {"media type", [](Json& s) { s["resources"]["file:///a"]["mimeType"] = "text/html"; },
       Kind::kBreaking, "resource 'file:///a'", "mimeType changed"},
      {"description", [](Json& s) { search(s)["description"] = "Finds"; }, Kind::kHarmless,
       "tool 'search'", "its description changed"},
      {"new tool",
       [](Json& s) {
         s["tools"]["more"] = {{"inputSchema", {{"type", "object"}}}};
       },
       Kind::kHarmless, "tool 'more'", "new"},
      {"wider", [](Json& s) { search(s)["inputSchema"]["properties"]["limit"].erase("maximum"); },
       Kind::kHarmless, "tool 'search'", "more arguments are accepted"},
      {"new optional argument",
       [](Json& s) {
         search(s)["inputSchema"]["properties"]["page"] = {{"type", "integer"}};
       },
       Kind::kHarmless, "tool 'search'", "a new argument, 'page'"},
      {"new member of a result",
       [](Json& s) {
         search(s)["outputSchema"]["properties"]["took"] = {{"type", "number"}};
       },
       Kind::kHarmless, "tool 'search'", "a new member of the result, 'took'"},
  };
  return all;
}

TEST(CompareSurfaces, FindsNothingBetweenASurfaceAndItself) {
  EXPECT_TRUE(compare_surfaces(sample_surface(), sample_surface()).empty());
}

TEST(CompareSurfaces, TellsWhatBreaksClientsFromWhatDoesNot) {
  for (const Expected& expected : all_expected()) {
    Json after = sample_surface();
    expected.change(after);
    const std::vector<SurfaceChange> changes = compare_surfaces(sample_surface(), after);
    ASSERT_FALSE(changes.empty()) << expected.name;
    EXPECT_EQ(changes[0].kind, expected.kind) << expected.name << ": " << changes[0].what;
    EXPECT_EQ(changes[0].where, expected.where) << expected.name;
    bool is_told = false;
    for (const SurfaceChange& change : changes) {
      is_told = is_told || change.what.find(expected.what) != std::string::npos;
    }
    EXPECT_TRUE(is_told) << expected.name << ": " << changes[0].what;
  }
}

std::vector<std::string> breaking_of_search(const Json& before, const Json& after) {
  std::vector<std::string> told;
  for (const SurfaceChange& change : compare_surfaces(before, after)) {
    if (change.kind == Kind::kBreaking) told.push_back(change.what + " " + change.example.dump());
  }
  return told;
}

TEST(CompareSurfaces, TellsOnceOfAnArgumentThatIsGoneAndRefused) {
  Json before = sample_surface();
  Json& schema = search(before)["inputSchema"];
  schema["additionalProperties"] = false;
  schema["properties"]["fields"] = {
      {"type", "array"},
      {"items",
       {{"type", "object"},
        {"properties", {{"ref", {{"type", "string"}}}, {"name", {{"type", "string"}}}}},
        {"additionalProperties", false}}}};
  Json after = before;
  search(after)["inputSchema"]["properties"].erase("limit");
  search(after)["inputSchema"]["properties"]["fields"]["items"]["properties"].erase("ref");
  const std::vector<std::string> told = breaking_of_search(before, after);
  ASSERT_EQ(told.size(), 2U) << told.back();
  EXPECT_THAT(told[0], HasSubstr("the argument 'fields[].ref' is gone, and refused {"));
  EXPECT_THAT(told[1], HasSubstr("the argument 'limit' is gone, and refused {"));
}

TEST(CompareSurfaces, KnowsTheArgumentsBehindAReference) {
  Json before = sample_surface();
  Json& schema = search(before)["inputSchema"];
  schema["$defs"] = {
      {"filter", {{"type", "object"}, {"properties", {{"tag", {{"type", "string"}}}}}}}};
  schema["properties"]["filter"] = {{"$ref", "#/$defs/filter"}};
  Json after = before;
  search(after)["inputSchema"]["$defs"]["filter"] = {
      {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  const std::vector<std::string> told = breaking_of_search(before, after);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("the argument 'filter.tag' is now refused {"));
}

TEST(CompareSurfaces, SaysThatANewlyRequiredArgumentHasADefault) {
  Json after = sample_surface();
  Json& schema = search(after)["inputSchema"];
  schema["properties"]["limit"]["default"] = 10;
  schema["required"].push_back("limit");
  const std::vector<std::string> told = breaking_of_search(sample_surface(), after);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("'/limit' is now required, though it has a default"));
}

TEST(CompareSurfaces, TellsOfManyThingsThatAreGoneInOneLine) {
  Json before = sample_surface();
  for (int i = 0; i < 100; ++i) before["resources"][std::to_string(i)] = Json::object();
  const std::vector<SurfaceChange> changes = compare_surfaces(before, sample_surface());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].where, "100 resources");
  EXPECT_EQ(changes[0].kind, Kind::kBreaking);
}

TEST(CompareSurfaces, AccusesNobodyOfDescribingWhatWasNotDescribed) {
  Json before = sample_surface();
  search(before)["inputSchema"] = {{"type", "object"}};
  const std::vector<SurfaceChange> changes = compare_surfaces(before, sample_surface());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, Kind::kUnclear);
}

TEST(CompareSurfaces, CallsNothingGoneThatIsNotDescribedAnyMore) {
  Json after = sample_surface();
  search(after)["inputSchema"] = {{"$schema", "http://json-schema.org/draft-07/schema#"}};
  const std::vector<SurfaceChange> changes = compare_surfaces(sample_surface(), after);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, Kind::kUnclear);
  // This one says that there are none.
  search(after)["inputSchema"] = {{"type", "object"}};
  EXPECT_EQ(breaking_of_search(sample_surface(), after).size(), 2U);
}

TEST(CompareSurfaces, AToolWithoutArgumentsMayNotRequireOne) {
  Json before = sample_surface();
  search(before)["inputSchema"] = {{"type", "object"}, {"additionalProperties", false}};
  const std::vector<std::string> told = breaking_of_search(before, sample_surface());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("'/text' is now required"));
  Json after = sample_surface();
  search(after)["inputSchema"].erase("required");
  EXPECT_TRUE(breaking_of_search(before, after).empty());
}

TEST(CompareSurfaces, APropertyOfOneOfSeveralShapesIsNotGone) {
  Json after = sample_surface();
  const Json text = search(after)["outputSchema"];
  Json other = text;
  other["properties"]["none"] = {{"type", "boolean"}};
  other["required"] = {"none"};
  other["properties"].erase("hits");
  search(after)["outputSchema"] = {{"type", "object"}, {"anyOf", {text, other}}};
  const std::vector<std::string> told = breaking_of_search(sample_surface(), after);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("'/hits' was always there, and may now be missing"));
  search(after)["outputSchema"] = {{"type", "object"}, {"anyOf", {other}}};
  EXPECT_EQ(breaking_of_search(sample_surface(), after).size(), 2U);
}

TEST(CompareSurfaces, SurvivesOddDocuments) {
  Json odd = sample_surface();
  odd["tools"]["search"] = {{"inputSchema", 5}, {"annotations", "x"}, {"execution", nullptr}};
  odd["prompts"]["ask"]["arguments"] = {{{"name", 5}}, 7};
  odd["revisions"] = {1, nullptr};
  EXPECT_FALSE(compare_surfaces(sample_surface(), odd).empty());
  EXPECT_FALSE(compare_surfaces(odd, sample_surface()).empty());
}

}  // namespace
}  // namespace assay::harness
