#include "reference/model/schema_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <utility>

// Without this valijson ends the process where it would throw.
#define VALIJSON_USE_EXCEPTIONS 1
#include <fmt/format.h>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "reference/model/formats.h"
#include "reference/model/schema_walk.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

// Beyond this an evaluation is not repeated to collect its errors, of which there may be as many.
constexpr std::size_t kMostStepsWithErrors = 20000;
// Integers beyond this are not exact in every implementation.
constexpr double kLargestExactInteger = 9007199254740991.0;

SchemaVerdict inconclusive(std::string reason) {
  return {SchemaOutcome::kInconclusive, {}, std::move(reason)};
}

// What a value holds that decides whether it can be judged.
struct ValueSurvey {
  bool is_too_deep = false;
  bool has_large_number = false;
  bool has_nul = false;
  bool has_non_ascii = false;
  std::size_t longest_text = 0;
};

void survey_text(const std::string& text, ValueSurvey& survey) {
  survey.longest_text = std::max(survey.longest_text, text.size());
  for (const char c : text) {
    if (c == '\0') survey.has_nul = true;
    if (static_cast<unsigned char>(c) >= 0x80) survey.has_non_ascii = true;
  }
}

void survey_value(const Json& value, std::size_t depth, ValueSurvey& survey) {
  if (depth > kDeepestInstance) {
    survey.is_too_deep = true;
    return;
  }
  if (value.is_string()) survey_text(value.get_ref<const std::string&>(), survey);
  if (value.is_number() && !(std::fabs(value.get<double>()) <= kLargestExactInteger)) {
    survey.has_large_number = true;
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) survey_text(name, survey);
  }
  if (!value.is_structured()) return;
  for (const Json& part : value) survey_value(part, depth + 1, survey);
}

// valijson takes 1.0 for no integer, which JSON Schema does not.
void make_integers(Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::floor(number) == number && std::fabs(number) <= kLargestExactInteger) {
      value = static_cast<std::int64_t>(number);
    }
  } else if (value.is_number_unsigned()) {
    value = static_cast<std::int64_t>(value.get<std::uint64_t>());
  }
  if (!value.is_structured()) return;
  for (Json& part : value) make_integers(part);
}

// Takes out what valijson would read and must not: names of schemas, and formats, which are
// annotations. `schema` stands where a schema stands.
void remove_annotations(Json& schema) {
  if (!schema.is_object()) return;
  for (const char* const name : {"id", "$id", "$schema", "format", "default", "examples"}) {
    schema.erase(name);
  }
  for (const char* const name :
       {"additionalProperties", "contains", "else", "if", "items", "not", "then"}) {
    if (schema.contains(name)) remove_annotations(schema[name]);
  }
  for (const char* const name :
       {"$defs", "allOf", "anyOf", "definitions", "oneOf", "patternProperties", "properties"}) {
    if (!schema.contains(name)) continue;
    for (Json& part : schema[name]) remove_annotations(part);
  }
}

// Why nothing certain can be said of this value, if so.
std::string obstacle(const Json& schema, const SchemaSurvey& survey, const ValueSurvey& value) {
  if (!survey.deviations.empty()) return "the schema is itself not a valid JSON Schema";
  if (!survey.cannot_be_read.empty()) return "the schema is not read: " + survey.cannot_be_read;
  if (!survey.cannot_evaluate.empty()) {
    return "the schema uses what is not evaluated here: " + survey.cannot_evaluate;
  }
  if (value.is_too_deep) return "the value is too deeply nested";
  ValueSurvey of_schema;
  survey_value(schema, 0, of_schema);
  if (value.has_large_number || of_schema.has_large_number) {
    return "a number is too large to be exact everywhere";
  }
  if (survey.has_length && value.has_nul) return "a text holds a NUL character";
  if (survey.has_pattern && value.has_non_ascii) {
    return "a pattern stands beside text that is not ASCII";
  }
  return "";
}

// The dearest pattern of a schema, on texts of this length.
std::size_t dearest_pattern(const Json& schema, std::size_t length) {
  std::size_t cost = 0;
  if (!schema.is_structured()) return cost;
  if (schema.is_object()) {
    const auto pattern = schema.find("pattern");
    if (pattern != schema.end() && pattern->is_string()) {
      cost = pattern_cost(pattern->get_ref<const std::string&>(), length);
    }
    const auto properties = schema.find("patternProperties");
    if (properties != schema.end() && properties->is_object()) {
      for (const auto& [name, part] : properties->items()) {
        cost = std::max(cost, pattern_cost(name, length));
      }
    }
  }
  for (const Json& part : schema) cost = std::max(cost, dearest_pattern(part, length));
  return cost;
}

// valijson's context is "<root>", "[name]", "[0]", ...
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string& step = context[i];
    if (step.size() < 2) continue;
    pointer += '/';
    for (const char c : step.substr(1, std::min(step.size() - 2, kLongestPointerKey))) {
      pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
  }
  return pointer;
}

std::string found_at(const Json& value, const std::string& pointer) {
  try {
    return found_type(value.at(Json::json_pointer(pointer)));
  } catch (const Json::exception&) {
    return found_type(value);
  }
}

Deviations collect(valijson::ValidationResults& results, const Json& value) {
  Deviations deviations;
  valijson::ValidationResults::Error error;
  while (results.popError(error) && deviations.size() < kMostDeviations) {
    // The same fault is told again on every level above it.
    const std::string pointer = pointer_of(error.context);
    const bool is_told = std::any_of(deviations.begin(), deviations.end(), [&](const auto& one) {
      return one.pointer.starts_with(pointer);
    });
    if (is_told) continue;
    deviations.push_back({pointer,
                          "what the schema asks for: " + excerpt(error.description),
                          found_at(value, pointer),
                          Rule::kShape,
                          Strength::kMust,
                          {}});
  }
  return deviations;
}

SchemaVerdict evaluate(const Json& schema, const Json& value, std::size_t steps) {
  valijson::Schema parsed;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), parsed);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  const valijson::adapters::NlohmannJsonAdapter target(value);
  if (validator.validate(parsed, target, nullptr)) return {};
  SchemaVerdict verdict{SchemaOutcome::kInvalid, {}, ""};
  if (steps <= kMostStepsWithErrors) {
    valijson::ValidationResults results;
    validator.validate(parsed, target, &results);
    verdict.deviations = collect(results, value);
  }
  if (verdict.deviations.empty()) {
    verdict.deviations.push_back(
        {"", "what the schema asks for", found_type(value), Rule::kShape, Strength::kMust, {}});
  }
  return verdict;
}

}  // namespace

SchemaVerdict check_schema(const Json& schema) {
  SchemaSurvey survey = survey_schema(schema);
  if (!survey.deviations.empty()) {
    return {SchemaOutcome::kInvalid, std::move(survey.deviations), ""};
  }
  if (!survey.cannot_be_read.empty()) return inconclusive(survey.cannot_be_read);
  return {};
}

SchemaVerdict check_against_schema(const Json& schema, const Json& value) {
  const SchemaSurvey survey = survey_schema(schema);
  ValueSurvey facts;
  survey_value(value, 0, facts);
  std::string reason = obstacle(schema, survey, facts);
  if (!reason.empty()) return inconclusive(std::move(reason));
  const std::size_t steps = count_steps(schema, value, kMostSchemaSteps);
  if (steps > kMostSchemaSteps) {
    return inconclusive("evaluating the schema on this value could take too long");
  }
  if (survey.has_pattern && dearest_pattern(schema, facts.longest_text) >
                                kMostPatternSteps / std::max<std::size_t>(1, steps)) {
    return inconclusive("matching a pattern on a text of this length could take too long");
  }
  Json plain_schema = schema;
  remove_annotations(plain_schema);
  make_integers(plain_schema);
  Json plain_value = value;
  make_integers(plain_value);
  try {
    return evaluate(plain_schema, plain_value, steps);
  } catch (const std::exception& error) {
    return inconclusive("the evaluator gave up: " + excerpt(error.what()));
  }
}

}  // namespace assay::model
