#include "reference/model/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/model/compiled.h"
#include "reference/model/formats.h"

namespace assay::model {
namespace {

std::string range_words(const Node& node, std::string_view noun) {
  if (!node.has_range) return std::string(noun);
  if (std::isinf(node.maximum)) return fmt::format("{} of at least {}", noun, node.minimum);
  return fmt::format("{} from {} to {}", noun, node.minimum, node.maximum);
}

std::string enumeration_words(const std::vector<std::string>& texts) {
  std::string words = "one of ";
  for (const std::string& text : texts) {
    if (words.size() > 7) words += ", ";
    words += quoted(text);
  }
  return words;
}

// "a, b or c"
std::string either(const std::vector<std::string>& items) {
  std::string words;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) words += i + 1 == items.size() ? " or " : ", ";
    words += items[i];
  }
  return words;
}

std::string union_words(const Compiled& compiled, const Node& node) {
  std::vector<std::string> objects;
  std::vector<std::string> words;
  for (const NodeIndex index : node.alternatives) {
    const Node& alternative = compiled.node(index);
    if (alternative.kind == Kind::kObject && !alternative.name.empty()) {
      objects.push_back(alternative.name);
      continue;
    }
    const std::string word = words_for(compiled, alternative);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  if (!objects.empty()) {
    words.insert(words.begin(), fmt::format("object ({})", either(objects)));
  }
  return either(words);
}

}  // namespace

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string words_for(const Compiled& compiled, const Node& node) {
  switch (node.kind) {
    case Kind::kAny:
      return "any value";
    case Kind::kString:
      return std::string(format_words(node.format));
    case Kind::kInteger:
      return range_words(node, "integer");
    case Kind::kNumber:
      return range_words(node, "number");
    case Kind::kBoolean:
      return "boolean";
    case Kind::kNull:
      return "null";
    case Kind::kConstant:
      return node.constant ? std::to_string(*node.constant) : quoted(node.texts.front());
    case Kind::kEnumeration:
      return enumeration_words(node.texts);
    case Kind::kArray:
      return node.max_items ? fmt::format("array of at most {} items", *node.max_items) : "array";
    case Kind::kObject:
      return node.name.empty() ? "object" : fmt::format("object ({})", node.name);
    case Kind::kUnion:
      return union_words(compiled, node);
    case Kind::kReference:
      break;  // resolved when compiled
  }
  return "";
}

std::string found_type(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "object";
    case Json::value_t::array:
      return "array";
    case Json::value_t::string:
      return "string";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "number";
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;  // no JSON text yields these
  }
  return "no JSON value";
}

std::string found_value(const Json& value) {
  if (value.is_string()) return excerpt(value.get_ref<const std::string&>());
  if (value.is_number() || value.is_boolean()) return value.dump();
  return found_type(value);
}

}  // namespace assay::model
