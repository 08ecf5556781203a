#include "reference/model/validator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "reference/model/formats.h"
#include "reference/model/schema_values.h"

namespace assay::model {
namespace {

// How much of a member's name a pointer keeps: never half a UTF-8 sequence.
std::size_t cut_length(std::string_view key) {
  if (key.size() <= kLongestPointerKey) return key.size();
  std::size_t length = kLongestPointerKey;
  while (length > 0 && (static_cast<unsigned char>(key[length]) & 0xc0) == 0x80) --length;
  return length;
}

}  // namespace

Rule rule_of(Format format) {
  switch (format) {
    case Format::kNone:
      break;
    case Format::kBase64:
      return Rule::kBase64;
    case Format::kUri:
      return Rule::kUri;
    case Format::kUriTemplate:
      return Rule::kUriTemplate;
    case Format::kTime:
      return Rule::kTime;
    case Format::kToolName:
      return Rule::kToolName;
    case Format::kMetaKey:
      return Rule::kMetaKey;
  }
  return Rule::kShape;
}

std::string either_member(const std::vector<std::string>& names) {
  std::string words = "at least one of ";
  for (const std::string& name : names) {
    if (&name != &names.front()) words += ", ";
    words += quoted(name);
  }
  return words;
}

// What a union's selector may say.
std::string selector_words(const Node& node) {
  std::string words;
  for (const auto& [text, alternative] : node.cases) {
    if (!words.empty()) words += ", ";
    words += quoted(text);
  }
  return node.cases.size() > 1 ? "one of " + words : words;
}

std::string Path::pointer() const {
  if (parent == nullptr) return "";
  std::string text = parent->pointer();
  text += '/';
  if (key.data() == nullptr) return text + std::to_string(index);
  for (const char c : key.substr(0, cut_length(key))) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

void Validator::report(const Path& path, std::string expected, std::string found, Rule rule,
                       Strength strength) {
  if (is_done()) return;
  deviations_->push_back(
      {path.pointer(), std::move(expected), std::move(found), rule, strength, {}});
}

bool Validator::fail(const Path& path, const Node& node, std::string (*found)(const Json&),
                     const Json& value, Rule rule) {
  if (deviations_ != nullptr) report(path, node.expected, found(value), rule);
  return false;
}

bool Validator::check(NodeIndex index, const Json& value, const Path& path) {
  const Node& node = compiled_.node(index);
  switch (node.kind) {
    case Kind::kAny:
      return true;
    case Kind::kString:
      return check_string(node, value, path);
    case Kind::kInteger:
    case Kind::kNumber:
      return check_number(node, value, path);
    case Kind::kBoolean:
      return value.is_boolean() || fail(path, node, found_type, value);
    case Kind::kNull:
      return value.is_null() || fail(path, node, found_type, value);
    case Kind::kConstant:
    case Kind::kEnumeration:
      return check_literal(node, value, path);
    case Kind::kArray:
      return check_array(node, value, path);
    case Kind::kObject:
      return check_object(node, value, path);
    case Kind::kUnion:
      return check_union(node, value, path);
    case Kind::kReference:
      break;  // resolved when compiled
  }
  return true;
}

bool Validator::check_string(const Node& node, const Json& value, const Path& path) {
  if (!value.is_string()) return fail(path, node, found_type, value);
  if (node.format == Format::kNone) return true;
  const bool is_advice = node.strength == Strength::kShould;
  if (is_advice && deviations_ == nullptr) return true;
  const std::string& text = value.get_ref<const std::string&>();
  if (has_format(node.format, text)) return true;
  if (deviations_ != nullptr) {
    report(path, node.expected, format_defect(node.format, text), rule_of(node.format),
           node.strength);
  }
  return is_advice;
}

bool Validator::check_number(const Node& node, const Json& value, const Path& path) {
  if (!value.is_number()) return fail(path, node, found_type, value);
  if (node.kind == Kind::kInteger && !is_integer(value)) {
    return fail(path, node, found_value, value);
  }
  if (!node.has_range) return true;
  const double number = value.get<double>();
  const bool is_inside = number >= node.minimum && number <= node.maximum;
  return is_inside || fail(path, node, found_value, value, Rule::kRange);
}

bool Validator::check_literal(const Node& node, const Json& value, const Path& path) {
  if (node.constant) {
    const bool is_equal = value.is_number() && value == *node.constant;
    return is_equal || fail(path, node, found_value, value);
  }
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    for (const std::string& allowed : node.texts) {
      if (text == allowed) return true;
    }
  }
  return fail(path, node, found_value, value);
}

bool Validator::check_array(const Node& node, const Json& value, const Path& path) {
  if (!value.is_array()) return fail(path, node, found_type, value);
  bool is_good = true;
  const Json::array_t& items = value.get_ref<const Json::array_t&>();
  if (node.max_items && items.size() > *node.max_items) {
    is_good = false;
    report(path, node.expected, fmt::format("{} items", items.size()), Rule::kRange);
  }
  std::size_t index = 0;
  for (const Json& item : items) {
    if (!is_good && is_done()) return false;
    is_good &= check(node.element, item, Path{&path, {}, index++});
  }
  return is_good;
}

bool Validator::missing(const CompiledField& field, const Path& path) {
  if (!field.is_required) return true;
  report(Path{&path, field.name}, compiled_.node(field.node).expected, "nothing");
  return false;
}

bool Validator::check_object(const Node& node, const Json& value, const Path& path) {
  if (!value.is_object()) return fail(path, node, found_type, value);
  bool is_good = true;
  // Both sides are sorted by name, so one walk meets every member and every field.
  auto field = node.fields.begin();
  for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
    if (!is_good && is_done()) return false;
    int order = -1;
    while (field != node.fields.end() && (order = field->name.compare(key)) < 0) {
      is_good &= missing(*field++, path);
    }
    const Path here{&path, key};
    if (field != node.fields.end() && order == 0) {
      is_good &= check(field++->node, member, here);
    } else if (node.element != kNoNode) {
      is_good &= check(node.element, member, here);
    }
    if (node.key_format != Format::kNone && !has_format(node.key_format, key)) {
      is_good = false;
      report(here, std::string(format_words(node.key_format)), format_defect(node.key_format, key),
             rule_of(node.key_format));
    }
  }
  for (; field != node.fields.end(); ++field) is_good &= missing(*field, path);
  return check_needs(node, value, path) && is_good;
}

bool Validator::check_needs(const Node& node, const Json& value, const Path& path) {
  if (node.needs_one_of.empty()) return true;
  for (const std::string& name : node.needs_one_of) {
    if (value.contains(name)) return true;
  }
  if (deviations_ != nullptr) report(path, either_member(node.needs_one_of), "neither");
  return false;
}

bool Validator::check_union(const Node& node, const Json& value, const Path& path) {
  if (!node.selector.empty() && value.is_object()) return check_selected(node, value, path);
  for (const NodeIndex alternative : node.alternatives) {
    if (!Validator(compiled_, nullptr).check(alternative, value, path)) continue;
    // It fits; walk it again only where there may be advice to give.
    if (deviations_ != nullptr && node.may_advise) check(alternative, value, path);
    return true;
  }
  return !is_done() && check_closest(node, value, path);
}

bool Validator::check_selected(const Node& node, const Json& value, const Path& path) {
  const auto found = value.find(node.selector);
  const bool has_selector = found != value.end() && found->is_string();
  if (has_selector) {
    const std::string& text = found->get_ref<const std::string&>();
    for (const auto& [name, alternative] : node.cases) {
      if (name == text) return check(alternative, value, path);
    }
    if (node.other_case != kNoNode) return check(node.other_case, value, path);
  } else if (node.other_case != kNoNode) {
    return check(node.cases.front().second, value, path);  // which says what is wrong with it
  }
  if (deviations_ != nullptr) {
    report(Path{&path, node.selector}, selector_words(node),
           found == value.end() ? "nothing" : found_value(*found));
  }
  return false;
}

// No alternative fits: what is wrong with the closest one is what is reported.
bool Validator::check_closest(const Node& node, const Json& value, const Path& path) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  Deviations best;
  std::string_view name;
  bool has_other = false;
  for (const NodeIndex index : node.alternatives) {
    const Node& alternative = compiled_.node(index);
    if (!has_type_of(alternative, value)) continue;
    has_other = has_other || least != std::numeric_limits<std::size_t>::max();
    Deviations deviations;
    Validator(compiled_, &deviations).check(index, value, path);
    const std::size_t far = distance(compiled_, index, value, deviations);
    if (far >= least) continue;
    least = far;
    best = std::move(deviations);
    name = alternative.name;
  }
  if (best.empty()) return fail(path, node, found_type, value);
  for (Deviation& deviation : best) {
    if (is_done()) break;
    if (has_other && deviation.closest.empty()) deviation.closest = name;
    deviations_->push_back(std::move(deviation));
  }
  return false;
}

bool has_type_of(const Node& node, const Json& value) {
  switch (node.kind) {
    case Kind::kString:
    case Kind::kEnumeration:
      return value.is_string();
    case Kind::kConstant:
      return node.constant ? value.is_number() : value.is_string();
    case Kind::kInteger:
    case Kind::kNumber:
      return value.is_number();
    case Kind::kBoolean:
      return value.is_boolean();
    case Kind::kNull:
      return value.is_null();
    case Kind::kArray:
      return value.is_array();
    case Kind::kObject:
      return value.is_object();
    case Kind::kAny:
    case Kind::kUnion:
    case Kind::kReference:
      return true;
  }
  return true;
}

std::size_t distance(const Compiled& compiled, NodeIndex alternative, const Json& value,
                     const Deviations& deviations) {
  constexpr std::size_t kOtherConstant = 1000;
  constexpr std::size_t kMissingMember = 10;
  std::size_t far = 0;
  for (const Deviation& deviation : deviations) {
    if (deviation.strength == Strength::kShould) continue;
    far += deviation.found == "nothing" ? kMissingMember : 1;
  }
  const Node& node = compiled.node(alternative);
  if (node.kind != Kind::kObject || !value.is_object()) return far;
  for (const CompiledField& field : node.fields) {
    const Node& wanted = compiled.node(field.node);
    const auto found = value.find(field.name);
    if (wanted.texts.empty() || found == value.end() || !found->is_string()) continue;
    const std::string& text = found->get_ref<const std::string&>();
    const bool is_wanted =
        std::find(wanted.texts.begin(), wanted.texts.end(), text) != wanted.texts.end();
    if (!is_wanted) far += kOtherConstant;
  }
  return far;
}

}  // namespace assay::model
