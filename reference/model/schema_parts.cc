// The keywords that look at members and items.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/model/formats.h"
#include "reference/model/schema_evaluator.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

using Members = Json::object_t;

const Json* part_named(const SchemaNode& node, const char* name) {
  const auto found = node.schema->find(name);
  return found == node.schema->end() ? nullptr : &*found;
}

const Members& members_of(const Json& object) {
  return object.get_ref<const Members&>();
}

double count_named(const SchemaNode& node, const char* name, double otherwise) {
  const Json* count = part_named(node, name);
  return count == nullptr ? otherwise : count->get<double>();
}

}  // namespace

// One member or item; `applies` tells how certain it is that the schema is about it.
Truth SchemaEvaluator::apply_to_part(const Place& place, const Json& schema, const Json& part,
                                     const Path& path, std::size_t index, Truth applies) {
  if (!steps_.spend(1)) return too_long();
  if (applies == Truth::kNo) return Truth::kYes;
  if (place.evaluated != nullptr) place.evaluated->add(index, applies, place.value.size());
  return applies == Truth::kYes ? apply(schema, part, path, nullptr)
                                : apply_perhaps(schema, part, path, nullptr);
}

Truth SchemaEvaluator::required(const Place& place, const Json& names) {
  if (!place.value.is_object()) return Truth::kYes;
  Truth result = Truth::kYes;
  for (const Json& name : names) {
    if (!steps_.spend(1)) return too_long();
    const auto& key = name.get_ref<const std::string&>();
    if (place.value.contains(key)) continue;
    report(Path{&place.path, key}, "a property that the schema requires", "nothing");
    result = Truth::kNo;
  }
  return result;
}

Truth SchemaEvaluator::properties(const Place& place, const Json& schemas) {
  if (!place.value.is_object()) return Truth::kYes;
  Truth result = Truth::kYes;
  std::size_t index = 0;
  for (const auto& [name, member] : members_of(place.value)) {
    const auto schema = schemas.find(name);
    const bool is_named = schema != schemas.end();
    result = std::min(result, apply_to_part(place, is_named ? *schema : schemas, member,
                                            Path{&place.path, name}, index++, truth(is_named)));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

Truth SchemaEvaluator::pattern_properties(const Place& place, const Json& schemas) {
  if (!place.value.is_object()) return Truth::kYes;
  Truth result = Truth::kYes;
  std::size_t index = 0;
  for (const auto& [name, member] : members_of(place.value)) {
    for (const auto& [pattern, schema] : members_of(schemas)) {
      result = std::min(result, apply_to_part(place, schema, member, Path{&place.path, name}, index,
                                              matches(pattern, name)));
      if (steps_.is_over()) return std::min(result, too_long());
    }
    ++index;
  }
  return result;
}

Truth SchemaEvaluator::additional_properties(const Place& place, const Json& schema) {
  if (!place.value.is_object()) return Truth::kYes;
  const Json* named = part_named(place.node, "properties");
  const Json* patterns = part_named(place.node, "patternProperties");
  Truth result = Truth::kYes;
  std::size_t index = 0;
  for (const auto& [name, member] : members_of(place.value)) {
    Truth is_covered = truth(named != nullptr && named->contains(name));
    if (patterns != nullptr && is_covered == Truth::kNo) {
      for (const auto& [pattern, unused] : members_of(*patterns)) {
        is_covered = std::max(is_covered, matches(pattern, name));
        if (steps_.is_over()) return std::min(result, too_long());
      }
    }
    result = std::min(result, apply_to_part(place, schema, member, Path{&place.path, name}, index++,
                                            negated(is_covered)));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

Truth SchemaEvaluator::property_names(const Place& place, const Json& schema) {
  if (!place.value.is_object()) return Truth::kYes;
  Truth result = Truth::kYes;
  for (const auto& [name, member] : members_of(place.value)) {
    if (!steps_.spend(1 + name.size() / 64)) {
      return too_long();
    }
    const Truth one = try_out(schema, Json(name), place.path, nullptr);
    result = std::min(result, one);
    if (one != Truth::kNo) continue;
    report(Path{&place.path, name}, "a name that \"propertyNames\" allows", excerpt(name));
  }
  return result;
}

Truth SchemaEvaluator::unevaluated_properties(const Place& place, const Json& schema) {
  if (!place.value.is_object()) return Truth::kYes;
  Truth result = Truth::kYes;
  std::size_t index = 0;
  for (const auto& [name, member] : members_of(place.value)) {
    const Truth is_left = negated(place.evaluated->at(index));
    result = std::min(
        result, apply_to_part(place, schema, member, Path{&place.path, name}, index++, is_left));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

Truth SchemaEvaluator::prefix_items(const Place& place, const Json& schemas) {
  if (!place.value.is_array()) return Truth::kYes;
  Truth result = Truth::kYes;
  const std::size_t count = std::min(schemas.size(), place.value.size());
  for (std::size_t i = 0; i < count; ++i) {
    result = std::min(result, apply_to_part(place, schemas[i], place.value[i],
                                            Path{&place.path, {}, i}, i, Truth::kYes));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

// Until 2019-09 an array of schemas is what `prefixItems` is now, and `additionalItems` is about
// the rest.
Truth SchemaEvaluator::items(const Place& place, const Json& schema) {
  if (!place.value.is_array()) return Truth::kYes;
  if (!schema.is_array()) {
    const Json* first = place.node.dialect == SchemaDialect::k2020_12
                            ? part_named(place.node, "prefixItems")
                            : nullptr;
    return items_from(place, schema, first == nullptr ? 0 : first->size());
  }
  const Truth result = prefix_items(place, schema);
  const Json* others = part_named(place.node, "additionalItems");
  if (others == nullptr) return result;
  return std::min(result, items_from(place, *others, schema.size()));
}

Truth SchemaEvaluator::items_from(const Place& place, const Json& schema, std::size_t first) {
  Truth result = Truth::kYes;
  for (std::size_t i = first; i < place.value.size(); ++i) {
    result = std::min(result, apply_to_part(place, schema, place.value[i], Path{&place.path, {}, i},
                                            i, Truth::kYes));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

Truth SchemaEvaluator::contains(const Place& place, const Json& schema) {
  if (!place.value.is_array()) return Truth::kYes;
  const bool is_counted = !has_lone_references(place.node.dialect);
  const double least = is_counted ? count_named(place.node, "minContains", 1) : 1;
  const double all = static_cast<double>(place.value.size());
  const double most = is_counted ? count_named(place.node, "maxContains", all) : all;
  std::size_t certain = 0;
  std::size_t possible = 0;
  for (std::size_t i = 0; i < place.value.size(); ++i) {
    const Truth one = try_out(schema, place.value[i], place.path, nullptr);
    if (one == Truth::kYes) ++certain;
    if (one != Truth::kNo) ++possible;
    if (place.evaluated != nullptr && place.node.dialect == SchemaDialect::k2020_12) {
      place.evaluated->add(i, one, place.value.size());
    }
    if (steps_.is_over()) return too_long();
  }
  if (static_cast<double>(possible) < least || static_cast<double>(certain) > most) {
    return tell(Truth::kNo, place.path,
                static_cast<double>(possible) < least
                    ? "more items that the schema in \"contains\" accepts"
                    : "fewer items that the schema in \"contains\" accepts",
                place.value);
  }
  const bool is_certain =
      static_cast<double>(certain) >= least && static_cast<double>(possible) <= most;
  return is_certain ? Truth::kYes : Truth::kMaybe;
}

Truth SchemaEvaluator::unevaluated_items(const Place& place, const Json& schema) {
  if (!place.value.is_array()) return Truth::kYes;
  Truth result = Truth::kYes;
  for (std::size_t i = 0; i < place.value.size(); ++i) {
    result = std::min(result, apply_to_part(place, schema, place.value[i], Path{&place.path, {}, i},
                                            i, negated(place.evaluated->at(i))));
    if (steps_.is_over()) return std::min(result, too_long());
  }
  return result;
}

Truth SchemaEvaluator::matches(const std::string& pattern, std::string_view text) {
  if (!steps_.spend(1)) return too_long();
  const auto [found, is_new] = patterns_.try_emplace(&pattern, pattern);
  if (!found->second.defect().empty()) return unclear(found->second.defect());
  switch (found->second.search(text, pattern_steps_)) {
    case PatternMatch::kNo:
      return Truth::kNo;
    case PatternMatch::kYes:
      return Truth::kYes;
    case PatternMatch::kUnknown:
      break;
  }
  return unclear(
      "matching a pattern on this text could take too long, or asks for what is known "
      "of ASCII only");
}

}  // namespace assay::model
