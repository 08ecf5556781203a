// Each keyword of the newer dialects, and how they find what they refer to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reference/model/schema_check.h"
#include "reference/model/uri_reference.h"

namespace assay::model {
namespace {

SchemaOutcome outcome(const char* schema, const char* value) {
  return check_against_schema(Json::parse(schema), Json::parse(value)).outcome;
}

void expect_valid(const char* schema, const char* value) {
  EXPECT_EQ(outcome(schema, value), SchemaOutcome::kValid) << schema << " on " << value;
}
void expect_invalid(const char* schema, const char* value) {
  EXPECT_EQ(outcome(schema, value), SchemaOutcome::kInvalid) << schema << " on " << value;
}
void expect_unclear(const char* schema, const char* value) {
  EXPECT_EQ(outcome(schema, value), SchemaOutcome::kInconclusive) << schema << " on " << value;
}

std::string first_fault(const char* schema, const char* value) {
  const SchemaVerdict verdict = check_against_schema(Json::parse(schema), Json::parse(value));
  return verdict.deviations.empty() ? "none" : to_text(verdict.deviations.front());
}

TEST(SchemaKeywords, PrefixItemsAreFollowedByItems) {
  constexpr const char* kSchema =
      R"({"prefixItems": [{"type": "string"}, {"const": 1}], "items": {"type": "null"}})";
  expect_valid(kSchema, R"(["a", 1, null])");
  expect_valid(kSchema, R"(["a"])");
  expect_invalid(kSchema, "[1]");
  expect_invalid(kSchema, R"(["a", 1, 2])");
  EXPECT_EQ(first_fault(kSchema, R"(["a", 2])"), "/1: expected 1, found 2");
}

TEST(SchemaKeywords, ItemsWereAListOnce) {
  constexpr const char* kSchema =
      R"({"$schema": "http://json-schema.org/draft-07/schema#",
          "items": [{"type": "string"}], "additionalItems": false})";
  expect_valid(kSchema, R"(["a"])");
  expect_invalid(kSchema, R"([1])");
  expect_invalid(kSchema, R"(["a", 1])");
  EXPECT_EQ(check_schema(Json::parse(R"({"items": [{}]})")).outcome, SchemaOutcome::kInvalid);
}

TEST(SchemaKeywords, DependenciesInTheirThreeForms) {
  expect_invalid(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})");
  expect_valid(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1, "b": 2})");
  expect_invalid(R"({"dependentSchemas": {"a": {"maxProperties": 1}}})", R"({"a": 1, "b": 2})");
  constexpr const char* kOld =
      R"({"$schema": "http://json-schema.org/draft-07/schema#",
          "dependencies": {"a": ["b"], "c": {"required": ["d"]}}})";
  expect_invalid(kOld, R"({"a": 1})");
  expect_invalid(kOld, R"({"c": 1})");
  expect_valid(kOld, R"({"a": 1, "b": 1, "c": 1, "d": 1})");
  // Not a keyword of 2020-12; whether it is meant nobody knows.
  expect_unclear(R"({"dependencies": {"a": ["b"]}})", R"({"a": 1})");
  expect_valid(R"({"dependencies": {"a": ["b"]}})", R"({"a": 1, "b": 1})");
  EXPECT_EQ(first_fault(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
            "/b: expected a property that must come with \"a\", found nothing");
}

TEST(SchemaKeywords, ContainsCounts) {
  constexpr const char* kSchema =
      R"({"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3})";
  expect_invalid(kSchema, "[1]");
  expect_valid(kSchema, "[1, 2, \"a\"]");
  expect_invalid(kSchema, "[1, 2, 3, 4]");
  expect_valid(R"({"contains": false, "minContains": 0})", "[]");
  expect_invalid(R"({"contains": true})", "[]");
}

TEST(SchemaKeywords, UnevaluatedPropertiesSeesThroughWhatStandsBesideIt) {
  constexpr const char* kSchema = R"({
      "allOf": [{"properties": {"a": true}}], "if": {"required": ["k"]},
      "then": {"properties": {"k": true}}, "else": {"patternProperties": {"^e": true}},
      "$ref": "#/$defs/more", "unevaluatedProperties": false,
      "$defs": {"more": {"dependentSchemas": {"a": {"properties": {"m": true}}}}}})";
  expect_valid(kSchema, R"({"a": 1, "m": 1, "e1": 1})");
  expect_valid(kSchema, R"({"a": 1, "k": 1})");
  expect_invalid(kSchema, R"({"k": 1, "e1": 1})");
  expect_invalid(kSchema, R"({"m": 1})");
  // What fails has evaluated nothing.
  expect_invalid(R"({"anyOf": [{"properties": {"a": {"const": 1}}}, true],
                     "unevaluatedProperties": false})",
                 R"({"a": 2})");
  expect_invalid(R"({"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false})",
                 R"({"a": 2})");
  EXPECT_EQ(first_fault(R"({"properties": {"a": true}, "unevaluatedProperties": false})",
                        R"({"a": 1, "b": "x"})"),
            "/b: expected nothing, by the schema \"false\", found \"x\"");
}

TEST(SchemaKeywords, UnevaluatedItemsCountsWhatContainsFound) {
  constexpr const char* kSchema =
      R"({"prefixItems": [true], "contains": {"type": "string"}, "unevaluatedItems": false})";
  expect_valid(kSchema, R"([1, "a", "b"])");
  expect_invalid(kSchema, R"([1, "a", 2])");
  // Not before 2020-12.
  expect_invalid(R"({"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [true],
                     "contains": {"type": "string"}, "unevaluatedItems": false})",
                 R"([1, "a"])");
}

TEST(SchemaKeywords, MultiplesAreExact) {
  expect_valid(R"({"multipleOf": 0.01})", "19.99");
  expect_valid(R"({"multipleOf": 0.1})", "0.3");
  expect_invalid(R"({"multipleOf": 0.1})", "0.35");
  expect_valid(R"({"multipleOf": 1e2})", "-300");
  expect_valid(R"({"multipleOf": 3})", "9223372036854775806");
  expect_invalid(R"({"multipleOf": 3})", "9223372036854775807");
}

TEST(SchemaKeywords, LengthsAreInCharacters) {
  expect_valid(R"({"maxLength": 2})", R"("\u00e9\ud83d\ude00")");
  expect_invalid(R"({"minLength": 3})", R"("\u00e9\ud83d\ude00")");
  expect_valid(R"({"maxLength": 3.0})", R"("a\u0000b")");
}

TEST(SchemaKeywords, NamesOfPropertiesAreTexts) {
  expect_invalid(R"({"propertyNames": {"pattern": "^[a-z]+$"}})", R"({"a": 1, "B": 2})");
  EXPECT_EQ(first_fault(R"({"propertyNames": {"maxLength": 1}})", R"({"ab": 1})"),
            "/ab: expected a name that \"propertyNames\" allows, found \"ab\"");
}

TEST(SchemaReferences, FindNamesInTheDocument) {
  constexpr const char* kSchema = R"({"$id": "https://example.com/a/root.json",
      "properties": {"x": {"$ref": "item.json#name"}, "y": {"$ref": "#local"},
                     "z": {"$ref": "/a/item.json#/$defs/n~1a%25"}},
      "$defs": {"i": {"$id": "item.json", "type": "object",
                      "$defs": {"n": {"$anchor": "name", "type": "string"}, "n/a%": {"const": 1}}},
                "l": {"$anchor": "local", "type": "null"}}})";
  expect_valid(kSchema, R"({"x": "a", "y": null, "z": 1})");
  expect_invalid(kSchema, R"({"x": 1})");
  expect_invalid(kSchema, R"({"y": 1})");
  expect_invalid(kSchema, R"({"z": 2})");
}

TEST(SchemaReferences, OfOlderDraftsNameByFragment) {
  constexpr const char* kSchema =
      R"({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#word", "type": "null",
          "definitions": {"w": {"$id": "#word", "type": "string"}}})";
  expect_valid(kSchema, R"("a")");  // what stands beside a $ref does not count
  expect_invalid(kSchema, "null");
}

TEST(SchemaReferences, DynamicOnesAskWhoLedThere) {
  constexpr const char* kSchema = R"({"$id": "https://example.com/numbers",
      "$ref": "list", "$defs": {
        "item": {"$dynamicAnchor": "item", "type": "number"},
        "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"},
                 "$defs": {"item": {"$dynamicAnchor": "item"}}}}})";
  expect_valid(kSchema, "[1, 2]");
  expect_invalid(kSchema, R"([1, "a"])");
}

TEST(SchemaReferences, RecursiveOnesDoToo) {
  constexpr const char* kSchema = R"({"$schema": "https://json-schema.org/draft/2019-09/schema",
      "$id": "https://example.com/strict", "$recursiveAnchor": true, "$ref": "tree",
      "unevaluatedProperties": false,
      "$defs": {"tree": {"$id": "tree", "$recursiveAnchor": true, "properties":
                  {"next": {"$recursiveRef": "#"}}}}})";
  expect_valid(kSchema, R"({"next": {"next": {}}})");
  expect_invalid(kSchema, R"({"next": {"other": 1}})");
}

TEST(SchemaReferences, ElsewhereAreNeverFollowedAndSaidToBe) {
  const SchemaVerdict verdict =
      check_against_schema(Json::parse(R"({"$ref": "https://example.com/s"})"), Json::parse("1"));
  EXPECT_EQ(verdict.outcome, SchemaOutcome::kInconclusive);
  EXPECT_EQ(verdict.reason, "the schema refers to what is not in it: \"https://example.com/s\"");
}

TEST(SchemaReferences, ThatAreUnknownMatterOnlyWhereTheyDecide) {
  expect_valid(R"({"anyOf": [{"$ref": "other.json"}, {"type": "integer"}]})", "1");
  expect_unclear(R"({"anyOf": [{"$ref": "other.json"}, {"type": "string"}]})", "1");
  expect_invalid(R"({"$ref": "other.json", "type": "string"})", "1");
  expect_unclear(R"({"not": {"$ref": "other.json"}})", "1");
  expect_unclear(R"({"if": {"$ref": "other.json"}, "then": false})", "1");
  expect_invalid(R"({"if": {"$ref": "other.json"}, "then": false, "else": false, "type": "null"})",
                 "1");
  expect_valid(R"({"properties": {"a": {"$ref": "other.json"}}})", R"({"b": 1})");
  expect_unclear(R"({"$ref": "other.json", "unevaluatedProperties": false})", R"({"b": 1})");
  expect_invalid(R"({"properties": {"a": {"$ref": "other.json"}}, "unevaluatedProperties": false})",
                 R"({"b": 1})");
  expect_unclear(R"({"patternProperties": {"\\Z": true}, "additionalProperties": false})",
                 R"({"b": 1})");
  expect_unclear(R"({"contains": {"$ref": "other.json"}})", "[1]");
}

TEST(SchemaReferences, MayLeadToWhatIsNoPartOfTheSchema) {
  expect_invalid(R"({"$ref": "#/x/y", "x": {"y": {"prefixItems": [false]}}})", "[1]");
  // Nobody said that it is one.
  expect_unclear(R"({"$ref": "#/x", "x": {"type": 3}})", "[1]");
}

TEST(SchemaReferences, ToANameThatIsGivenTwiceAreUnclear) {
  expect_unclear(R"({"$ref": "#a", "$defs": {"x": {"$anchor": "a"},
                     "y": {"$anchor": "a", "type": "string"}}})",
                 "1");
  expect_unclear(R"({"$ref": "a.json", "$defs": {"x": {"$id": "a.json"}, "y": {"$id": "a.json"}}})",
                 "1");
}

TEST(SchemaDialects, MayChangeInsideADocument) {
  constexpr const char* kSchema = R"({"properties": {
      "old": {"$ref": "old.json"}, "new": {"$ref": "#/$defs/new"}},
      "$defs": {"new": {"prefixItems": [{"type": "string"}]},
                "o": {"$id": "old.json", "$schema": "http://json-schema.org/draft-07/schema#",
                      "prefixItems": [{"type": "string"}], "items": [{"type": "integer"}]}}})";
  expect_valid(kSchema, R"({"old": [1], "new": ["a"]})");
  expect_invalid(kSchema, R"({"old": ["a"]})");
  expect_unclear(R"({"$ref": "odd.json", "$defs":
                     {"o": {"$id": "odd.json", "$schema": "https://example.com/mine"}}})",
                 "1");
}

TEST(UriReference, ResolvesAsTheRfcDoes) {
  constexpr const char* kBase = "http://a/b/c/d;p?q";
  for (const auto& [reference, expected] :
       std::initializer_list<std::pair<const char*, const char*>>{{"g:h", "g:h"},
                                                                  {"g", "http://a/b/c/g"},
                                                                  {"./g/", "http://a/b/c/g/"},
                                                                  {"/g", "http://a/g"},
                                                                  {"//g", "http://g"},
                                                                  {"?y", "http://a/b/c/d;p?y"},
                                                                  {"g?y#s", "http://a/b/c/g?y"},
                                                                  {"", "http://a/b/c/d;p?q"},
                                                                  {".", "http://a/b/c/"},
                                                                  {"..", "http://a/b/"},
                                                                  {"../../../g", "http://a/g"},
                                                                  {"/./g/../h", "http://a/h"}}) {
    EXPECT_EQ(resolve_reference(kBase, reference), expected) << reference;
  }
  EXPECT_EQ(resolve_reference("", "g.json"), "g.json");
  EXPECT_EQ(resolve_reference("urn:example:root", ""), "urn:example:root");
  EXPECT_EQ(percent_decoded("a%25b%2"), "a%b%2");
}

}  // namespace
}  // namespace assay::model
