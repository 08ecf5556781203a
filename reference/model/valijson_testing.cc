#include "reference/model/valijson_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

// Without this valijson ends the process where it would throw.
#define VALIJSON_USE_EXCEPTIONS 1
// GCC warns about valijson's own code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace assay::model {
namespace {

// What valijson 1.0 reads wrongly is said in other words:
//  - "format" throws where the value is no string, and means little otherwise: removed;
//  - "propertyNames" behind a "$ref" is mistaken for the schema it stands in: the same is said with
//    "patternProperties", since our schemas use it with a "pattern" and nothing else.
void adapt(Json& schema) {
  if (schema.is_object()) {
    const auto format = schema.find("format");
    if (format != schema.end() && format->is_string()) schema.erase(format);
    const auto names = schema.find("propertyNames");
    if (names != schema.end() && names->contains("pattern")) {
      schema["patternProperties"] = {{names->at("pattern").get<std::string>(), Json::object()}};
      schema["additionalProperties"] = false;
      schema.erase("propertyNames");
    }
  }
  if (!schema.is_structured()) return;
  for (Json& part : schema) adapt(part);
}

// The value as valijson has to be shown it: to JSON Schema 1.0 is an integer, and equal to 1, but
// valijson goes by how the number is stored; and it reads what is beyond 64 bits as negative.
// Numbers beyond become the greatest or least that fit: no schema of ours sets a limit or a
// constant there.
Json as_judged(const Json& value) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63, the first that does not fit
  if (value.is_number_unsigned()) {
    return std::min(value.get<std::uint64_t>(), static_cast<std::uint64_t>(kGreatest));
  }
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number) || std::floor(number) != number) return value;
    if (number >= kBeyond) return kGreatest;
    return number < -kBeyond ? kLeast : static_cast<std::int64_t>(number);
  }
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json& part : copy) part = as_judged(part);
  return copy;
}

}  // namespace

struct JudgeSchema::Parsed {
  valijson::Schema schema;
};

JudgeSchema::JudgeSchema(Json document)
    : keyword_(document.contains("$defs") ? "$defs" : "definitions"),
      document_(std::move(document)) {
  adapt(document_);
}

JudgeSchema::~JudgeSchema() = default;

const Json& JudgeSchema::types() const {
  return document_.at(keyword_);
}

bool JudgeSchema::accepts(const std::string& type, const Json& value) {
  std::unique_ptr<Parsed>& parsed = parsed_[type];
  if (parsed == nullptr) {
    types().at(type);  // throws if it is not there
    const Json root = {{"$ref", "#/" + keyword_ + "/" + type}, {keyword_, types()}};
    parsed = std::make_unique<Parsed>();
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(root), parsed->schema);
  }
  const Json judged = as_judged(value);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(parsed->schema, valijson::adapters::NlohmannJsonAdapter(judged),
                            nullptr);
}

}  // namespace assay::model
