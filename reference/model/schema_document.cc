#include "reference/model/schema_document.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reference/model/schema_check.h"
#include "reference/model/schema_shapes.h"
#include "reference/model/uri_reference.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

// A name that is longer finds nothing; so many schemas may have long ones at once.
constexpr std::size_t kLongestUri = 2048;

const std::string* text_of(const Json& schema, const char* name) {
  const auto found = schema.find(name);
  if (found == schema.end() || !found->is_string()) return nullptr;
  return &found->get_ref<const std::string&>();
}

std::optional<SchemaDialect> dialect_named(std::string_view uri) {
  struct Named {
    std::string_view part;
    SchemaDialect dialect;
  };
  static constexpr Named kDialects[] = {
      {"json-schema.org/draft/2020-12/schema", SchemaDialect::k2020_12},
      {"json-schema.org/draft/2019-09/schema", SchemaDialect::k2019_09},
      {"json-schema.org/draft-07/schema", SchemaDialect::kDraft07},
      {"json-schema.org/draft-06/schema", SchemaDialect::kDraft06},
  };
  for (const Named& one : kDialects) {
    if (uri.find(one.part) != std::string_view::npos) return one.dialect;
  }
  return std::nullopt;
}

// Calls visit(schema, path) for each schema that a keyword's value directly holds.
template <typename Visit>
void visit_schemas(Shape shape, const Json& value, const Path& path, const Visit& visit) {
  const bool is_list = shape == Shape::kSchemas || (shape == Shape::kItems && value.is_array());
  if (is_list) {
    std::size_t index = 0;
    for (const Json& one : value) visit(one, Path{&path, {}, index++});
  } else if (shape == Shape::kSchema || shape == Shape::kItems) {
    visit(value, path);
  } else if (shape == Shape::kSchemaMap || shape == Shape::kDependencies) {
    for (const auto& [name, one] : value.get_ref<const Json::object_t&>()) {
      if (shape == Shape::kDependencies && one.is_array()) continue;
      visit(one, Path{&path, name});
    }
  }
}

bool holds_schemas(Shape shape) {
  return shape == Shape::kSchema || shape == Shape::kSchemas || shape == Shape::kSchemaMap ||
         shape == Shape::kItems || shape == Shape::kDependencies;
}

bool is_unevaluated(const SchemaPart& part) {
  return part.keyword->duty == SchemaDuty::kUnevaluatedItems ||
         part.keyword->duty == SchemaDuty::kUnevaluatedProperties;
}

bool is_reference(const SchemaPart& part) {
  return part.keyword->duty == SchemaDuty::kRef || part.keyword->duty == SchemaDuty::kDynamicRef ||
         part.keyword->duty == SchemaDuty::kRecursiveRef;
}

// A token of a JSON pointer: "~1" is '/', "~0" is '~'.
std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    text += !is_escape ? token[i] : token[++i] == '0' ? '~' : '/';
  }
  return text;
}

}  // namespace

SchemaDocument::SchemaDocument(const Json& root) : root_(root) {
  index(root, Path{}, 0, kNoResource);
  if (!obstacle_.empty()) return;
  if (node(root) == nullptr) return;  // no schema at all, which is a deviation
  link(root, Path{});
  link_odd_targets();
}

const SchemaNode* SchemaDocument::node(const Json& schema) const {
  const auto found = nodes_.find(&schema);
  return found == nodes_.end() ? nullptr : &found->second;
}

void SchemaDocument::index(const Json& schema, const Path& path, std::size_t depth,
                           std::size_t resource) {
  if (!obstacle_.empty() || nodes_.contains(&schema)) return;
  if (nodes_.size() >= kMostSchemaNodes || depth > kDeepestSchema) {
    obstacle_ = "it is larger or deeper than what is evaluated";
    return;
  }
  if (!schema.is_object() && !schema.is_boolean()) {
    return add_deviation(deviations_, path, "a schema (an object or a boolean)",
                         found_type(schema));
  }
  const std::size_t own = resource_of(schema, resource);
  const SchemaDialect dialect = resources_[own].dialect;
  SchemaNode& node = nodes_.emplace(&schema, SchemaNode{&schema, dialect, own}).first->second;
  node.is_of_known_dialect = resources_[own].is_of_known_dialect;
  if (!node.is_of_known_dialect) {
    if (resource == kNoResource) obstacle_ = "its $schema names a dialect that is not known here";
    return;
  }
  if (schema.is_object()) index_parts(node, path, depth);
}

void SchemaDocument::index_parts(SchemaNode& node, const Path& path, std::size_t depth) {
  name_anchors(*node.schema, resources_[node.resource]);
  for (const auto& [name, value] : node.schema->get_ref<const Json::object_t&>()) {
    const Keyword* keyword = find_keyword(name, node.dialect);
    if (keyword == nullptr) continue;  // any other member is an annotation
    const Path here{&path, name};
    if (!check_shape(*keyword, node.dialect, value, here, deviations_)) continue;
    visit_schemas(keyword->shape, value, here, [&](const Json& inner, const Path& at) {
      index(inner, at, depth + 1, node.resource);
    });
    if (keyword->duty != SchemaDuty::kNothing || holds_schemas(keyword->shape)) {
      node.parts.push_back({keyword, &value});
    }
  }
  std::stable_partition(node.parts.begin(), node.parts.end(),
                        [](const SchemaPart& part) { return !is_unevaluated(part); });
  node.has_unevaluated = !node.parts.empty() && is_unevaluated(node.parts.back());
  node.has_lone_reference = has_lone_references(node.dialect) && text_of(*node.schema, "$ref");
}

// The resource that a schema belongs to; a new one if it has a name of its own.
std::size_t SchemaDocument::resource_of(const Json& schema, std::size_t parent) {
  const bool is_root = parent == kNoResource;
  const std::string* id = schema.is_object() ? text_of(schema, "$id") : nullptr;
  const SchemaDialect inherited = is_root ? SchemaDialect::k2020_12 : resources_[parent].dialect;
  if (is_root) {
    const std::size_t own = add_resource(schema, "", inherited);
    if (id == nullptr) return own;
    parent = own;
  }
  if (id == nullptr ||
      (has_lone_references(resources_[parent].dialect) && schema.contains("$ref"))) {
    return parent;
  }
  const auto [name, fragment] = split_fragment(*id);
  if (name.empty() || name.size() > kLongestUri) return parent;
  std::string uri = resolve_reference(resources_[parent].uri, name);
  if (!is_root) return add_resource(schema, std::move(uri), inherited);
  resources_by_uri_.emplace(uri, parent);
  resources_[parent].uri = std::move(uri);
  return parent;
}

std::size_t SchemaDocument::add_resource(const Json& root, std::string uri,
                                         SchemaDialect inherited) {
  const std::size_t own = resources_.size();
  const std::string* named = root.is_object() ? text_of(root, "$schema") : nullptr;
  const auto dialect = named == nullptr ? std::optional(inherited) : dialect_named(*named);
  if (uri.size() <= kLongestUri) {
    const auto [found, is_new] = resources_by_uri_.emplace(uri, own);
    if (!is_new) found->second = kNoResource;
  }
  resources_.push_back({uri.size() <= kLongestUri ? std::move(uri) : "",
                        dialect.value_or(inherited), dialect.has_value(), &root});
  return own;
}

void SchemaDocument::name_anchors(const Json& schema, SchemaResource& resource) {
  const auto add = [&schema](auto& names, std::string_view name) {
    const auto [found, is_new] = names.emplace(name, &schema);
    if (!is_new && found->second != &schema) found->second = nullptr;
  };
  if (has_lone_references(resource.dialect)) {
    const std::string* id = text_of(schema, "$id");
    if (id == nullptr || schema.contains("$ref")) return;
    const std::string_view fragment = split_fragment(*id).second;
    if (!fragment.empty()) add(resource.anchors, fragment);
    return;
  }
  if (const std::string* name = text_of(schema, "$anchor")) add(resource.anchors, *name);
  if (resource.dialect == SchemaDialect::k2019_09) {
    const auto recursive = schema.find("$recursiveAnchor");
    if (&schema == resource.root && recursive != schema.end() && *recursive == true) {
      resource.has_recursive_anchor = true;
    }
  } else if (const std::string* dynamic = text_of(schema, "$dynamicAnchor")) {
    add(resource.anchors, *dynamic);
    add(resource.dynamic_anchors, *dynamic);
  }
}

void SchemaDocument::link(const Json& schema, const Path& path) {
  const auto found = nodes_.find(&schema);
  if (found == nodes_.end()) return;
  SchemaNode& node = found->second;
  for (SchemaPart& part : node.parts) {
    const Path here{&path, part.keyword->name};
    if (is_reference(part)) link_reference(part, node, here);
    visit_schemas(part.keyword->shape, *part.value, here,
                  [this](const Json& inner, const Path& at) { link(inner, at); });
  }
}

void SchemaDocument::link_reference(SchemaPart& part, const SchemaNode& node, const Path& path) {
  const Target target = find(node.resource, part.value->get_ref<const std::string&>());
  if (target.kind == Target::Kind::kNothing) {
    return add_deviation(deviations_, path, "a reference to a schema", found_value(*part.value));
  }
  if (target.kind != Target::Kind::kSchema) return;
  part.target = this->node(*target.schema);
  if (part.keyword->duty == SchemaDuty::kDynamicRef) part.dynamic_name = target.dynamic_name;
  if (part.target == nullptr) odd_targets_.push_back({target.schema, node.resource, &part});
}

// What is wrong inside of them is no fault of the schema, of which they are no part; they are then
// left alone.
void SchemaDocument::link_odd_targets() {
  for (std::size_t i = 0; i < odd_targets_.size() && obstacle_.empty(); ++i) {
    const OddTarget odd = odd_targets_[i];
    const std::size_t before = deviations_.size();
    index(*odd.target, Path{}, 0, odd.resource);
    if (deviations_.size() == before) link(*odd.target, Path{});
    if (deviations_.size() == before) odd.part->target = node(*odd.target);
    deviations_.resize(before);
  }
}

SchemaDocument::Target SchemaDocument::find(std::size_t from, std::string_view reference) const {
  const auto [name, fragment] = split_fragment(reference);
  if (name.empty()) return find_in(resources_[from], fragment);
  if (name.size() > kLongestUri) return {Target::Kind::kElsewhere};
  const auto found = resources_by_uri_.find(resolve_reference(resources_[from].uri, name));
  if (found == resources_by_uri_.end()) return {Target::Kind::kElsewhere};
  if (found->second == kNoResource) return {Target::Kind::kUnsure};
  return find_in(resources_[found->second], fragment);
}

SchemaDocument::Target SchemaDocument::find_in(const SchemaResource& resource,
                                               std::string_view fragment) const {
  const std::string text = percent_decoded(fragment);
  if (!resource.is_of_known_dialect) return {Target::Kind::kUnsure};
  if (!text.empty() && text.front() != '/') {
    const auto found = resource.anchors.find(text);
    if (found == resource.anchors.end()) return {Target::Kind::kNothing};
    if (found->second == nullptr) return {Target::Kind::kUnsure};
    const auto dynamic = resource.dynamic_anchors.find(text);
    if (dynamic == resource.dynamic_anchors.end() || dynamic->second != found->second) {
      return {Target::Kind::kSchema, found->second};
    }
    return {Target::Kind::kSchema, found->second, dynamic->first};
  }
  const Json* target = follow_pointer(*resource.root, text);
  if (target == nullptr || !(target->is_object() || target->is_boolean())) {
    return {Target::Kind::kNothing};
  }
  return {Target::Kind::kSchema, target};
}

const Json* follow_pointer(const Json& root, std::string_view pointer) {
  const Json* at = &root;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    const std::size_t end = pointer.find('/', 1);
    const std::string token =
        unescaped(pointer.substr(1, end == std::string_view::npos ? end : end - 1));
    pointer.remove_prefix(end == std::string_view::npos ? pointer.size() : end);
    if (at->is_object()) {
      const auto found = at->find(token);
      if (found == at->end()) return nullptr;
      at = &*found;
    } else if (at->is_array()) {
      const bool is_index = !token.empty() && token.size() < 8 &&
                            token.find_first_not_of("0123456789") == std::string::npos;
      if (!is_index || std::stoul(token) >= at->size()) return nullptr;
      at = &(*at)[std::stoul(token)];
    } else {
      return nullptr;
    }
  }
  return at;
}

}  // namespace assay::model
