#include "reference/model/json_schema.h"

#include <cmath>
#include <string>

#include "reference/model/compiled.h"
#include "reference/model/formats.h"

namespace assay::model {
namespace {

class SchemaWriter {
 public:
  explicit SchemaWriter(const Compiled& compiled) : compiled_(compiled) {}

  Json write_all() const {
    Json definitions = Json::object();
    for (const auto& [name, index] : compiled_.definitions()) {
      const bool is_alias = compiled_.node(index).name != name;
      definitions[name] = is_alias ? write(index) : write_node(compiled_.node(index));
    }
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Model Context Protocol " + std::string(compiled_.revision().text())},
            {"$ref", "#/$defs/JSONRPCMessage"},
            {"$defs", std::move(definitions)}};
  }

 private:
  Json write(NodeIndex index) const {
    const Node& node = compiled_.node(index);
    if (!node.name.empty()) return {{"$ref", "#/$defs/" + node.name}};
    return write_node(node);
  }

  Json write_node(const Node& node) const {
    switch (node.kind) {
      case Kind::kAny:
        return Json::object();
      case Kind::kString:
        return write_string(node);
      case Kind::kInteger:
        return write_number(node, "integer");
      case Kind::kNumber:
        return write_number(node, "number");
      case Kind::kBoolean:
        return {{"type", "boolean"}};
      case Kind::kNull:
        return {{"type", "null"}};
      case Kind::kConstant:
        if (node.constant) return {{"const", *node.constant}};
        return {{"const", node.texts.front()}};
      case Kind::kEnumeration:
        return {{"enum", node.texts}};
      case Kind::kArray:
        return write_array(node);
      case Kind::kObject:
        return write_object(node);
      case Kind::kUnion:
        return write_union(node);
      case Kind::kReference:
        break;  // resolved when compiled
    }
    return Json::object();
  }

  Json write_string(const Node& node) const {
    Json schema = {{"type", "string"}};
    if (node.format == Format::kNone || node.strength == Strength::kShould) return schema;
    schema["pattern"] = format_pattern(node.format);
    if (node.format == Format::kBase64) schema["contentEncoding"] = "base64";
    if (node.format == Format::kUri) schema["format"] = "uri";
    if (node.format == Format::kUriTemplate) schema["format"] = "uri-template";
    return schema;
  }

  Json write_number(const Node& node, const char* type) const {
    Json schema = {{"type", type}};
    if (!node.has_range) return schema;
    if (!std::isinf(node.minimum)) schema["minimum"] = node.minimum;
    if (!std::isinf(node.maximum)) schema["maximum"] = node.maximum;
    return schema;
  }

  Json write_array(const Node& node) const {
    Json schema = {{"type", "array"}, {"items", write(node.element)}};
    if (node.max_items) schema["maxItems"] = *node.max_items;
    return schema;
  }

  Json write_object(const Node& node) const {
    Json schema = {{"type", "object"}};
    Json properties = Json::object();
    Json required = Json::array();
    for (const CompiledField& field : node.fields) {
      properties[field.name] = write(field.node);
      if (field.is_required) required.push_back(field.name);
    }
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    if (node.element != kNoNode) schema["additionalProperties"] = write(node.element);
    if (node.key_format != Format::kNone) {
      schema["propertyNames"] = {{"pattern", format_pattern(node.key_format)}};
    }
    for (const std::string& name : node.needs_one_of) {
      schema["anyOf"].push_back({{"required", Json::array({name})}});
    }
    return schema;
  }

  Json write_union(const Node& node) const {
    Json alternatives = Json::array();
    if (node.other_case == kNoNode) {
      for (const NodeIndex index : node.alternatives) alternatives.push_back(write(index));
      return {{"anyOf", std::move(alternatives)}};
    }
    Json listed = Json::array();
    for (const auto& [text, index] : node.cases) {
      listed.push_back(text);
      alternatives.push_back(selected(index, node.selector, {{"const", text}}));
    }
    alternatives.push_back(
        selected(node.other_case, node.selector, {{"not", {{"enum", std::move(listed)}}}}));
    return {{"anyOf", std::move(alternatives)}};
  }

  // An alternative that counts only where the selector says so.
  Json selected(NodeIndex index, const std::string& selector, Json constraint) const {
    const Json choice = {{"properties", {{selector, std::move(constraint)}}},
                         {"required", Json::array({selector})}};
    return {{"allOf", Json::array({write(index), choice})}};
  }

  const Compiled& compiled_;
};

}  // namespace

Json json_schema(Protocol protocol) {
  return SchemaWriter(Compiled::of(protocol)).write_all();
}

}  // namespace assay::model
