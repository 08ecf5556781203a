#include "reference/model/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

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
        R"({"$id": "https://example.com/s#", "$anchor": "a-1", "$dynamicAnchor": "_b"})",
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
  EXPECT_THAT(faults(R"({"required": ["a", "a"], "$id": "#a", "$anchor": "1"})"),
              testing::ElementsAre(
                  "/$anchor: expected a name of letters, digits, '-', '.' and '_', found \"1\"",
                  "/$id: expected a URI reference without a fragment, found \"#a\"",
                  "/required: expected an array of different strings, found the same one twice"));
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

TEST(CheckAgainstSchema, SaysWhatTheSchemaAsksFor) {
  const auto fault = [](const char* schema, const char* value) {
    const Json parent = {{"properties", {{"v", Json::parse(schema)}}}};
    return to_text(check_against_schema(parent, {{"v", Json::parse(value)}}).deviations.at(0));
  };
  EXPECT_EQ(fault(R"({"type": ["string", "null"]})", "[]"),
            "/v: expected string or null, found array");
  EXPECT_EQ(fault(R"({"type": "integer"})", "1.5"), "/v: expected integer, found 1.5");
  EXPECT_EQ(fault(R"({"minimum": 3})", "2"), "/v: expected at least 3, found 2");
  EXPECT_EQ(fault(R"({"enum": ["a", 2]})", "\"b\""), "/v: expected one of \"a\", 2, found \"b\"");
  EXPECT_EQ(fault(R"({"maxLength": 1})", "\"ab\""),
            "/v: expected at most 1 characters, found 2 characters");
  EXPECT_EQ(fault(R"({"pattern": "^a$"})", "\"b\""),
            "/v: expected string that matches \"^a$\", found \"b\"");
  EXPECT_EQ(fault(R"({"required": ["a"]})", "{}"),
            "/v/a: expected a property that the schema requires, found nothing");
  EXPECT_EQ(fault(R"({"uniqueItems": true})", "[1, 1.0]"),
            "/v: expected items that all differ, found array");
}

TEST(CheckAgainstSchema, IsInconclusiveWhereNobodyKnows) {
  expect_inconclusive(R"({"type": "wrong"})", "1", "not a valid JSON Schema");
  expect_inconclusive(R"({"$ref": "https://example.com/s"})", "1", "not in it");
  expect_inconclusive(R"({"maximum": 9007199254740992})", "9007199254740993",
                      "too large to be exact");
  expect_inconclusive(R"({"const": 1e30})", "1e30", "too large to be exact");
  expect_inconclusive(R"({"pattern": "(a)\\1"})", "\"aa\"", "back reference");
  expect(SchemaOutcome::kInvalid, R"({"maximum": 3})", "9007199254740993");
  expect(SchemaOutcome::kInvalid, R"({"const": 1})", "1e30");
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

// Each of these ends because steps are counted; without bounds they would run for hours.
TEST(Bounded, CirclesEnd) {
  expect(SchemaOutcome::kInconclusive, R"({"$ref": "#"})", "1");
  expect(SchemaOutcome::kInconclusive, R"({"allOf": [{"$ref": "#"}]})", "1");
  expect(SchemaOutcome::kInconclusive,
         R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"},
                                            "b": {"$ref": "#/$defs/a"}}})",
         "1");
  expect(SchemaOutcome::kInconclusive,
         R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}})",
         "1");
  // One that is not entered does no harm.
  expect(SchemaOutcome::kValid,
         R"({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}})",
         "{}");
}

TEST(Bounded, ExponentialSchemasEnd) {
  // Every level doubles the work.
  const Json schema = Json::parse(R"({"allOf": [{"properties": {"a": {"$ref": "#"}}},
                                                {"properties": {"a": {"$ref": "#"}}}]})");
  Json value = "x";
  for (int i = 0; i < 60; ++i) value = {{"a", value}};
  EXPECT_EQ(check_against_schema(schema, value).outcome, SchemaOutcome::kInconclusive);
}

TEST(Bounded, CatastrophicPatternsAreHarmless) {
  const Json value = std::string(1000, 'a') + "!";
  for (const char* pattern : {"^(a+)+$", "^(a|a)*$", "^(a*)*b", "^a*a*a*a*a*b"}) {
    EXPECT_EQ(check_against_schema({{"pattern", pattern}}, value).outcome, SchemaOutcome::kInvalid)
        << pattern;
  }
  // Many matches together are bounded, too.
  const Json many = Json::array_t(2000, Json(std::string(2000, 'a')));
  EXPECT_EQ(check_against_schema({{"items", {{"pattern", "(?=.*b)b|a$"}}}}, many).outcome,
            SchemaOutcome::kInconclusive);
}

TEST(Bounded, EnormousSchemasAreNotRead) {
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

TEST(Bounded, EnormousValuesAreNotSearched) {
  Json names = Json::object();
  Json value = Json::object();
  for (int i = 0; i < 3000; ++i) {
    names["patternProperties"]["^p" + std::to_string(i)] = false;
    value["q" + std::to_string(i)] = 1;
  }
  EXPECT_EQ(check_against_schema(names, value).outcome, SchemaOutcome::kInconclusive);
  // What is certain stays so, whatever is not looked at.
  names["minProperties"] = 4000;
  EXPECT_EQ(check_against_schema(names, value).outcome, SchemaOutcome::kInvalid);
  Json deep = 1;
  for (int i = 0; i < 5000; ++i) {
    Json outer = Json::array();
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  EXPECT_EQ(check_against_schema(Json::parse(R"({"items": {"$ref": "#"}})"), deep).outcome,
            SchemaOutcome::kInconclusive);
  EXPECT_EQ(check_against_schema({{"const", deep}}, deep).outcome, SchemaOutcome::kInconclusive);
  // The parts that stay behind a bound do not count as good.
  const Json items = Json::array_t(600'000, Json(1));
  EXPECT_EQ(
      check_against_schema(Json::parse(R"({"items": {"anyOf": [true, true]}})"), items).outcome,
      SchemaOutcome::kInconclusive);
}

TEST(Bounded, ManyNamesAreNotKept) {
  const std::string long_name(100'000, 'a');
  Json schema = {{"$id", "https://example.com/" + long_name}, {"$defs", Json::object()}};
  for (int i = 0; i < 5000; ++i) {
    schema["$defs"][std::to_string(i)] = {{"$id", std::to_string(i)}, {"$ref", "#"}};
  }
  EXPECT_EQ(check_schema(schema).outcome, SchemaOutcome::kValid);
}

TEST(Bounded, ManyErrorsAreNotCollected) {
  const Json value = Json::array_t(3000, Json(1));
  const SchemaVerdict unique = check_against_schema({{"uniqueItems", true}}, value);
  EXPECT_NE(unique.outcome, SchemaOutcome::kValid);
  const SchemaVerdict items = check_against_schema({{"items", {{"type", "string"}}}}, value);
  EXPECT_EQ(items.outcome, SchemaOutcome::kInvalid);
  EXPECT_LE(items.deviations.size(), kMostDeviations);
}

}  // namespace
}  // namespace assay::model
