#include "reference/model/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reference/model/schema_walk.h"

namespace assay::model {
namespace {

using testing::HasSubstr;

std::vector<std::string> faults(const char* schema) {
  std::vector<std::string> lines;
  for (const Deviation& deviation : check_schema(Json::parse(schema)).deviations) {
    lines.push_back(to_text(deviation));
  }
  return lines;
}

SchemaVerdict judge(const char* schema, const char* value) {
  return check_against_schema(Json::parse(schema), Json::parse(value));
}

void expect(SchemaOutcome outcome, const char* schema, const char* value) {
  const SchemaVerdict verdict = judge(schema, value);
  EXPECT_EQ(verdict.outcome, outcome) << schema << " on " << value << ": " << verdict.reason;
  EXPECT_EQ(verdict.deviations.empty(), outcome != SchemaOutcome::kInvalid);
  EXPECT_EQ(verdict.reason.empty(), outcome != SchemaOutcome::kInconclusive);
}

void expect_inconclusive(const char* schema, const char* value, const char* reason) {
  const SchemaVerdict verdict = judge(schema, value);
  EXPECT_EQ(verdict.outcome, SchemaOutcome::kInconclusive) << schema;
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
}

TEST(CheckSchema, AcceptsSchemas) {
  for (const char* schema :
       {"true", "{}", R"({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})",
        R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [true]})",
        R"({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]})",
        R"({"$ref": "https://example.com/other"})", R"({"x-mine": 3, "type": "object"})",
        R"({"$defs": {"a": {}}, "$ref": "#/$defs/a"})"}) {
    EXPECT_EQ(check_schema(Json::parse(schema)).outcome, SchemaOutcome::kValid) << schema;
  }
}

TEST(CheckSchema, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(faults(R"({"type": "strin", "properties": {"a": 1}, "required": "a",
                         "minLength": -1, "anyOf": []})"),
              testing::ElementsAre(
                  "/anyOf: expected a non-empty array of schemas, found array",
                  "/minLength: expected whole number of at least 0, found -1",
                  "/properties/a: expected a schema (an object or a boolean), found number",
                  "/required: expected array of strings, found string",
                  "/type: expected one of \"array\", \"boolean\", \"integer\", \"null\", "
                  "\"number\", \"object\", \"string\", found \"strin\""));
  EXPECT_THAT(
      faults(R"({"$ref": "#/$defs/none"})"),
      testing::ElementsAre("/$ref: expected a reference to a schema, found \"#/$defs/none\""));
}

TEST(CheckSchema, LeavesUnknownDialectsAlone) {
  const SchemaVerdict verdict =
      check_schema(Json::parse(R"({"$schema": "http://json-schema.org/draft-04/schema#",
                                   "exclusiveMinimum": true})"));
  EXPECT_EQ(verdict.outcome, SchemaOutcome::kInconclusive);
}

TEST(CheckAgainstSchema, EvaluatesWhatItKnows) {
  constexpr const char* kSchema = R"({"type": "object", "required": ["n"], "properties": {
      "n": {"type": "integer", "minimum": 1}, "e": {"enum": ["a", 2]}, "s": {"pattern": "^[a-z]+$"},
      "l": {"type": "array", "items": {"$ref": "#/$defs/word"}, "uniqueItems": true}},
      "additionalProperties": false, "$defs": {"word": {"type": "string", "maxLength": 3}}})";
  expect(SchemaOutcome::kValid, kSchema, R"({"n": 1})");
  expect(SchemaOutcome::kValid, kSchema, R"({"n": 1.0, "e": 2.0, "s": "abc", "l": ["a", "b"]})");
  for (const char* bad :
       {"[]", "{}", R"({"n": 0})", R"({"n": 1.5})", R"({"n": 1, "x": 1})", R"({"n": 1, "e": "b"})",
        R"({"n": 1, "s": "A"})", R"({"n": 1, "l": ["long"]})", R"({"n": 1, "l": ["a", "a"]})"}) {
    expect(SchemaOutcome::kInvalid, kSchema, bad);
  }
}

TEST(CheckAgainstSchema, EvaluatesBooleanSchemasAndConditions) {
  expect(SchemaOutcome::kValid, "true", "1");
  expect(SchemaOutcome::kInvalid, "false", "1");
  constexpr const char* kSchema =
      R"({"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": false})";
  expect(SchemaOutcome::kValid, kSchema, R"({"a": 1, "b": 1})");
  expect(SchemaOutcome::kInvalid, kSchema, R"({"a": 1})");
  expect(SchemaOutcome::kInvalid, kSchema, R"({"a": 2})");
}

TEST(CheckAgainstSchema, PointsAtTheFault) {
  const SchemaVerdict verdict =
      judge(R"({"properties": {"a/b": {"items": {"type": "string"}}}})", R"({"a/b": ["x", 3]})");
  ASSERT_EQ(verdict.deviations.size(), 1u);
  EXPECT_EQ(verdict.deviations[0].pointer, "/a~1b/1");
  EXPECT_EQ(verdict.deviations[0].found, "number");
}

TEST(CheckAgainstSchema, TakesFormatsForAnnotations) {
  expect(SchemaOutcome::kValid, R"({"format": "date-time"})", "3");
  expect(SchemaOutcome::kValid, R"({"type": "string", "format": "date"})", R"("soon")");
}

TEST(CheckAgainstSchema, IsInconclusiveWhereTheEvaluatorIsNotToBeTrusted) {
  for (const char* schema :
       {R"({"prefixItems": [{"type": "string"}]})", R"({"unevaluatedProperties": false})",
        R"({"dependentRequired": {"a": ["b"]}})", R"({"$dynamicRef": "#a"})",
        R"({"multipleOf": 0.1})", R"({"propertyNames": {"maxLength": 1}})",
        R"({"$ref": "https://example.com/s"})", R"({"$ref": "#anchor"})",
        R"({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {}}})",
        R"({"items": [{"type": "string"}]})", R"({"type": "wrong"})",
        R"({"$ref": "#/x/y", "x": {"y": {"prefixItems": [false]}}})"}) {
    expect(SchemaOutcome::kInconclusive, schema, "[1]");
  }
  expect_inconclusive(R"({"maximum": 3})", "9007199254740993", "too large to be exact");
  expect_inconclusive(R"({"pattern": "^.$"})", R"("\u00e9")", "not ASCII");
  expect_inconclusive(R"({"maxLength": 1})", R"("a\u0000b")", "NUL");
}

TEST(CheckAgainstSchema, KnowsThatSiblingsOfAReferenceOnceDidNotCount) {
  expect(SchemaOutcome::kValid,
         R"({"$schema": "http://json-schema.org/draft-07/schema#",
             "$ref": "#/definitions/a", "type": "string", "definitions": {"a": {}}})",
         "1");
}

TEST(CheckAgainstSchema, FollowsRecursionThatEnds) {
  constexpr const char* kTree =
      R"({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "required": ["v"],
          "properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}}})";
  expect(SchemaOutcome::kValid, kTree, R"({"v": 1, "left": {"v": 2, "right": {"v": 3}}})");
  expect(SchemaOutcome::kInvalid, kTree, R"({"v": 1, "left": {"v": 2, "right": {}}})");
}

class Bounded : public testing::Test {
 protected:
  void SetUp() override { start_ = std::chrono::steady_clock::now(); }
  void TearDown() override {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(10));
  }

 private:
  std::chrono::steady_clock::time_point start_;
};

TEST_F(Bounded, CirclesEnd) {
  expect(SchemaOutcome::kInconclusive, R"({"$ref": "#"})", "1");
  expect(SchemaOutcome::kInconclusive, R"({"allOf": [{"$ref": "#"}]})", "1");
  expect(SchemaOutcome::kInconclusive,
         R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"},
                                            "b": {"$ref": "#/$defs/a"}}})",
         "1");
  // Unused circles are parsed, too.
  expect(SchemaOutcome::kInconclusive,
         R"({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}})",
         "{}");
}

TEST_F(Bounded, ExponentialSchemasEnd) {
  // Every level doubles the work.
  Json schema = {{"type", "string"}};
  Json value = "x";
  for (int i = 0; i < 60; ++i) {
    schema = {{"$defs",
               {{"d",
                 {{"anyOf", Json::array({{{"properties", {{"a", {{"$ref", "#/$defs/d"}}}}}},
                                         {{"properties", {{"a", {{"$ref", "#/$defs/d"}}}}}}})}}}}},
              {"$ref", "#/$defs/d"}};
    value = {{"a", value}};
  }
  EXPECT_EQ(check_against_schema(schema, value).outcome, SchemaOutcome::kInconclusive);
}

TEST_F(Bounded, CatastrophicPatternsAreNotTried) {
  const Json value = std::string(1000, 'a') + "!";
  for (const char* pattern : {"^(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*a*b", "(.*)\\1", "(?=a)a",
                              "((a{1,100}){1,100}){1,100}", "\\p{L}", "a{99999}", "(", "[", "\\"}) {
    EXPECT_EQ(check_against_schema({{"pattern", pattern}}, value).outcome,
              SchemaOutcome::kInconclusive)
        << pattern;
  }
  const Json long_value = std::string(100000, 'a');
  EXPECT_EQ(check_against_schema({{"pattern", "^a*$"}}, long_value).outcome,
            SchemaOutcome::kInconclusive);
}

TEST_F(Bounded, OrdinaryPatternsAreCheap) {
  for (const char* pattern : {"^[a-z][a-z0-9_-]*$", "^\\d{4}-\\d{2}-\\d{2}$", "^(GET|POST)$",
                              "^#[0-9a-fA-F]{6}$", "^[^\\s@]+@[^\\s@]+$"}) {
    EXPECT_NE(pattern_cost(pattern, 40), kUnbounded) << pattern;
  }
}

TEST_F(Bounded, EnormousSchemasAreNotRead) {
  Json wide = Json::object();
  for (std::size_t i = 0; i <= kMostSchemaNodes; ++i) {
    wide["properties"]["p" + std::to_string(i)] = true;
  }
  EXPECT_EQ(check_schema(wide).outcome, SchemaOutcome::kInconclusive);
  Json deep = true;
  for (std::size_t i = 0; i < 400; ++i) deep = {{"not", deep}};
  EXPECT_EQ(check_schema(deep).outcome, SchemaOutcome::kInconclusive);
  EXPECT_EQ(check_against_schema(deep, 1).outcome, SchemaOutcome::kInconclusive);
}

TEST_F(Bounded, ManyErrorsAreNotCollected) {
  const Json value = Json::array_t(3000, Json(1));
  const SchemaVerdict unique = check_against_schema({{"uniqueItems", true}}, value);
  EXPECT_NE(unique.outcome, SchemaOutcome::kValid);
  const SchemaVerdict items = check_against_schema({{"items", {{"type", "string"}}}}, value);
  EXPECT_EQ(items.outcome, SchemaOutcome::kInvalid);
  EXPECT_LE(items.deviations.size(), kMostDeviations);
}

}  // namespace
}  // namespace assay::model
