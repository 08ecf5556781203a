// Tools whose arguments are mirrored into HTTP headers, and what of a call is.
// Specification: server/tools, "x-mcp-header", and "Custom Headers from Tool Parameters" of
// basic/transports/streamable-http.
#include <string>

#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

Json mirrored(const char* type, const char* header) {
  return {{"type", type}, {"x-mcp-header", header}};
}

Answer tell_arguments(ToolDialogue&, const Json& arguments) {
  return tool_text("Received: " + wire::encode(arguments));
}

Json headers_schema() {
  return optional_arguments(
      {{"region", mirrored("string", "Region")},
       {"count", mirrored("integer", "Count")},
       {"exact", mirrored("boolean", "Exact")},
       {"place", {{"type", "object"}, {"properties", {{"city", mirrored("string", "City")}}}}},
       {"query", {{"type", "string"}}}});
}

// Adds what the properties of `schema` say is mirrored of `value`, and of what is in it.
void collect_mirrored(const Json& schema, const Json& value,
                      std::vector<transport::MirroredParameter>& found) {
  for (const auto& [name, property] : member(schema, "properties").items()) {
    const Json& given = member(value, name.c_str());
    if (const auto header = string_member(property, "x-mcp-header")) {
      found.push_back({"Mcp-Param-" + *header, given});
    }
    collect_mirrored(property, given, found);
  }
}

}  // namespace

std::vector<transport::MirroredParameter> mirrored_parameters(const Json& input_schema,
                                                              const Json& arguments) {
  std::vector<transport::MirroredParameter> found;
  collect_mirrored(input_schema, arguments, found);
  return found;
}

std::vector<Tool> header_tools() {
  return {
      {.name = "test_custom_header_tool",
       .title = "Custom header",
       .description = "Mirrors its greeting into the header Mcp-Param-Greeting",
       .input_schema = required_arguments({{"greeting", mirrored("string", "Greeting")}}),
       .run = tell_arguments,
       .exists = &model::Revision::asks_in_results},
      {.name = "test_custom_headers",
       .title = "Custom headers",
       .description = "Mirrors arguments of each type, one of them nested, into headers",
       .input_schema = headers_schema(),
       .run = tell_arguments,
       .exists = &model::Revision::asks_in_results},
  };
}

}  // namespace assay::server
