#include "reference/server/arguments.h"

#include <gtest/gtest.h>

namespace assay::server {
namespace {

const Json kSchema = Json::parse(R"({
  "type": "object",
  "properties": {
    "count": {"type": "integer"},
    "unit": {"type": "string", "enum": ["inch", "metre"]},
    "card": {"type": "string"},
    "billing": {"type": "string"},
    "key": {"type": ["string", "integer"]},
    "place": {"type": "object", "properties": {"city": {"type": "string"}}},
    "version": {"type": "array", "prefixItems": [{"type": "integer"}]}},
  "required": ["count"],
  "dependentRequired": {"card": ["billing"]}})");

bool is_refused(const Json& arguments, Switches switches = {}) {
  Options options;
  options.switches = switches;
  return defect_of_arguments(options, kSchema, arguments).has_value();
}

TEST(Arguments, AreHeldToTheirSchema) {
  EXPECT_FALSE(is_refused({{"count", 1}}));
  EXPECT_FALSE(is_refused({{"count", 1}, {"unit", "inch"}, {"card", "4"}, {"billing", "b"}}));
  EXPECT_FALSE(is_refused({{"count", 1}, {"version", {2, "beta"}}}));
  EXPECT_TRUE(is_refused(Json::object()));
  EXPECT_TRUE(is_refused({{"count", "many"}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"unit", "mile"}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"card", "4"}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"version", {"two"}}}));
}

TEST(Arguments, AreHeldToEachOfSeveralTypesAndInsideOfObjects) {
  EXPECT_FALSE(is_refused({{"count", 1}, {"key", 7}, {"place", {{"city", "x"}}}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"key", true}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"place", "x"}}));
  EXPECT_TRUE(is_refused({{"count", 1}, {"place", {{"city", nullptr}}}}));
}

TEST(Arguments, AreTakenAsTheyAreByAFaultOnly) {
  const auto with = [](Switch one) { return Switches().set(static_cast<std::size_t>(one)); };
  EXPECT_FALSE(is_refused({{"count", "many"}}, with(Switch::kChecksTextsOnly)));
  EXPECT_FALSE(is_refused({{"count", 1}, {"unit", "mile"}}, with(Switch::kIgnoresChoices)));
  EXPECT_FALSE(is_refused({{"count", 1}, {"card", "4"}}, with(Switch::kIgnoresNewerKeywords)));
}

}  // namespace
}  // namespace assay::server
