// Faults of tools, prompts, resources and completion that only the stateless era has.
// Specification: server/tools ("x-mcp-header"), and the pages of the others (since 2026-07-28).
#include "reference/server/content.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// The input schema of a tool that has headers, in the list that leaves; null if it is not there.
Json* schema_with_headers(Departure& d) {
  if (!d.is_result_of("tools/list") || !d.result().contains("tools")) return nullptr;
  for (Json& tool : d.result()["tools"]) {
    if (tool.value("name", "") == "test_custom_headers") return &tool["inputSchema"];
  }
  return nullptr;
}

template <const char* kName>
void call_header(Departure& d) {
  if (Json* const schema = schema_with_headers(d)) {
    (*schema)["properties"]["query"]["x-mcp-header"] = kName;
  }
}
constexpr char kEmpty[] = "";
constexpr char kBlank[] = "My Query";
constexpr char kColon[] = "Query:";
constexpr char kUmlaut[] =
    "Gr\xC3\xB6\xC3\x9F"
    "e";
constexpr char kLines[] = "Query\r\nX-Evil";
constexpr char kTabbed[] = "Que\try";
constexpr char kTaken[] = "region";

// A property with a header, wherever in the schema it is put.
Json property_with_header(const char* type = "string") {
  return {{"type", type}, {"x-mcp-header", "Extra"}};
}

Fault header_fault(std::string_view id, std::string_view description,
                   std::vector<std::string_view> breaks, void (*departure)(Departure&),
                   std::vector<std::string_view> may_break = {}) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .may_break = std::move(may_break),
          .departure = departure};
}

std::vector<Fault> header_name_faults() {
  return {
      header_fault("header-name-empty", "Mirrors an argument into a header without a name",
                   {"tools.header-name-not-empty"}, call_header<kEmpty>,
                   {"tools.header-name-token"}),
      header_fault("header-name-with-blank", "Mirrors an argument into a header with a blank",
                   {"tools.header-name-token"}, call_header<kBlank>),
      header_fault("header-name-with-colon", "Mirrors an argument into a header with a colon",
                   {"tools.header-name-token"}, call_header<kColon>),
      header_fault("header-name-beyond-ascii", "Mirrors an argument into a header with umlauts",
                   {"tools.header-name-token"}, call_header<kUmlaut>),
      header_fault("header-name-of-two-lines", "Mirrors an argument into a header of two lines",
                   {"tools.header-name-no-control-characters"}, call_header<kLines>,
                   {"tools.header-name-token"}),
      header_fault("header-name-with-tab", "Mirrors an argument into a header with a tab",
                   {"tools.header-name-no-control-characters"}, call_header<kTabbed>,
                   {"tools.header-name-token"}),
      header_fault("header-name-taken", "Mirrors two arguments into one header",
                   {"tools.header-name-unique"}, call_header<kTaken>),
  };
}

std::vector<Fault> header_place_faults() {
  return {
      header_fault("header-of-number", "Mirrors a number into a header",
                   {"tools.header-on-primitives"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["ratio"] = property_with_header("number");
                     }
                   }),
      header_fault("header-of-object", "Mirrors an object into a header",
                   {"tools.header-on-primitives"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["place"]["x-mcp-header"] = "Place";
                     }
                   }),
      header_fault("header-of-array", "Mirrors an array into a header",
                   {"tools.header-on-primitives"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["all"] = property_with_header("array");
                     }
                   }),
      header_fault("header-of-items", "Mirrors the items of an array into a header",
                   {"tools.header-statically-reachable", "tools.header-chain-plain"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["all"] = {{"type", "array"},
                                                         {"items", property_with_header()}};
                     }
                   }),
      header_fault("header-of-one-of", "Mirrors an argument of one alternative into a header",
                   {"tools.header-statically-reachable", "tools.header-chain-plain"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["anyOf"] =
                           Json::array({{{"properties", {{"either", property_with_header()}}}}});
                     }
                   }),
      header_fault("header-of-condition", "Mirrors an argument into a header on a condition",
                   {"tools.header-statically-reachable", "tools.header-chain-plain"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["if"] = Json::object();
                       (*schema)["then"] = {{"properties", {{"maybe", property_with_header()}}}};
                     }
                   }),
      header_fault("header-of-definition", "Mirrors an argument of a definition into a header",
                   {"tools.header-statically-reachable", "tools.header-chain-plain"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["$defs"]["place"] = {
                           {"type", "object"}, {"properties", {{"town", property_with_header()}}}};
                       (*schema)["properties"]["there"] = {{"$ref", "#/$defs/place"}};
                     }
                   },
                   // The tool does not look at an argument that it does not have.
                   {"json-schema.2020-12-supported", "json-schema.validated-by-dialect"}),
      header_fault("header-of-password", "Mirrors a password into a header",
                   {"tools.header-not-sensitive"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["password"] = property_with_header();
                     }
                   },
                   {"http.parameter-header-characters", "http.parameter-header-matches-body",
                    "http.parameter-header-missing-rejected"}),
      header_fault("header-of-unsafe-integer", "Mirrors integers beyond every double into a header",
                   {"tools.header-integer-safe"},
                   [](Departure& d) {
                     if (Json* const schema = schema_with_headers(d)) {
                       (*schema)["properties"]["count"]["minimum"] = 9007199254740993;
                       (*schema)["properties"]["count"]["default"] = 9007199254740995;
                     }
                   }),
  };
}

// The value of a tool's structured content is changed to one that its schema does not allow.
template <const char* kTool>
void spoil_structure(Departure& d) {
  if (!d.is_result_of("tools/call") || string_member(asked_params(d), "name") != kTool) return;
  if (d.result().contains("structuredContent")) d.result()["structuredContent"] = "spoiled";
}
constexpr char kArrayTool[] = "test_structured_array";
constexpr char kNumberTool[] = "test_structured_number";
constexpr char kNullTool[] = "test_structured_null";

std::vector<Fault> content_by_schema_faults() {
  return {
      header_fault("structured-array-spoiled", "Gives a text where its schema wants an array",
                   {"tools.structured-content-conforms"}, spoil_structure<kArrayTool>,
                   {"tools.structured-content-as-text"}),
      header_fault("structured-number-spoiled", "Gives a text where its schema wants a number",
                   {"tools.structured-content-conforms"}, spoil_structure<kNumberTool>,
                   {"tools.structured-content-as-text"}),
      header_fault("structured-null-spoiled", "Gives a text where its schema wants null",
                   {"tools.structured-content-conforms"}, spoil_structure<kNullTool>,
                   {"tools.structured-content-as-text"}),
      header_fault("structured-array-untold",
                   "Gives structured content that is an array, and no text",
                   {"tools.structured-content-as-text"},
                   [](Departure& d) {
                     if (d.is_result_of("tools/call") &&
                         string_member(asked_params(d), "name") == kArrayTool) {
                       d.result()["content"] = Json::array({text_content("See elsewhere.")});
                     }
                   }),
      header_fault("input-schema-null", "Has a tool whose input schema is null",
                   {"tools.input-schema-object"},
                   [](Departure& d) {
                     if (d.is_result_of("tools/list") && !d.result()["tools"].empty()) {
                       d.result()["tools"][0]["inputSchema"] = nullptr;
                     }
                   }),
      header_fault("input-schema-of-array", "Has a tool whose input schema wants an array",
                   {"tools.input-schema-object"},
                   [](Departure& d) {
                     if (d.is_result_of("tools/list") && !d.result()["tools"].empty()) {
                       d.result()["tools"][0]["inputSchema"] = Json::array();
                     }
                   }),
      header_fault("unknown-resource-empty-again", "Reads nothing where there is no such resource",
                   {"resources.no-empty-contents", "resources.not-found-error"},
                   [](Departure& d) {
                     if (d.is_error_of("resources/read", wire::kInvalidParams)) {
                       become_result(
                           d,
                           {{"contents", Json::array()}, {"ttlMs", 0}, {"cacheScope", "private"}});
                     }
                   },
                   // It takes every refusal of what it reads for one of the resource.
                   {"meta.missing-field-rejected"}),
      header_fault("missing-item-empty", "Reads nothing where its own scheme has no such resource",
                   {"resources.no-empty-contents"},
                   [](Departure& d) {
                     if (d.is_error_of("resources/read", wire::kInvalidParams) &&
                         asked_uri(d).starts_with("test://")) {
                       become_result(
                           d,
                           {{"contents", Json::array()}, {"ttlMs", 0}, {"cacheScope", "private"}});
                     }
                   },
                   {"meta.missing-field-rejected", "resources.not-found-error"}),
      header_fault("unknown-resource-internal", "Answers an unknown resource with -32603",
                   {"resources.not-found-error"},
                   [](Departure& d) {
                     if (d.is_error_of("resources/read", wire::kInvalidParams)) {
                       d.set_error_code(wire::kInternalError);
                     }
                   },
                   {"meta.missing-field-rejected"}),
  };
}

}  // namespace

std::vector<Fault> stateless_tool_faults() {
  return of_stateless_era({header_name_faults, header_place_faults, content_by_schema_faults});
}

}  // namespace assay::server
