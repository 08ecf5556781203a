// Our verdicts beside those of ajv, over random schemas and values. ASSAY_AJV names the program
// that asks it (ci/ajv-test sets it); without that the tests are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reference/model/random.h"
#include "reference/model/schema_check.h"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSchemas = 1500;
constexpr std::size_t kValuesOfEach = 10;
constexpr const char* kNames[] = {"a", "b", "c", "d"};

// Small schemas over a small world, so that values meet them.
class SchemaWriter {
 public:
  SchemaWriter(Random& random, bool is_newest) : random_(random), is_newest_(is_newest) {}

  Json write() {
    Json schema = schema_of(3);
    while (!schema.is_object()) schema = schema_of(3);
    if (!is_newest_) {
      schema["$schema"] = "http://json-schema.org/draft-07/schema#";
      return schema;
    }
    has_definitions_ = false;
    schema["$defs"] = {{"x", schema_of(1)}, {"y", schema_of(1)}};
    schema["$defs"]["z"] = {{"$anchor", "named"}, {"anyOf", schemas(1)}};
    return schema;
  }

 private:
  Json schema_of(std::size_t depth) {
    if (random_.chance(6)) return random_.chance(70);
    Json schema = Json::object();
    const std::size_t keywords = 1 + random_.below(4);
    for (std::size_t i = 0; i < keywords; ++i) add_keyword(schema, depth);
    return schema;
  }

  void add_keyword(Json& schema, std::size_t depth) {
    const std::size_t which = random_.below(depth == 0 ? 4 : 10);
    if (which < 2) return add_assertion(schema);
    if (which < 4) return add_size(schema);
    if (which < 6) return add_members(schema, depth - 1);
    if (which < 8) return add_items(schema, depth - 1);
    add_applicator(schema, depth - 1);
  }

  void add_assertion(Json& schema) {
    static constexpr const char* kTypes[] = {"string", "integer", "number", "object",
                                             "array",  "null",    "boolean"};
    switch (random_.below(6)) {
      case 0:
        schema["type"] = random_.pick(kTypes);
        break;
      case 1:
        schema["type"] = {"object", "array", "integer"};
        break;
      case 2:
        schema["enum"] = Json::array({1, "a", nullptr, Json::array({1}), {{"a", 1}}});
        break;
      case 3:
        schema["const"] = random_.chance(50) ? Json(1) : Json("ab");
        break;
      case 4:
        schema["required"] = {random_.pick(kNames)};
        break;
      default:
        schema["pattern"] = random_.chance(50) ? "^a+(b|\\d)?$" : "[^a-b]|\\bx(?!y)";
    }
  }

  void add_size(Json& schema) {
    static constexpr const char* kSizes[] = {"minLength", "maxLength",     "minItems",
                                             "maxItems",  "minProperties", "maxProperties"};
    static constexpr const char* kLimits[] = {"minimum", "maximum", "exclusiveMinimum",
                                              "exclusiveMaximum"};
    switch (random_.below(4)) {
      case 0:
        schema["uniqueItems"] = true;
        break;
      case 1:
        schema["multipleOf"] = random_.chance(50) ? 2 : 0.5;
        break;
      case 2:
        schema[random_.pick(kLimits)] = random_.below(4);
        break;
      default:
        schema[random_.pick(kSizes)] = random_.below(4);
    }
  }

  void add_members(Json& schema, std::size_t depth) {
    switch (random_.below(is_newest_ ? 7 : 5)) {
      case 0:
      case 1:
        schema["properties"][random_.pick(kNames)] = schema_of(depth);
        break;
      case 2:
        schema["patternProperties"][random_.chance(50) ? "^[ab]$" : "c|d"] = schema_of(depth);
        break;
      case 3:
        schema["additionalProperties"] = schema_of(depth);
        break;
      case 4:
        schema["propertyNames"] = {{"enum", {"a", "b", "c"}}};
        break;
      case 5:
        schema["unevaluatedProperties"] = random_.chance(60) ? Json(false) : schema_of(depth);
        break;
      default:
        if (random_.chance(50))
          schema["dependentRequired"][random_.pick(kNames)] = {"a"};
        else
          schema["dependentSchemas"][random_.pick(kNames)] = schema_of(depth);
    }
  }

  void add_items(Json& schema, std::size_t depth) {
    switch (random_.below(is_newest_ ? 6 : 4)) {
      case 0:
        schema["items"] = schema_of(depth);
        break;
      case 1:
        if (is_newest_)
          schema["prefixItems"] = schemas(depth);
        else
          schema["items"] = schemas(depth);
        break;
      case 2:
        schema["contains"] = schema_of(depth);
        break;
      case 3:
        if (!is_newest_)
          schema["additionalItems"] = schema_of(depth);
        else
          schema["prefixItems"] = schemas(depth);
        break;
      case 4:
        schema["contains"] = schema_of(depth);
        schema["minContains"] = random_.below(3);
        schema["maxContains"] = 1 + random_.below(2);
        break;
      default:
        schema["unevaluatedItems"] = random_.chance(60) ? Json(false) : schema_of(depth);
    }
  }

  void add_applicator(Json& schema, std::size_t depth) {
    static constexpr const char* kReferences[] = {"#/$defs/x", "#/$defs/y", "#named"};
    switch (random_.below(6)) {
      case 0:
        schema["allOf"] = schemas(depth);
        break;
      case 1:
        schema["anyOf"] = schemas(depth);
        break;
      case 2:
        schema["oneOf"] = schemas(depth);
        break;
      case 3:
        schema["not"] = schema_of(depth);
        break;
      case 4:
        schema["if"] = schema_of(depth);
        schema["then"] = schema_of(depth);
        schema["else"] = schema_of(depth);
        break;
      default:
        // ajv reads what stands beside a $ref in draft-07, too.
        if (is_newest_ && has_definitions_) schema["$ref"] = random_.pick(kReferences);
    }
  }

  Json schemas(std::size_t depth) {
    Json array = Json::array();
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 0; i < count; ++i) array.push_back(schema_of(depth));
    return array;
  }

  Random& random_;
  const bool is_newest_;
  bool has_definitions_ = true;  // not inside of those, where references could lead in a circle
};

Json write_value(Random& random, std::size_t depth) {
  static const Json kPlain[] = {nullptr, true, false, 0,    1,    2,     3,      -1,  1.0,  1.5,
                                2.25,    "",   "a",   "ab", "b1", "x y", "aaaa", "é", "😀a", "a\n"};
  const std::size_t which = depth == 0 ? 0 : random.below(10);
  if (which < 3) return random.pick(kPlain);
  const std::size_t count = random.below(4);
  Json value = which < 6 ? Json::array() : Json::object();
  for (std::size_t i = 0; i < count; ++i) {
    if (value.is_array())
      value.push_back(write_value(random, depth - 1));
    else
      value[random.pick(kNames)] = write_value(random, depth - 1);
  }
  return value;
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "ajvXXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

// What ajv says of each value, in order; or of the schema itself, where there are no values.
Json ask_ajv(const char* program, const Json& cases) {
  const ScratchFolder folder;
  std::ofstream(folder / "cases.json") << cases;
  const std::string command = std::string("node '") + program + "' '" +
                              (folder / "cases.json").string() + "' > '" +
                              (folder / "verdicts.json").string() + "'";
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream file(folder / "verdicts.json");
  return Json::parse(file, nullptr, false);
}

// Where ajv 8 does not do what the specification says:
bool is_known_of_ajv(const Json& schema, const Json& value) {
  const std::string text = schema.dump();
  const auto says = [&text](const char* word) { return text.find(word) != std::string::npos; };
  // An empty array contains something, if another loop over items stands in front.
  if (says("\"contains\"") && value.dump().find("[]") != std::string::npos) return true;
  // All items count as evaluated by `contains`, not those that it accepts.
  if (says("\"contains\"") && says("\"unevaluatedItems\"")) return true;
  // What a failing `if` has evaluated counts.
  return says("\"if\"") && says("\"unevaluated");
}

void compare(bool is_newest) {
  const char* program = std::getenv("ASSAY_AJV");
  if (program == nullptr) GTEST_SKIP() << "ASSAY_AJV names no program that asks ajv";
  Random random(is_newest ? 2020 : 7);
  Json cases = Json::array();
  for (std::size_t i = 0; i < kSchemas; ++i) {
    Json one = {{"schema", SchemaWriter(random, is_newest).write()}, {"values", Json::array()}};
    for (std::size_t j = 0; j < kValuesOfEach; ++j) one["values"].push_back(write_value(random, 3));
    cases.push_back(std::move(one));
  }
  const Json verdicts = ask_ajv(program, cases);
  ASSERT_EQ(verdicts.size(), cases.size());
  std::size_t compared = 0;
  std::size_t valid = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json& schema = cases[i]["schema"];
    ASSERT_EQ(check_schema(schema).outcome, SchemaOutcome::kValid) << schema;
    ASSERT_EQ(verdicts[i].size(), kValuesOfEach) << schema;
    for (std::size_t j = 0; j < kValuesOfEach; ++j) {
      const Json& value = cases[i]["values"][j];
      if (verdicts[i][j].is_null() || is_known_of_ajv(schema, value)) continue;
      const SchemaOutcome outcome = check_against_schema(schema, value).outcome;
      const bool is_valid = verdicts[i][j].get<bool>();
      EXPECT_EQ(outcome, is_valid ? SchemaOutcome::kValid : SchemaOutcome::kInvalid)
          << schema << "\n"
          << value;
      ++compared;
      if (is_valid) ++valid;
    }
  }
  std::printf("%zu values compared, %zu of them valid\n", compared, valid);
}

// Puts something else in some place.
Json spoiled(Json schema, Random& random) {
  static const Json kOthers[] = {nullptr,
                                 true,
                                 -1,
                                 0,
                                 1.5,
                                 "a",
                                 "#b",
                                 Json::array(),
                                 Json::object(),
                                 "string",
                                 Json::array({"a", "a"}),
                                 Json::array({true, 1}),
                                 Json({{"a", 1}}),
                                 Json({{"a", {"b"}}})};
  Json* at = &schema;
  while (at->is_structured() && !at->empty() && (at == &schema || random.chance(70))) {
    at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(random.below(at->size())));
  }
  *at = random.pick(kOthers);
  return schema;
}

// Dangling references are no matter of the meta-schema.
bool is_refused(const Json& schema) {
  const Deviations deviations = check_schema(schema).deviations;
  return std::ranges::any_of(
      deviations, [](const Deviation& one) { return one.expected != "a reference to a schema"; });
}

void compare_schemas(bool is_newest) {
  const char* program = std::getenv("ASSAY_AJV");
  if (program == nullptr) GTEST_SKIP() << "ASSAY_AJV names no program that asks ajv";
  Random random(is_newest ? 20 : 70);
  Json cases = Json::array();
  while (cases.size() < 2 * kSchemas) {
    Json schema = spoiled(SchemaWriter(random, is_newest).write(), random);
    if (!schema.is_object()) continue;
    schema.erase("$schema");
    if (!is_newest) schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    cases.push_back({{"schema", std::move(schema)}});
  }
  const Json verdicts = ask_ajv(program, cases);
  ASSERT_EQ(verdicts.size(), cases.size());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json& schema = cases[i]["schema"];
    // ajv's meta-schema of draft-07 is an older one, which has more to say of `enum`.
    if (!is_newest && schema.dump().find("\"enum\"") != std::string::npos) continue;
    EXPECT_EQ(is_refused(schema), !verdicts[i].get<bool>()) << schema;
    if (is_refused(schema)) ++refused;
  }
  std::printf("%zu schemas compared, %zu of them refused\n", cases.size(), refused);
}

TEST(SchemaBesideAjv, Agrees2020_12) {
  compare(true);
}

TEST(SchemaBesideAjv, AgreesDraft07) {
  compare(false);
}

TEST(SchemaBesideAjv, AgreesOnSchemasOf2020_12) {
  compare_schemas(true);
}

TEST(SchemaBesideAjv, AgreesOnSchemasOfDraft07) {
  compare_schemas(false);
}

}  // namespace
}  // namespace assay::model
