#include "harness/script/mirrored_headers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/model/extension.h"
#include "reference/transport/header_value.h"

namespace assay::harness {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kAnnotation = "x-mcp-header";
// A hostile schema may be deeper and wider than any that is meant.
constexpr std::size_t kMostDepth = 16;
constexpr std::size_t kMostParameters = 64;

// Only what a chain of `properties` leads to counts.
void find_parameters(const Json& schema, std::vector<std::string>& path,
                     std::vector<MirroredParameter>& found) {
  if (path.size() >= kMostDepth) return;
  const Json& properties = member(schema, "properties");
  if (!properties.is_object()) return;
  for (const auto& [name, property] : properties.items()) {
    if (found.size() >= kMostParameters) return;
    path.push_back(name);
    const std::string_view header = text_member(property, kAnnotation);
    if (!header.empty()) found.push_back({path, "Mcp-Param-" + std::string(header)});
    find_parameters(property, path, found);
    path.pop_back();
  }
}

std::optional<std::string> value_at(const Json& arguments, const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const std::string& name : path) value = &member(*value, name);
  if (value->is_string())
    return transport::encode_header_value(value->get_ref<const std::string&>());
  if (value->is_boolean() || value->is_number_integer()) return value->dump();
  return std::nullopt;
}

}  // namespace

void MirroredParameters::note(const Json& tools_list_result) {
  for (const Json& tool : array_member(tools_list_result, "tools")) {
    std::vector<MirroredParameter> found;
    std::vector<std::string> path;
    find_parameters(member(tool, "inputSchema"), path, found);
    const std::string name(text_member(tool, "name"));
    if (found.empty()) {
      tools_.erase(name);
    } else {
      tools_[name] = std::move(found);
    }
  }
}

const std::vector<MirroredParameter>* MirroredParameters::of(std::string_view tool) const {
  const auto found = tools_.find(tool);
  return found == tools_.end() ? nullptr : &found->second;
}

transport::Headers mirrored_headers(const Json& message, const MirroredParameters& parameters) {
  static const model::Protocol kNewest{model::Revision::newest_stateless(),
                                       model::extensions_of(model::Revision::newest_stateless())};
  transport::Headers headers;
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) headers.emplace_back(std::move(name), std::move(value));
  };
  const Json& params = member(message, "params");
  const std::string_view method = text_member(message, "method");
  add("MCP-Protocol-Version", std::string(text_member(member(params, "_meta"), kVersionKey)));
  add("Mcp-Method", std::string(method));
  const bool is_call = method == "tools/call";
  const std::string_view named_by = model::name_member(kNewest, method);
  if (!named_by.empty()) {
    add("Mcp-Name", transport::encode_header_value(text_member(params, named_by)));
  }
  const auto* mirrored = is_call ? parameters.of(text_member(params, "name")) : nullptr;
  if (mirrored == nullptr) return headers;
  for (const MirroredParameter& parameter : *mirrored) {
    const auto value = value_at(member(params, "arguments"), parameter.path);
    if (value && transport::is_field_value(*value)) headers.emplace_back(parameter.header, *value);
  }
  return headers;
}

}  // namespace assay::harness
