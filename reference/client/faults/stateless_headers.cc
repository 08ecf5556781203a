// How a client can be wrong in the header fields that repeat what a request says. Specification of
// 2026-07-28: basic/transports/streamable-http, "Request Metadata"; server/tools, "x-mcp-header".
#include <string>

#include "reference/client/faults/fault.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

constexpr std::string_view kParameterPrefix = "Mcp-Param-";
constexpr const char* kTool = "test_custom_headers";
constexpr std::int64_t kTooLarge = 9007199254740992;  // 2^53

Json part_of(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : Json();
}
bool calls(const Json& body, const char* tool) {
  return part_of(body, "method") == "tools/call" &&
         part_of(part_of(body, "params"), "name") == tool;
}
void put_field(transport::Headers& fields, std::string_view name, std::string_view value) {
  std::erase_if(fields,
                [&](const auto& field) { return wire::equals_without_case(field.first, name); });
  if (!value.empty()) fields.emplace_back(name, value);
}
// Puts that name into Mcp-Name as it is, where the request names it.
void name_bare(const Json& body, const char* name, transport::Headers& fields) {
  if (part_of(part_of(body, "params"), "name") == name) put_field(fields, "Mcp-Name", name);
}
// The argument of the tool that repeats arguments.
Json argument(const Json& body, const char* name) {
  return calls(body, kTool) ? part_of(part_of(part_of(body, "params"), "arguments"), name) : Json();
}

// The text of the argument, as it is.
void put_bare(const Json& body, const char* name, transport::Headers& fields, const char* header) {
  const Json value = argument(body, name);
  if (value.is_string()) put_field(fields, header, value.get<std::string>());
}

// Of the tools whose names begin so the client sees no annotation.
void keep_tools(Json& message, std::string_view begin) {
  const Json tools = part_of(part_of(message, "result"), "tools");
  for (std::size_t i = 0; tools.is_array() && i < tools.size(); ++i) {
    const Json name = part_of(tools[i], "name");
    if (!name.is_string() || !name.get<std::string>().starts_with(begin)) continue;
    message["result"]["tools"][i]["inputSchema"] = {{"type", "object"}};
  }
}

}  // namespace

std::vector<Fault> stateless_header_faults() {
  return {
      {.id = "call-without-name-header",
       .description = "Leaves Mcp-Name out of a call",
       .breaks = {"http.standard-headers", "http.metadata-headers", "http.call-headers-appended"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls(body, "test_headers")) put_field(fields, "Mcp-Name", "");
           }},
      {.id = "call-with-other-name-header",
       .description = "Names another tool in Mcp-Name than it calls",
       .breaks = {"http.standard-headers", "http.call-headers-extracted"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls(body, "test_headers")) put_field(fields, "Mcp-Name", "other");
           }},
      {.id = "name-header-bare",
       .description = "Puts a name beyond ASCII into Mcp-Name as it is",
       .breaks = {"http.name-header-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields = [](std::string_view, const Json& body,
                    transport::Headers& fields) { name_bare(body, "gr\u00fczi", fields); }},
      {.id = "name-header-with-blank-bare",
       .description = "Puts a name with a blank at its end into Mcp-Name as it is",
       .breaks = {"http.name-header-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields = [](std::string_view, const Json& body,
                    transport::Headers& fields) { name_bare(body, "test_headers ", fields); }},
      {.id = "name-header-like-encoded-bare",
       .description = "Puts a name that looks encoded into Mcp-Name as it is",
       .breaks = {"http.name-header-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             name_bare(body, "=?base64?dGVzdA==?=", fields);
           }},
      {.id = "prompt-name-header-bare",
       .description = "Puts the name of a prompt beyond ASCII into Mcp-Name as it is",
       .breaks = {"http.name-header-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields = [](std::string_view, const Json& body,
                    transport::Headers& fields) { name_bare(body, "gr\u00fcezi", fields); }},
      {.id = "parameters-not-mirrored",
       .description = "Knows nothing of x-mcp-header",
       .breaks = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                  "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             std::erase_if(fields, [](const auto& field) {
               return field.first.starts_with(kParameterPrefix);
             });
           }},
      {.id = "parameter-bare",
       .description = "Puts a text with blanks around it into a header as it is",
       .breaks = {"http.unsafe-value-base64", "http.parameter-values-encoded",
                  "http.call-parameters-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             put_bare(body, "whitespace_val", fields, "Mcp-Param-Whitespace");
           }},
      {.id = "sentinel-like-parameter-bare",
       .description = "Puts a text that looks encoded into a header as it is",
       .breaks = {"http.sentinel-like-value-base64", "http.parameter-values-encoded",
                  "http.call-parameters-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             put_bare(body, "sentinel_val", fields, "Mcp-Param-Sentinel");
           }},
      {.id = "marks-in-capitals",
       .description = "Writes the marks around Base64 in capitals",
       .breaks = {"http.base64-markers-exact"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (!calls(body, kTool)) return;
             for (auto& field : fields) {
               if (field.second.starts_with("=?base64?")) field.second.replace(2, 6, "BASE64");
             }
           }},
      {.id = "null-parameter-mirrored",
       .description = "Sends a header for a parameter that is null",
       .breaks = {"http.parameter-header-omitted", "http.call-parameters-inspected"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls(body, "test_custom_headers_null")) {
               put_field(fields, "Mcp-Param-Verbose", "null");
             }
           }},
      {.id = "large-integer-mirrored",
       .description = "Repeats an integer in a header that not every number can be",
       .breaks = {"tools.header-integer-safe"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (argument(d.json(), "priority").is_number()) {
               d.params()["arguments"]["priority"] = kTooLarge;
             }
           },
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (argument(body, "priority") == kTooLarge) {
               put_field(fields, "Mcp-Param-Priority", std::to_string(kTooLarge));
             }
           }},
      {.id = "tools-with-bad-headers-kept",
       .description = "Lists and calls tools whose x-mcp-header breaks the rules",
       .breaks = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
       .seen_over = SeenOver::kHttpOnly,
       .intake = [](Json& message, const FaultMemory&) { keep_tools(message, "invalid_"); }},
      {.id = "tools-with-headers-in-compositions-kept",
       .description = "Lists and calls tools whose x-mcp-header is in anyOf",
       .breaks = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
       .seen_over = SeenOver::kHttpOnly,
       .intake = [](Json& message,
                    const FaultMemory&) { keep_tools(message, "invalid_in_any_of"); }},
      {.id = "tools-with-headers-in-conditions-kept",
       .description = "Lists and calls tools whose x-mcp-header is in if, then or else",
       .breaks = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
       .seen_over = SeenOver::kHttpOnly,
       .intake =
           [](Json& message, const FaultMemory&) {
             for (const char* name : {"invalid_in_if", "invalid_in_then", "invalid_in_else"}) {
               keep_tools(message, name);
             }
           }},
      {.id = "tools-with-referenced-headers-kept",
       .description = "Lists and calls tools whose x-mcp-header is reached by $ref",
       .breaks = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
       .seen_over = SeenOver::kHttpOnly,
       .intake = [](Json& message, const FaultMemory&) { keep_tools(message, "invalid_by_ref"); }},
      {.id = "tools-with-bad-nested-headers-kept",
       .description = "Looks at the x-mcp-header of the outermost properties only",
       .breaks = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
       .seen_over = SeenOver::kHttpOnly,
       .intake = [](Json& message, const FaultMemory&) { keep_tools(message, "invalid_nested_"); }},
      {.id = "mismatch-not-followed",
       .description = "Does not look at the tools again when a header field is missed",
       .breaks = {"http.header-mismatch-refreshes-tools"},
       .seen_over = SeenOver::kHttpOnly,
       .intake =
           [](Json& message, const FaultMemory&) {
             constexpr int kMismatch = -32020;
             constexpr int kAnother = -32602;
             const bool is_it = part_of(part_of(message, "error"), "code") == kMismatch;
             if (is_it) message["error"]["code"] = kAnother;
           }},
      {.id = "posts-arrays",
       .description = "Sends two requests in one array",
       .breaks = {"http.message-per-post", "http.post-body-request-or-notification"},
       .may_break = {"schema.no-batches"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             Json extra = d.json();
             extra["id"] = "extra";
             d.after(Json::array({d.json(), extra}).dump());
           }},
      {.id = "cancels-what-nobody-asked",
       .description = "Cancels a request that it never sent",
       .breaks = {"cancellation.same-direction"},
       .concerns = &model::Revision::is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             const Json note = {{"jsonrpc", "2.0"},
                                {"method", "notifications/cancelled"},
                                {"params", {{"requestId", "nobody"}}}};
             d.after(note.dump());
           }},
      {.id = "trace-of-no-format",
       .description = "Sends a traceparent that is none",
       .breaks = {"meta.trace-context-format"},
       .departure =
           [](Departure& d) {
             if (d.is_request("resources/list")) d.params()["_meta"]["traceparent"] = "here";
           }},
      {.id = "elicitation-in-no-mode",
       .description = "Declares elicitation in no mode that there is",
       .breaks = {"elicitation.some-mode-supported"},
       .concerns = &model::Revision::is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             Json& meta = d.params()["_meta"];
             meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"] = {
                 {"speech", Json::object()}};
           }},
      {.id = "extension-without-prefix",
       .description = "Declares an extension whose identifier has no prefix",
       .breaks = {"versioning.extension-identifier"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             Json& meta = d.params()["_meta"];
             meta["io.modelcontextprotocol/clientCapabilities"]["extensions"]["ui"] =
                 Json::object();
           }},
  };
}

}  // namespace assay::client
