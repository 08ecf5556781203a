// The header fields that repeat parts of a message (since 2026-07-28).
//
// Specification: basic/transports/streamable-http, "Request Metadata"; server/tools,
// "x-mcp-header".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/observer.h"
#include "reference/wire/json.h"

namespace assay::harness {

// A parameter of a tool that is repeated in a header: where its value stands in the arguments, as
// names of nested properties, and the header's name.
struct MirroredParameter {
  std::vector<std::string> path;
  std::string header;  // "Mcp-Param-Region"
};

// Which parameters of which tools are repeated, as tools/list said.
class MirroredParameters {
 public:
  // Takes the place of what was known of the tools that the result of tools/list names.
  void note(const Json& tools_list_result);
  const std::vector<MirroredParameter>* of(std::string_view tool) const;

 private:
  std::map<std::string, std::vector<MirroredParameter>, std::less<>> tools_;
};

// The fields that go with a message, in the order of the page. What has no value has no field.
transport::Headers mirrored_headers(const Json& message, const MirroredParameters& parameters);

}  // namespace assay::harness
