#include "reference/model/schema_evaluator.h"

#include <algorithm>
#include <utility>

#include "reference/model/schema_check.h"
#include "reference/model/schema_shapes.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

// Schemas applied inside of each other. A circle of references would go on for ever.
constexpr std::size_t kDeepestEvaluation = 400;

}  // namespace

void EvaluatedParts::add(std::size_t index, Truth how, std::size_t size) {
  if (parts_.empty()) parts_.assign(size, Truth::kNo);
  parts_[index] = std::max(parts_[index], how);
}

void EvaluatedParts::add_each(Truth how, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) add(i, how, size);
}

void EvaluatedParts::add_all(const EvaluatedParts& others, Truth most) {
  for (std::size_t i = 0; i < others.parts_.size(); ++i) {
    add(i, std::min(others.parts_[i], most), others.parts_.size());
  }
}

SchemaEvaluator::SchemaEvaluator(const SchemaDocument& document)
    : document_(document), steps_(kMostSchemaSteps), pattern_steps_(kMostPatternSteps) {}

Truth SchemaEvaluator::evaluate(const Json& value) {
  return apply(document_.root(), value, Path{}, nullptr);
}

Truth SchemaEvaluator::apply(const Json& schema, const Json& value, const Path& path,
                             EvaluatedParts* evaluated) {
  const SchemaNode* node = document_.node(schema);
  if (node == nullptr) {
    return unclear_schema("a $ref leads to what may be no schema", value, evaluated);
  }
  return apply(*node, value, path, evaluated);
}

Truth SchemaEvaluator::apply(const SchemaNode& node, const Json& value, const Path& path,
                             EvaluatedParts* evaluated) {
  if (!steps_.spend(1)) return too_long();
  if (depth_ >= kDeepestEvaluation) {
    return unclear_schema(
        "schema and value are nested too deeply, or references lead round in a circle", value,
        evaluated);
  }
  if (!node.is_of_known_dialect) {
    return unclear_schema("a part of the schema names a dialect that is not known here", value,
                          evaluated);
  }
  if (node.schema->is_boolean()) {
    return tell(truth(node.schema->get<bool>()), path, "nothing, by the schema \"false\"", value);
  }
  ++depth_;
  const bool is_entered = scope_.empty() || scope_.back() != node.resource;
  if (is_entered) scope_.push_back(node.resource);
  const Truth result = apply_parts(node, value, path, evaluated);
  if (is_entered) scope_.pop_back();
  --depth_;
  return result;
}

// Only what a schema has evaluated that does not fail counts.
Truth SchemaEvaluator::apply_parts(const SchemaNode& node, const Json& value, const Path& path,
                                   EvaluatedParts* evaluated) {
  EvaluatedParts own;
  const bool is_asked = value.is_structured() && (evaluated != nullptr || node.has_unevaluated);
  if (is_asked && !steps_.spend(value.size() / 16)) {
    return too_long();
  }
  const Place place{node, value, path, is_asked ? &own : nullptr};
  Truth result = Truth::kYes;
  for (const SchemaPart& part : node.parts) {
    if (node.has_lone_reference && part.keyword->duty != SchemaDuty::kRef) continue;
    result = std::min(result, apply_keyword(place, part));
    if (result == Truth::kNo && quiet_ > 0) return result;
  }
  if (evaluated != nullptr && result != Truth::kNo) evaluated->add_all(own, result);
  return result;
}

Truth SchemaEvaluator::try_out(const Json& schema, const Json& value, const Path& path,
                               EvaluatedParts* evaluated) {
  ++quiet_;
  const Truth result = apply(schema, value, path, evaluated);
  --quiet_;
  return result;
}

Truth SchemaEvaluator::apply_perhaps(const Json& schema, const Json& value, const Path& path,
                                     EvaluatedParts* evaluated) {
  EvaluatedParts perhaps;
  const Truth result = try_out(schema, value, path, evaluated == nullptr ? nullptr : &perhaps);
  if (evaluated != nullptr) evaluated->add_all(perhaps, Truth::kMaybe);
  return std::max(result, Truth::kMaybe);
}

Truth SchemaEvaluator::apply_keyword(const Place& place, const SchemaPart& part) {
  if (!steps_.spend(1)) return too_long();
  const Json& value = *part.value;
  switch (part.keyword->duty) {
    case SchemaDuty::kNothing:
      return Truth::kYes;
    case SchemaDuty::kRef:
    case SchemaDuty::kDynamicRef:
    case SchemaDuty::kRecursiveRef:
      return follow(place, part);
    case SchemaDuty::kAllOf:
      return all_of(place, value);
    case SchemaDuty::kAnyOf:
      return any_of(place, value);
    case SchemaDuty::kOneOf:
      return one_of(place, value);
    case SchemaDuty::kNot:
      return not_it(place, value);
    case SchemaDuty::kIf:
      return if_then(place, value);
    case SchemaDuty::kPrefixItems:
      return prefix_items(place, value);
    case SchemaDuty::kItems:
      return items(place, value);
    case SchemaDuty::kContains:
      return contains(place, value);
    case SchemaDuty::kUnevaluatedItems:
      return unevaluated_items(place, value);
    case SchemaDuty::kRequired:
      return required(place, value);
    case SchemaDuty::kProperties:
      return properties(place, value);
    case SchemaDuty::kPatternProperties:
      return pattern_properties(place, value);
    case SchemaDuty::kAdditionalProperties:
      return additional_properties(place, value);
    case SchemaDuty::kPropertyNames:
      return property_names(place, value);
    case SchemaDuty::kUnevaluatedProperties:
      return unevaluated_properties(place, value);
    case SchemaDuty::kDependencies:
    case SchemaDuty::kDependentRequired:
    case SchemaDuty::kDependentSchemas:
      return dependencies(place, part);
    case SchemaDuty::kType:
    case SchemaDuty::kConst:
    case SchemaDuty::kEnum:
    case SchemaDuty::kMinimum:
    case SchemaDuty::kMaximum:
    case SchemaDuty::kExclusiveMinimum:
    case SchemaDuty::kExclusiveMaximum:
    case SchemaDuty::kMultipleOf:
    case SchemaDuty::kMinLength:
    case SchemaDuty::kMaxLength:
    case SchemaDuty::kPattern:
    case SchemaDuty::kMinItems:
    case SchemaDuty::kMaxItems:
    case SchemaDuty::kUniqueItems:
    case SchemaDuty::kMinProperties:
    case SchemaDuty::kMaxProperties:
      return assert_it(place, part);
  }
  return Truth::kYes;
}

Truth SchemaEvaluator::unclear(std::string_view reason) {
  if (reason_.empty()) reason_ = reason;
  return Truth::kMaybe;
}

Truth SchemaEvaluator::unclear_schema(std::string_view reason, const Json& value,
                                      EvaluatedParts* evaluated) {
  if (evaluated != nullptr && value.is_structured() && steps_.spend(value.size())) {
    evaluated->add_each(Truth::kMaybe, value.size());
  }
  return unclear(reason);
}

Truth SchemaEvaluator::too_long() {
  return unclear("evaluating the schema on this value could take too long");
}

Truth SchemaEvaluator::tell(Truth truth, const Path& path, std::string_view expected,
                            const Json& value) {
  if (truth == Truth::kNo) report(path, std::string(expected), found_value(value));
  return truth;
}

void SchemaEvaluator::report(const Path& path, std::string expected, std::string found) {
  if (quiet_ == 0) add_deviation(deviations_, path, std::move(expected), std::move(found));
}

}  // namespace assay::model
