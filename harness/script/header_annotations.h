// Which parameters of a tool are to be repeated in HTTP headers, and what is wrong with that.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Schema Extension"; server/tools,
// "x-mcp-header".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/json.h"

namespace assay::harness {

inline constexpr const char* kHeaderAnnotation = "x-mcp-header";

// An annotation, and where it stands.
struct HeaderAnnotation {
  const Json* schema = nullptr;  // that it stands in: a part of the one that was searched
  std::string pointer;           // to that part
  std::string property;          // the name of the parameter; empty where it is none
  bool is_reachable = true;      // by `properties` alone
  bool is_barred = false;        // past an array, composition or conditional keyword

  const Json& value() const { return (*schema)[kHeaderAnnotation]; }
};

// Every annotation of an input schema, which outlives them.
std::vector<HeaderAnnotation> header_annotations(const Json& input_schema);

// Whether the parameter is of a type that may be repeated: an integer, a text, a boolean, any of
// them or null; or of no type that the schema tells.
bool has_header_type(const Json& schema);

// What makes a definition of a tool one that clients have to leave out, in one sentence; nothing
// where all annotations are as they should be.
std::optional<std::string> header_annotation_trouble(const Json& input_schema);

// Letters in lower case, as names of headers are compared.
std::string lower_case(std::string_view text);

}  // namespace assay::harness
