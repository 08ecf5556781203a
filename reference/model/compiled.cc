#include "reference/model/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>

#include "reference/model/formats.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

bool is_sent_by(Sender sender, Direction direction) {
  switch (sender) {
    case Sender::kClient:
      return direction == Direction::kClientToServer;
    case Sender::kServer:
      return direction == Direction::kServerToClient;
    case Sender::kEither:
      return true;
  }
  return false;
}

// The alternatives of a union that live in `revision`.
std::vector<const Type*> living(const Type& type, Revision revision) {
  std::vector<const Type*> alternatives;
  for (const Type& part : type.parts) {
    if (part.revisions.contains(revision)) alternatives.push_back(&part);
  }
  return alternatives;
}

// A union of which only one alternative lives is that alternative.
const Type& without_single_unions(const Type& type, Revision revision) {
  const Type* current = &type;
  while (current->kind == Kind::kUnion) {
    const std::vector<const Type*> alternatives = living(*current, revision);
    if (alternatives.size() != 1) break;
    current = alternatives.front();
  }
  return *current;
}

[[noreturn]] void broken(std::string what) {
  throw std::logic_error("model tables: " + std::move(what));
}

}  // namespace

Compiled::Compiled(Protocol protocol)
    : revision_(protocol.revision), extensions_(members_of(protocol.extensions)) {
  for (const Type& type : all_types()) {
    if (type.revisions.contains(revision_)) define(type.name);
  }
  for (const Extension* extension : extensions_) {
    for (const Type& type : extension->types) define(type.name);
  }
  compile_methods();
  for (Node& node : nodes_) {
    if (node.kind == Kind::kUnion) flatten(node);
  }
  for (Node& node : nodes_) {
    if (node.kind == Kind::kUnion && node.selector.empty()) choose_selector(node);
  }
  note_advice();
  for (Node& node : nodes_) node.expected = words_for(*this, node);
}

const Compiled& Compiled::of(Protocol protocol) {
  static const std::vector<Compiled> kPlain = [] {
    std::vector<Compiled> all;
    for (const Revision one : Revision::all()) all.emplace_back(one);
    return all;
  }();
  if (protocol.extensions.is_empty()) {
    return kPlain.at(static_cast<std::size_t>(protocol.revision.value()));
  }
  static std::mutex mutex;  // guards extended
  static std::map<Protocol, Compiled> extended;
  const std::lock_guard lock(mutex);
  return extended.try_emplace(protocol, protocol).first->second;
}

NodeIndex Compiled::find(std::string_view type) const {
  const auto found = definitions_.find(type);
  return found == definitions_.end() ? kNoNode : found->second;
}

NodeIndex Compiled::require(std::string_view type) const {
  const NodeIndex index = find(type);
  if (index == kNoNode) {
    throw std::out_of_range(fmt::format("{} knows no type '{}'", revision_.text(), type));
  }
  return index;
}

const CompiledMethod* Compiled::find_method(Direction direction, std::string_view method) const {
  const auto& all = methods(direction);
  const auto found = all.find(method);
  return found == all.end() ? nullptr : &found->second;
}

NodeIndex Compiled::error_response(std::optional<std::int64_t> code) const {
  const auto found = code ? error_responses_.find(*code) : error_responses_.end();
  return found == error_responses_.end() ? find("JSONRPCErrorResponse") : found->second;
}

const Type* Compiled::definition(std::string_view name) const {
  for (const Type& type : all_types()) {
    if (type.name == name && type.revisions.contains(revision_)) return &type;
  }
  for (const Extension* extension : extensions_) {
    for (const Type& type : extension->types) {
      if (type.name == name) return &type;
    }
  }
  return nullptr;
}

NodeIndex Compiled::define(const std::string& name) {
  if (const auto known = definitions_.find(name); known != definitions_.end()) return known->second;
  const Type* type = definition(name);
  if (type == nullptr) broken(fmt::format("{} refers to unknown '{}'", revision_.text(), name));
  const Type& effective = without_single_unions(*type, revision_);
  if (effective.kind == Kind::kReference) {
    const NodeIndex target = define(effective.name);
    definitions_.emplace(name, target);
    return target;
  }
  const auto index = static_cast<NodeIndex>(nodes_.size());
  nodes_.emplace_back();
  definitions_.emplace(name, index);
  compile_into(index, effective);
  nodes_[index].name = name;
  return index;
}

NodeIndex Compiled::compile(const Type& type) {
  const Type& effective = without_single_unions(type, revision_);
  if (effective.kind == Kind::kReference) return define(effective.name);
  const auto index = static_cast<NodeIndex>(nodes_.size());
  nodes_.emplace_back();
  compile_into(index, effective);
  return index;
}

void Compiled::compile_into(NodeIndex index, const Type& type) {
  nodes_[index].kind = type.kind;
  if (type.kind == Kind::kObject) return compile_object(index, type);
  if (type.kind == Kind::kUnion) return compile_union(index, type);
  Node& node = nodes_[index];
  node.format = type.format;
  node.strength = type.strength;
  node.has_range = type.minimum || type.maximum;
  node.minimum = type.minimum.value_or(-std::numeric_limits<double>::infinity());
  node.maximum = type.maximum.value_or(std::numeric_limits<double>::infinity());
  node.max_items = type.max_items;
  node.texts = type.texts;
  node.constant = type.constant;
  if (type.kind == Kind::kArray) {
    const NodeIndex element = compile(type.parts.front());
    nodes_[index].element = element;
  }
}

void Compiled::collect_fields(const Type& type, std::map<std::string, const Field*>& fields) const {
  for (const auto& [base, revisions] : type.bases) {
    if (!revisions.contains(revision_)) continue;
    const Type* found = definition(base);
    if (found == nullptr) continue;  // a base that this revision does not have yet, or any more
    if (found->kind != Kind::kObject) broken(fmt::format("base '{}' is no object", base));
    collect_fields(*found, fields);
  }
  add_fields(type.name, type.fields, fields);
  for (const Extension* extension : extensions_) {
    for (const auto& [name, more] : extension->members) {
      if (name == type.name) add_fields(type.name, more, fields);
    }
  }
}

void Compiled::add_fields(const std::string& type, const Fields& more,
                          std::map<std::string, const Field*>& fields) const {
  std::set<std::string_view> own;
  for (const Field& field : more) {
    if (!field.revisions.contains(revision_)) continue;
    if (!own.insert(field.name).second) {
      broken(fmt::format("'{}' twice in '{}' of {}", field.name, type, revision_.text()));
    }
    fields[field.name] = &field;
  }
}

void Compiled::compile_object(NodeIndex index, const Type& type) {
  std::map<std::string, const Field*> fields;
  collect_fields(type, fields);
  std::vector<CompiledField> compiled;
  for (const auto& [name, field] : fields) {
    compiled.push_back({name, compile(field->type), field->is_required});
  }
  const NodeIndex element = type.parts.empty() ? kNoNode : compile(type.parts.front());
  Node& node = nodes_[index];
  node.fields = std::move(compiled);
  node.element = element;
  node.needs_one_of = type.needs_one_of;
  if (type.key_format_revisions.contains(revision_)) node.key_format = type.key_format;
}

void Compiled::compile_union(NodeIndex index, const Type& type) {
  std::vector<NodeIndex> alternatives;
  for (const Type* part : living(type, revision_)) {
    const NodeIndex alternative = compile(*part);
    // Two names for one type are one alternative.
    if (std::find(alternatives.begin(), alternatives.end(), alternative) == alternatives.end()) {
      alternatives.push_back(alternative);
    }
  }
  if (alternatives.empty()) broken(fmt::format("union '{}' is empty", type.name));
  Node& node = nodes_[index];
  node.alternatives = std::move(alternatives);
  if (type.selector.empty()) return;
  if (node.alternatives.size() != type.cases.size() + 1) {
    broken(fmt::format("selector '{}' does not fit its union", type.selector));
  }
  node.selector = type.selector;
  for (std::size_t i = 0; i < type.cases.size(); ++i) {
    node.cases.emplace_back(type.cases[i], node.alternatives[i]);
  }
  node.other_case = node.alternatives.back();
}

// A union inside a union is spread out in it, so that one choice finds the alternative.
void Compiled::flatten(Node& node) {
  std::vector<NodeIndex> flat;
  const auto add = [&](const auto& self, NodeIndex index) -> void {
    const Node& alternative = nodes_[index];
    if (alternative.kind == Kind::kUnion && alternative.selector.empty()) {
      for (const NodeIndex inner : alternative.alternatives) self(self, inner);
    } else if (std::find(flat.begin(), flat.end(), index) == flat.end()) {
      flat.push_back(index);
    }
  };
  if (!node.selector.empty()) return;
  for (const NodeIndex alternative : node.alternatives) add(add, alternative);
  node.alternatives = std::move(flat);
}

// Finds the member by which the objects among the alternatives can be told apart: required in each,
// with string values that no two share.
void Compiled::choose_selector(Node& node) {
  std::vector<NodeIndex> objects;
  for (const NodeIndex alternative : node.alternatives) {
    if (nodes_[alternative].kind == Kind::kObject) objects.push_back(alternative);
  }
  if (objects.size() < 2) return;
  for (const char* const name : {"type", "method", "mode", "status"}) {
    std::vector<std::pair<std::string, NodeIndex>> cases;
    std::set<std::string_view> seen;
    bool tells_apart = true;
    for (const NodeIndex object : objects) {
      const std::vector<CompiledField>& fields = nodes_[object].fields;
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const CompiledField& f) { return f.name == name; });
      tells_apart = tells_apart && field != fields.end() && field->is_required &&
                    !nodes_[field->node].texts.empty();
      if (!tells_apart) break;
      for (const std::string& text : nodes_[field->node].texts) {
        tells_apart = tells_apart && seen.insert(text).second;
        cases.emplace_back(text, object);
      }
    }
    if (!tells_apart) continue;
    node.selector = name;
    node.cases = std::move(cases);
    return;
  }
}

// A type without a name that joins the JSON-RPC envelope with the type of one method.
NodeIndex Compiled::compile_message(const std::string& envelope, const std::string& type) {
  return compile(object().extends(envelope).extends(type));
}

NodeIndex Compiled::compile_response(const Type& result) {
  Type response = object({required("result", result)}).extends("JSONRPCResultResponse");
  return compile(response);
}

Type Compiled::result_of(const Method& method) const {
  Type result = method.result;
  for (const Extension* extension : extensions_) {
    for (const MoreResult& more : extension->results) {
      if (more.method != method.name) continue;
      if (result.selector != "resultType") broken(method.name + " has one type of result");
      result.parts.insert(result.parts.end() - 1, ref(more.type));
      result.cases.push_back(more.result_type);
    }
  }
  return result;
}

void Compiled::compile_method(const Method& method) {
  if (!method.revisions.contains(revision_)) return;
  CompiledMethod compiled;
  compiled.is_request = method.is_request;
  compiled.message =
      compile_message(method.is_request ? "JSONRPCRequest" : "JSONRPCNotification", method.type);
  if (method.is_request) compiled.response = compile_response(result_of(method));
  if (is_sent_by(method.sender, Direction::kClientToServer)) {
    if (!client_methods_.emplace(method.name, compiled).second) broken(method.name + " twice");
  }
  if (is_sent_by(method.sender, Direction::kServerToClient)) {
    if (!server_methods_.emplace(method.name, compiled).second) broken(method.name + " twice");
  }
}

void Compiled::compile_methods() {
  for (const Method& method : all_methods()) compile_method(method);
  for (const Extension* extension : extensions_) {
    for (const Method& method : extension->methods) compile_method(method);
  }
  for (const ErrorType& error : all_error_types()) {
    if (error.revisions.contains(revision_)) {
      error_responses_.emplace(error.code, define(error.type));
    }
  }
}

// may_advise: spread from the formats that are recommendations to everything that holds one.
void Compiled::note_advice() {
  for (Node& node : nodes_) {
    node.may_advise = node.format != Format::kNone && node.strength == Strength::kShould;
  }
  const auto advises = [&](NodeIndex index) {
    return index != kNoNode && nodes_[index].may_advise;
  };
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (Node& node : nodes_) {
      const bool is_below =
          advises(node.element) ||
          std::any_of(node.alternatives.begin(), node.alternatives.end(), advises) ||
          std::any_of(node.fields.begin(), node.fields.end(),
                      [&](const CompiledField& field) { return advises(field.node); });
      if (is_below && !node.may_advise) node.may_advise = has_changed = true;
    }
  }
}

}  // namespace assay::model
