#include "reference/model/schema_check.h"

#include <utility>

#include "reference/model/schema_document.h"
#include "reference/model/schema_evaluator.h"

namespace assay::model {
namespace {

SchemaVerdict inconclusive(std::string reason) {
  return {SchemaOutcome::kInconclusive, {}, std::move(reason)};
}

}  // namespace

SchemaVerdict check_schema(const Json& schema) {
  const SchemaDocument document(schema);
  if (!document.deviations().empty()) {
    return {SchemaOutcome::kInvalid, document.deviations(), ""};
  }
  if (!document.obstacle().empty()) return inconclusive(document.obstacle());
  return {};
}

SchemaVerdict check_against_schema(const Json& schema, const Json& value) {
  const SchemaDocument document(schema);
  if (!document.deviations().empty()) {
    return inconclusive("the schema is itself not a valid JSON Schema");
  }
  if (!document.obstacle().empty()) {
    return inconclusive("the schema is not read: " + document.obstacle());
  }
  SchemaEvaluator evaluator(document);
  switch (evaluator.evaluate(value)) {
    case Truth::kYes:
      return {};
    case Truth::kNo:
      return {SchemaOutcome::kInvalid, std::move(evaluator.deviations()), ""};
    case Truth::kMaybe:
      break;
  }
  return inconclusive(evaluator.reason());
}

}  // namespace assay::model
