// The keywords that apply schemas to the value itself.
#include <fmt/format.h>

#include <algorithm>

#include "reference/model/formats.h"
#include "reference/model/schema_evaluator.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

const Json* sibling(const SchemaNode& node, const char* name) {
  const auto found = node.schema->find(name);
  return found == node.schema->end() ? nullptr : &*found;
}

}  // namespace

Truth SchemaEvaluator::follow(const Place& place, const SchemaPart& part) {
  const SchemaNode* target = dynamic_target(part);
  if (target != nullptr) return apply(*target, place.value, place.path, place.evaluated);
  return unclear_schema(fmt::format("the schema refers to what is not in it: {}",
                                    excerpt(part.value->get_ref<const std::string&>())),
                        place.value, place.evaluated);
}

// Where a reference leads from here: two kinds ask who led here.
const SchemaNode* SchemaEvaluator::dynamic_target(const SchemaPart& part) const {
  const auto& resources = document_.resources();
  if (part.keyword->duty == SchemaDuty::kRecursiveRef && part.target != nullptr) {
    if (!resources[part.target->resource].has_recursive_anchor) return part.target;
    for (const std::size_t one : scope_) {
      if (resources[one].has_recursive_anchor) return document_.node(*resources[one].root);
    }
  }
  if (part.dynamic_name.empty()) return part.target;
  for (const std::size_t one : scope_) {
    const auto found = resources[one].dynamic_anchors.find(part.dynamic_name);
    if (found == resources[one].dynamic_anchors.end()) continue;
    return found->second == nullptr ? nullptr : document_.node(*found->second);
  }
  return part.target;
}

Truth SchemaEvaluator::all_of(const Place& place, const Json& schemas) {
  Truth result = Truth::kYes;
  for (const Json& one : schemas) {
    result = std::min(result, apply(one, place.value, place.path, place.evaluated));
  }
  return result;
}

Truth SchemaEvaluator::any_of(const Place& place, const Json& schemas) {
  if (schemas.size() == 1) return all_of(place, schemas);
  Truth result = Truth::kNo;
  for (const Json& one : schemas) {
    result = std::max(result, try_out(one, place.value, place.path, place.evaluated));
    if (result == Truth::kYes && place.evaluated == nullptr) return result;
  }
  return tell(result, place.path, "one of the alternatives of \"anyOf\"", place.value);
}

Truth SchemaEvaluator::one_of(const Place& place, const Json& schemas) {
  if (schemas.size() == 1) return all_of(place, schemas);
  std::size_t certain = 0;
  std::size_t possible = 0;
  for (const Json& one : schemas) {
    const Truth result = try_out(one, place.value, place.path, place.evaluated);
    if (result == Truth::kYes) ++certain;
    if (result != Truth::kNo) ++possible;
  }
  if (certain > 1 || possible == 0) {
    return tell(Truth::kNo, place.path,
                certain > 1 ? "only one of the alternatives of \"oneOf\""
                            : "one of the alternatives of \"oneOf\"",
                place.value);
  }
  return certain == 1 && possible == 1 ? Truth::kYes : Truth::kMaybe;
}

Truth SchemaEvaluator::not_it(const Place& place, const Json& schema) {
  return tell(negated(try_out(schema, place.value, place.path, nullptr)), place.path,
              "what the schema in \"not\" refuses", place.value);
}

Truth SchemaEvaluator::if_then(const Place& place, const Json& condition) {
  const Truth holds = try_out(condition, place.value, place.path, place.evaluated);
  const Json* then = sibling(place.node, "then");
  const Json* otherwise = sibling(place.node, "else");
  if (holds != Truth::kMaybe) {
    const Json* chosen = holds == Truth::kYes ? then : otherwise;
    if (chosen == nullptr) return Truth::kYes;
    return apply(*chosen, place.value, place.path, place.evaluated);
  }
  Truth result = Truth::kYes;
  for (const Json* one : {then, otherwise}) {
    if (one == nullptr) continue;
    result = std::min(result, apply_perhaps(*one, place.value, place.path, place.evaluated));
  }
  return result;
}

Truth SchemaEvaluator::dependencies(const Place& place, const SchemaPart& part) {
  if (!place.value.is_object()) return Truth::kYes;
  // From 2019-09 on `dependencies` is no keyword any more, though many still know it.
  const bool is_old_word =
      part.keyword->duty == SchemaDuty::kDependencies && !has_lone_references(place.node.dialect);
  Truth result = Truth::kYes;
  for (const auto& [name, needed] : part.value->get_ref<const Json::object_t&>()) {
    if (!steps_.spend(1)) return too_long();
    if (!place.value.contains(name)) continue;
    if (is_old_word) {
      result = std::min(result, perhaps_needed_beside(place, name, needed));
    } else if (needed.is_array()) {
      result = std::min(result, needed_beside(place, name, needed));
    } else {
      result = std::min(result, apply(needed, place.value, place.path, place.evaluated));
    }
  }
  return result;
}

Truth SchemaEvaluator::perhaps_needed_beside(const Place& place, const std::string& name,
                                             const Json& needed) {
  Truth result = Truth::kYes;
  if (needed.is_array()) {
    ++quiet_;
    result = needed_beside(place, name, needed);
    --quiet_;
  } else {
    result = apply_perhaps(needed, place.value, place.path, place.evaluated);
  }
  if (result == Truth::kYes) return result;
  return unclear("the keyword \"dependencies\", which newer dialects do not have");
}

Truth SchemaEvaluator::needed_beside(const Place& place, const std::string& name,
                                     const Json& needed) {
  Truth result = Truth::kYes;
  for (const Json& other : needed) {
    if (!steps_.spend(1)) return too_long();
    const auto& key = other.get_ref<const std::string&>();
    if (place.value.contains(key)) continue;
    report(Path{&place.path, key}, "a property that must come with " + excerpt(name), "nothing");
    result = Truth::kNo;
  }
  return result;
}

}  // namespace assay::model
