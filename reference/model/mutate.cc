#include "reference/model/mutate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/model/compiled.h"
#include "reference/model/formats.h"
#include "reference/model/generator.h"
#include "reference/model/validator.h"
#include "reference/model/words.h"

namespace assay::model {
namespace {

// Elements of an array and members of a map that are changed.
constexpr std::size_t kMostParts = 2;

const char* bad_text(Format format) {
  switch (format) {
    case Format::kBase64:
      return "not base64!";
    case Format::kUri:
      return "no scheme";
    case Format::kUriTemplate:
      return "open{brace";
    case Format::kTime:
      return "yesterday";
    case Format::kToolName:
    case Format::kMetaKey:
      return "bad key!";
    case Format::kNone:
      break;
  }
  return "";
}

class Mutator {
 public:
  Mutator(const Compiled& compiled, const Json& root) : compiled_(compiled), root_(root) {}

  std::vector<Mutation> take(NodeIndex index) {
    walk(index, root_, Path{});
    return std::move(mutations_);
  }

 private:
  // The root with the value at `pointer` replaced.
  Json replaced(const std::string& pointer, Json part) const {
    Json copy = root_;
    copy[Json::json_pointer(pointer)] = std::move(part);
    return copy;
  }

  void add(std::string name, Json changed, Deviation promised) {
    if (mutations_.size() >= kMostMutations) return;
    if (is_ambiguous_ && !is_kept(changed, promised)) return;
    mutations_.push_back({std::move(name), std::move(changed), std::move(promised)});
  }

  // Inside a union whose alternatives no member tells apart, the changed value may fit, or come
  // closer to, another alternative; such a change promises nothing.
  bool is_kept(const Json& changed, const Deviation& promised) const {
    Deviations found;
    Validator(compiled_, &found).check(root_node_, changed, Path{});
    return std::any_of(found.begin(), found.end(), [&](Deviation deviation) {
      deviation.closest.clear();
      return deviation == promised;
    });
  }

  void replace(std::string name, const Node& node, const Path& path, Json part, std::string found,
               Rule rule = Rule::kShape) {
    const std::string pointer = path.pointer();
    add(std::move(name), replaced(pointer, std::move(part)),
        {pointer, node.expected, std::move(found), rule, Strength::kMust, {}});
  }

  // Whether a value of the type of `sample` could fit the node.
  bool takes(const Node& node, const Json& sample) const {
    if (node.kind != Kind::kUnion) return has_type_of(node, sample);
    return std::any_of(node.alternatives.begin(), node.alternatives.end(),
                       [&](NodeIndex index) { return takes(compiled_.node(index), sample); });
  }

  void change_type(const Node& node, const Json& value, const Path& path) {
    const bool is_literal = node.kind == Kind::kConstant || node.kind == Kind::kEnumeration;
    for (const Json& other : {Json(7), Json("seven"), Json(true), Json::array(), Json::object()}) {
      if (takes(node, other)) continue;
      replace("wrong-type", node, path, other, is_literal ? found_value(other) : found_type(other));
      break;
    }
    if (!takes(node, nullptr)) replace("null", node, path, nullptr, "null");
    if (!takes(node, Json::array())) {
      replace("nest", node, path, Json::array({value}), "array");
    }
  }

  void walk(NodeIndex index, const Json& value, const Path& path) {
    if (path.parent == nullptr) root_node_ = index;
    const Node& node = compiled_.node(index);
    if (node.kind == Kind::kAny || mutations_.size() >= kMostMutations) return;
    change_type(node, value, path);
    switch (node.kind) {
      case Kind::kString:
        return change_string(node, path);
      case Kind::kInteger:
      case Kind::kNumber:
        return change_number(node, path);
      case Kind::kConstant:
      case Kind::kEnumeration:
        return change_literal(node, path);
      case Kind::kArray:
        return walk_array(node, value, path);
      case Kind::kObject:
        return walk_object(node, value, path, "");
      case Kind::kUnion:
        return walk_union(node, value, path);
      case Kind::kAny:
      case Kind::kBoolean:
      case Kind::kNull:
      case Kind::kReference:
        return;
    }
  }

  void change_string(const Node& node, const Path& path) {
    if (node.format == Format::kNone || node.strength == Strength::kShould) return;
    const std::string text = bad_text(node.format);
    const Rule rule = rule_of(node.format);
    replace("bad-format", node, path, text, format_defect(node.format, text), rule);
  }

  void change_number(const Node& node, const Path& path) {
    if (node.kind == Kind::kInteger) replace("fraction", node, path, 1.5, found_value(1.5));
    if (!node.has_range) return;
    for (const double bad : {node.minimum - 1, node.maximum + 1}) {
      if (std::isinf(bad)) continue;
      const Json number = node.kind == Kind::kInteger ? Json(std::llround(bad)) : Json(bad);
      replace("out-of-range", node, path, number, found_value(number), Rule::kRange);
    }
  }

  void change_literal(const Node& node, const Path& path) {
    if (node.constant) {
      const Json other = *node.constant + 1;
      return replace("bad-constant", node, path, other, found_value(other));
    }
    const bool is_constant = node.kind == Kind::kConstant;
    const Json other = node.texts.front() + "?";
    replace(is_constant ? "bad-constant" : "bad-enumeration", node, path, other,
            found_value(other));
  }

  void walk_array(const Node& node, const Json& value, const Path& path) {
    for (std::size_t i = 0; i < std::min(value.size(), kMostParts); ++i) {
      walk(node.element, value[i], Path{&path, {}, i});
    }
    if (!node.max_items) return;
    Random random(0);
    Json items = value;
    while (items.size() <= *node.max_items) {
      items.push_back(Generator(compiled_, random).make(node.element, 0));
    }
    const std::string found = std::to_string(items.size()) + " items";
    replace("too-many", node, path, std::move(items), found, Rule::kRange);
  }

  void drop(const CompiledField& field, const Json& value, const Path& path) {
    Json part = value;
    part.erase(field.name);
    add("drop", replaced(path.pointer(), std::move(part)),
        {Path{&path, field.name}.pointer(),
         compiled_.node(field.node).expected,
         "nothing",
         Rule::kShape,
         Strength::kMust,
         {}});
  }

  // `selector` is the member by which the object was chosen: changing it is the union's affair.
  void walk_object(const Node& node, const Json& value, const Path& path,
                   std::string_view selector) {
    std::size_t others = 0;
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      const auto field =
          std::find_if(node.fields.begin(), node.fields.end(),
                       [&, &key = key](const CompiledField& f) { return f.name == key; });
      const Path here{&path, key};
      if (field == node.fields.end()) {
        if (node.element != kNoNode && others++ < kMostParts) walk(node.element, member, here);
        continue;
      }
      if (key == selector) continue;
      if (field->is_required) drop(*field, value, path);
      walk(field->node, member, here);
    }
    if (!node.needs_one_of.empty()) drop_all(node, value, path);
    if (node.key_format != Format::kNone) add_bad_key(node, value, path);
  }

  void drop_all(const Node& node, const Json& value, const Path& path) {
    Json part = value;
    for (const std::string& name : node.needs_one_of) part.erase(name);
    add("drop-all", replaced(path.pointer(), std::move(part)),
        {path.pointer(),
         either_member(node.needs_one_of),
         "neither",
         Rule::kShape,
         Strength::kMust,
         {}});
  }

  void add_bad_key(const Node& node, const Json& value, const Path& path) {
    const std::string key = bad_text(node.key_format);
    Json part = value;
    part[key] = 1;
    add("bad-key", replaced(path.pointer(), std::move(part)),
        {Path{&path, key}.pointer(),
         std::string(format_words(node.key_format)),
         format_defect(node.key_format, key),
         rule_of(node.key_format),
         Strength::kMust,
         {}});
  }

  void walk_union(const Node& node, const Json& value, const Path& path) {
    if (!node.selector.empty() && value.is_object()) return walk_selected(node, value, path);
    std::vector<NodeIndex> fitting;
    for (const NodeIndex index : node.alternatives) {
      if (Validator(compiled_, nullptr).check(index, value, path)) fitting.push_back(index);
    }
    if (fitting.size() != 1) return;  // what breaks one alternative leaves the others
    const bool was_ambiguous = std::exchange(is_ambiguous_, true);
    const Node& alternative = compiled_.node(fitting.front());
    if (alternative.kind == Kind::kObject) {
      walk_object(alternative, value, path, "");
    } else if (alternative.kind == Kind::kArray) {
      walk_array(alternative, value, path);
    }
    is_ambiguous_ = was_ambiguous;
  }

  void walk_selected(const Node& node, const Json& value, const Path& path) {
    const std::string& chosen = value.at(node.selector).get_ref<const std::string&>();
    const auto found = std::find_if(node.cases.begin(), node.cases.end(),
                                    [&](const auto& one) { return one.first == chosen; });
    const NodeIndex alternative = found == node.cases.end() ? node.other_case : found->second;
    walk_object(compiled_.node(alternative), value, path, node.selector);
    if (node.other_case != kNoNode) return;  // any other value means something, too
    const Path here{&path, node.selector};
    const Json other = chosen + "?";
    add("wrong-selector", replaced(here.pointer(), other),
        {here.pointer(),
         selector_words(node),
         found_value(other),
         Rule::kShape,
         Strength::kMust,
         {}});
    Json part = value;
    part.erase(node.selector);
    add("no-selector", replaced(path.pointer(), std::move(part)),
        {here.pointer(), selector_words(node), "nothing", Rule::kShape, Strength::kMust, {}});
  }

  const Compiled& compiled_;
  const Json& root_;
  NodeIndex root_node_ = kNoNode;
  bool is_ambiguous_ = false;
  std::vector<Mutation> mutations_;
};

}  // namespace

std::vector<Mutation> mutations(Protocol protocol, std::string_view type, const Json& value) {
  const Compiled& compiled = Compiled::of(protocol);
  const NodeIndex index = compiled.require(type);
  if (!Validator(compiled, nullptr).check(index, value, {})) return {};
  return Mutator(compiled, value).take(index);
}

std::vector<Mutation> message_mutations(Protocol protocol, Direction direction,
                                        const Json& message) {
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) return {};
  const Compiled& compiled = Compiled::of(protocol);
  const CompiledMethod* known =
      compiled.find_method(direction, method->get_ref<const std::string&>());
  if (known == nullptr || !Validator(compiled, nullptr).check(known->message, message, {}))
    return {};
  return Mutator(compiled, message).take(known->message);
}

}  // namespace assay::model
