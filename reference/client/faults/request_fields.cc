// Near misses in the header fields and the `_meta` of requests that stand alone. Specification of
// 2026-07-28: basic/transports/streamable-http, "Request Metadata"; server/tools, "x-mcp-header";
// basic, "_meta".
#include <string>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"

namespace assay::client {
namespace {

constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kOdderName = "gr\u00fczi";

bool calls_tool(const Json& body, std::string_view tool) {
  const Json::json_pointer name("/params/name");
  return asks_for(body, "tools/call") && body.contains(name) && body[name] == tool;
}

// The `_meta` of a request whose answer nothing rests on; null of others.
Json* meta_of_harmless(Departure& d) {
  return d.is_request("resources/list") ? &d.params()["_meta"] : nullptr;
}

}  // namespace

std::vector<Fault> request_field_faults() {
  return {
      {.id = "read-without-name-header",
       .description = "Leaves Mcp-Name out where it reads a resource",
       .breaks = {"http.standard-headers", "http.metadata-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "resources/read")) take_field_out(fields, "Mcp-Name");
           }},
      {.id = "prompt-without-name-header",
       .description = "Leaves Mcp-Name out where it gets a prompt",
       .breaks = {"http.standard-headers", "http.metadata-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "prompts/get")) take_field_out(fields, "Mcp-Name");
           }},
      {.id = "read-named-by-path",
       .description = "Says the path of a resource in Mcp-Name, and not its URI",
       .breaks = {"http.standard-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             std::string* name = field_in(fields, "Mcp-Name");
             const bool is_read = asks_for(body, "resources/read") && name != nullptr;
             if (is_read && name->starts_with("file://")) name->erase(0, 7);
           }},
      {.id = "method-header-in-capitals",
       .description = "Writes the method in capitals in Mcp-Method",
       .breaks = {"http.standard-headers", "http.call-headers-extracted"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls_tool(body, "test_headers"))
               overwrite_field(fields, "Mcp-Method", "TOOLS/CALL");
           }},
      {.id = "method-header-of-list-kept",
       .description = "Says in Mcp-Method still what it asked for first",
       .breaks = {"http.standard-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"list-in-pages"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "prompts/list"))
               overwrite_field(fields, "Mcp-Method", "tools/list");
           }},
      {.id = "name-header-of-other-call",
       .description = "Names in Mcp-Name the tool that it calls at the same time",
       .breaks = {"http.standard-headers", "http.call-headers-extracted"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"two-calls-at-once"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls_tool(body, "test_meets_other")) {
               overwrite_field(fields, "Mcp-Name", "test_meets_one");
             }
           }},
      {.id = "name-header-of-latin-1",
       .description = "Encodes the Latin-1 of a name for Mcp-Name, and not its UTF-8",
       .breaks = {"http.standard-headers", "http.name-header-encoded"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls_tool(body, kOdderName)) {
               overwrite_field(fields, "Mcp-Name", "=?base64?Z3L8emk=?=");
             }
           }},
      {.id = "name-header-percent-encoded",
       .description = "Writes a name beyond ASCII into Mcp-Name with percent signs",
       .breaks = {"http.standard-headers", "http.name-header-encoded",
                  "http.call-headers-extracted"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-standard-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (calls_tool(body, kOdderName)) overwrite_field(fields, "Mcp-Name", "gr%C3%BCzi");
           }},
      {.id = "false-parameter-left-out",
       .description = "Sends no header for a parameter that is false",
       .breaks = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                  "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             const std::string* value = field_in(fields, "Mcp-Param-Verbose");
             if (value != nullptr && *value == "false") take_field_out(fields, "Mcp-Param-Verbose");
           }},
      {.id = "boolean-parameter-in-capitals",
       .description = "Writes True for a parameter that is true",
       .breaks = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                  "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             overwrite_field(fields, "Mcp-Param-Debug", "True");
           }},
      {.id = "nested-parameter-left-out",
       .description = "Sends no header for a parameter inside of another",
       .breaks = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                  "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields = [](std::string_view, const Json&,
                    transport::Headers& fields) { take_field_out(fields, "Mcp-Param-Zone"); }},
      {.id = "parameters-of-first-call-only",
       .description = "Repeats parameters in headers in its first call, and in no later one",
       .breaks = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                  "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (!calls_tool(body, "test_custom_headers_null")) return;
             take_field_out(fields, "Mcp-Param-Region");
             take_field_out(fields, "Mcp-Param-Priority");
           }},
      {.id = "parameter-trimmed",
       .description = "Takes the blank at the beginning off a parameter for its header",
       .breaks = {"http.unsafe-value-base64", "http.parameter-values-encoded",
                  "http.call-parameters-encoded"},
       .may_break = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                     "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             overwrite_field(fields, "Mcp-Param-Leading", "us-west1");
           }},
      {.id = "parameter-lines-escaped",
       .description = "Writes a line break in a parameter as a backslash and an n",
       .breaks = {"http.unsafe-value-base64", "http.parameter-values-encoded",
                  "http.call-parameters-encoded"},
       .may_break = {"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                     "http.call-parameters-inspected", "http.call-parameter-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .shown_in = {"http-custom-headers"},
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             overwrite_field(fields, "Mcp-Param-ControlChar", "line1\\nline2");
           }},
      {.id = "listens-without-version-header",
       .description = "Leaves MCP-Protocol-Version out where it listens for changes",
       .breaks = {"http.version-header", "http.metadata-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"subscription-declined"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "subscriptions/listen"))
               take_field_out(fields, "MCP-Protocol-Version");
           }},
      {.id = "meta-without-version",
       .description = "Does not say in a request which version it speaks",
       .breaks = {"meta.required-fields"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) meta->erase("io.modelcontextprotocol/protocolVersion");
           }},
      {.id = "meta-with-capabilities-null",
       .description = "Says null in a request for what it is capable of",
       .breaks = {"meta.required-fields"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) (*meta)[kCapabilities] = nullptr;
           }},
      {.id = "meta-lost-on-retry",
       .description = "Sends a request again without the _meta that it had",
       .breaks = {"meta.required-fields"},
       .may_break = {"http.version-header-matches-body"},
       .shown_in = {"sep-2322-client-request-state"},
       .departure =
           [](Departure& d) {
             const bool is_retry = !d.part("requestState").is_null();
             if (is_retry && d.is_request("tools/call")) d.params().erase("_meta");
           }},
      {.id = "client-info-without-version",
       .description = "Says its name in a request, and not its version",
       .breaks = {"schema.client-requests"},
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) {
               (*meta)["io.modelcontextprotocol/clientInfo"] = {{"name", "nameless"}};
             }
           }},
      {.id = "forms-declared-by-true",
       .description = "Declares elicitation in a request by true, and not by an object",
       .breaks = {"schema.client-requests"},
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) (*meta)[kCapabilities]["elicitation"] = true;
           }},
      {.id = "listens-by-words",
       .description = "Says yes, and not true, for what it listens to",
       .breaks = {"schema.client-requests"},
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"subscription-declined"},
       .departure =
           [](Departure& d) {
             if (d.is_request("subscriptions/listen")) {
               d.params()["notifications"]["promptsListChanged"] = "yes";
             }
           }},
      {.id = "trace-of-zeros",
       .description = "Sends a traceparent whose trace id is zero",
       .breaks = {"meta.trace-context-format"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta == nullptr) return;
             (*meta)["traceparent"] = "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01";
           }},
      {.id = "trace-in-capitals",
       .description = "Writes a traceparent in capitals",
       .breaks = {"meta.trace-context-format"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta == nullptr) return;
             (*meta)["traceparent"] = "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01";
           }},
      {.id = "baggage-without-value",
       .description = "Sends baggage that is a word, and no key with a value",
       .breaks = {"meta.trace-context-format"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) (*meta)["baggage"] = "tenant";
           }},
      {.id = "extension-behind-slash",
       .description = "Declares an extension whose identifier begins with a slash",
       .breaks = {"versioning.extension-identifier"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             Json* meta = meta_of_harmless(d);
             if (meta != nullptr) (*meta)[kCapabilities]["extensions"]["/ui"] = Json::object();
           }},
  };
}

}  // namespace assay::client
