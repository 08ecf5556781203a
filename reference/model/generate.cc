#include "reference/model/generate.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "reference/model/generator.h"

namespace assay::model {
namespace {

constexpr std::size_t kLongestArray = 8;
constexpr std::int64_t kLargestSafeInteger = (std::int64_t{1} << 53) - 1;

// What is left for the parts of a value of this size.
std::size_t part_of(std::size_t size) {
  return size * 2 / 3;
}

const std::array<std::string, 8> kTexts = {
    "",           "a",        "hello world", "line\nbreak", "quote \" and \\", "\u00e9\u4e16",
    "\U0001f600", "</script>"};

const std::array<std::string, 6> kUris = {"file:///home/a/b.txt",  "https://example.com/a?b=c#d",
                                          "test://static-text",    "urn:isbn:0451450523",
                                          "data:text/plain,a%20b", "http://[::1]:8080/"};

const std::array<std::string, 5> kUriTemplates = {"file:///{path}", "test://template/{id}/data",
                                                  "db://{+table}{?limit,offset*}", "plain",
                                                  "x:{a.b:3}/{/c}%20"};

const std::array<std::string, 5> kTimes = {"2025-01-12T15:00:58Z", "2024-02-29",
                                           "2025-11-25T10:30:00.123+02:00", "20250112T150058Z",
                                           "2025-11-25T10:30"};

}  // namespace

Json Generator::make(NodeIndex index, std::size_t size) {
  const Node& node = compiled_.node(index);
  switch (node.kind) {
    case Kind::kAny:
      return make_any(size);
    case Kind::kString:
      return node.format == Format::kNone ? make_text(size) : make_formatted(node.format);
    case Kind::kInteger:
    case Kind::kNumber:
      return make_number(node);
    case Kind::kBoolean:
      return random_.chance(50);
    case Kind::kNull:
      return nullptr;
    case Kind::kConstant:
      if (node.constant) return *node.constant;
      return node.texts.front();
    case Kind::kEnumeration:
      return random_.pick(node.texts);
    case Kind::kArray:
      return make_array(node, size);
    case Kind::kObject:
      return make_object(node, size);
    case Kind::kUnion:
      return make_union(node, size);
    case Kind::kReference:
      break;  // resolved when compiled
  }
  return nullptr;
}

Json Generator::make_number(const Node& node) {
  if (node.has_range && !std::isinf(node.maximum)) {
    const double part = static_cast<double>(random_.below(5)) / 4;
    return node.minimum + (node.maximum - node.minimum) * part;
  }
  const std::int64_t least = node.has_range ? static_cast<std::int64_t>(node.minimum) : -1000;
  if (node.kind == Kind::kNumber && random_.chance(50)) {
    return static_cast<double>(least) + static_cast<double>(random_.below(4000)) / 8 + 0.0625;
  }
  if (random_.chance(10)) return kLargestSafeInteger;
  return least + static_cast<std::int64_t>(random_.below(2000));
}

Json Generator::make_array(const Node& node, std::size_t size) {
  Json items = Json::array();
  const std::size_t count = random_.below(std::min(size, kLongestArray) + 1);
  for (std::size_t i = 0; i < count; ++i) items.push_back(make(node.element, part_of(size)));
  return items;
}

Json Generator::make_object(const Node& node, std::size_t size) {
  Json object = Json::object();
  for (const CompiledField& field : node.fields) {
    if (field.is_required || (size > 0 && random_.chance(50))) {
      object[field.name] = make(field.node, part_of(size));
    }
  }
  if (!node.needs_one_of.empty()) {
    const std::string& name = random_.pick(node.needs_one_of);
    for (const CompiledField& field : node.fields) {
      if (field.name == name) object[name] = make(field.node, part_of(size));
    }
  }
  if (node.element != kNoNode) {
    const std::size_t count = random_.below(std::min(size, kLongestArray) + 1);
    for (std::size_t i = 0; i < count; ++i) {
      object[make_word() + std::to_string(i)] = make(node.element, part_of(size));
    }
  } else if (size > 0 && random_.chance(10)) {
    const bool has_rules = node.key_format != Format::kNone;
    object[has_rules ? make_formatted(node.key_format) : "x unknown"] = make_any(part_of(size));
  }
  return object;
}

Json Generator::make_union(const Node& node, std::size_t size) {
  const std::size_t choice = random_.below(node.alternatives.size());
  Json value = make(node.alternatives[choice], size);
  if (node.other_case == kNoNode) return value;
  value[node.selector] =
      choice < node.cases.size() ? node.cases[choice].first : "com.example/other";
  return value;
}

Json Generator::make_any(std::size_t size) {
  switch (random_.below(size > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random_.chance(50);
    case 2:
      return static_cast<std::int64_t>(random_.below(100));
    case 3:
      return static_cast<double>(random_.below(100)) + 0.5;
    case 4:
    case 5:
      return make_text(size);
    case 6: {
      Json items = Json::array();
      for (std::size_t i = random_.below(3); i > 0; --i) items.push_back(make_any(part_of(size)));
      return items;
    }
    default: {
      Json object = Json::object();
      for (std::size_t i = random_.below(3); i > 0; --i) {
        object[make_word()] = make_any(part_of(size));
      }
      return object;
    }
  }
}

std::string Generator::make_text(std::size_t size) {
  std::string text = random_.pick(kTexts);
  for (std::size_t i = random_.below(size + 1); i > 0; --i) text += " " + make_word();
  return text;
}

std::string Generator::make_word() {
  std::string word;
  for (std::size_t i = 1 + random_.below(8); i > 0; --i) {
    word += static_cast<char>('a' + random_.below(26));
  }
  return word;
}

std::string Generator::make_base64() {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 4 * random_.below(8); i > 0; --i) text += kAlphabet[random_.below(64)];
  if (!text.empty() && random_.chance(50)) text.replace(text.size() - 2, 2, "==");
  return text;
}

std::string Generator::make_formatted(Format format) {
  switch (format) {
    case Format::kNone:
      return make_text(1);
    case Format::kBase64:
      return make_base64();
    case Format::kUri:
      return random_.pick(kUris);
    case Format::kUriTemplate:
      return random_.pick(kUriTemplates);
    case Format::kTime:
      return random_.pick(kTimes);
    case Format::kToolName:
      return make_word() + "." + make_word() + "-" + std::to_string(random_.below(100));
    case Format::kMetaKey:
      return random_.chance(50) ? "com.example/" + make_word() : "x." + make_word();
  }
  return "";
}

Json generate(Protocol protocol, std::string_view type, Random& random, std::size_t size) {
  const Compiled& compiled = Compiled::of(protocol);
  return Generator(compiled, random).make(compiled.require(type), size);
}

std::optional<Json> generate_message(Protocol protocol, Direction direction,
                                     std::string_view method, Random& random, std::size_t size) {
  const Compiled& compiled = Compiled::of(protocol);
  const CompiledMethod* known = compiled.find_method(direction, method);
  if (known == nullptr) return std::nullopt;
  return Generator(compiled, random).make(known->message, size);
}

std::optional<Json> generate_response(Protocol protocol, Direction request_direction,
                                      std::string_view method, Random& random, std::size_t size) {
  const Compiled& compiled = Compiled::of(protocol);
  const CompiledMethod* known = compiled.find_method(request_direction, method);
  if (known == nullptr || !known->is_request) return std::nullopt;
  return Generator(compiled, random).make(known->response, size);
}

}  // namespace assay::model
