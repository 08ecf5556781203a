// What a client can get wrong in HTTP requests, and in requests that stand alone. Specification:
// basic/transports; 2026-07-28: basic, "_meta".
#include <algorithm>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

bool is_list_of_prompts(const Json& body) {
  return asks_for(body, "prompts/list");
}

void set_field(transport::Headers& fields, std::string_view name, std::string_view value) {
  std::erase_if(fields,
                [&](const auto& field) { return wire::equals_without_case(field.first, name); });
  if (!value.empty()) fields.emplace_back(name, value);
}

}  // namespace

std::vector<Fault> wire_faults() {
  return {
      {.id = "post-accepts-json-only",
       .description = "Accepts no event stream in answer to a POST",
       .breaks = {"http.post-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_list_of_prompts(body)) set_field(fields, "Accept", "application/json");
           }},
      {.id = "get-accepts-json-only",
       .description = "Opens a stream and does not accept one",
       .breaks = {"http.get-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view method, const Json&, transport::Headers& fields) {
             if (method == "GET") set_field(fields, "Accept", "application/json");
           }},
      {.id = "session-id-missing",
       .description = "Leaves the session id out of a request",
       .breaks = {"http.session-id-sent"},
       .may_break = {"lifecycle.initialize-first"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view method, const Json&, transport::Headers& fields) {
             if (method == "GET") set_field(fields, "Mcp-Session-Id", "");
           }},
      {.id = "version-header-missing",
       .description = "Leaves MCP-Protocol-Version out of a request",
       .breaks = {"http.version-header", "http.metadata-headers"},
       .may_break = {"http.version-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_list_of_prompts(body)) set_field(fields, "MCP-Protocol-Version", "");
           }},
      {.id = "version-header-of-another",
       .description = "Names another version in MCP-Protocol-Version than was negotiated",
       .breaks = {"http.version-header-negotiated"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_list_of_prompts(body)) set_field(fields, "MCP-Protocol-Version", "2024-11-05");
           }},
      {.id = "version-header-unlike-body",
       .description = "Names another version in MCP-Protocol-Version than in the request",
       .breaks = {"http.version-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_list_of_prompts(body)) set_field(fields, "MCP-Protocol-Version", "2025-11-25");
           }},
      {.id = "method-header-missing",
       .description = "Leaves Mcp-Method out of a request",
       .breaks = {"http.standard-headers", "http.metadata-headers"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_list_of_prompts(body)) set_field(fields, "Mcp-Method", "");
           }},
      {.id = "meta-without-capabilities",
       .description = "Does not say in a request what it is capable of",
       .breaks = {"meta.required-fields"},
       .departure =
           [](Departure& d) {
             if (d.is_request("prompts/list") && d.params().contains("_meta")) {
               d.params()["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
             }
           }},
      {.id = "sends-responses",
       .description = "Sends a response, where servers ask nothing",
       .breaks = {"transport.binding-directions", "http.client-no-responses",
                  "stdio.client-no-responses"},
       .may_break = {"jsonrpc.result-response-id", "jsonrpc.request-answered-once",
                     "http.post-body-request-or-notification"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             const Json extra = {{"jsonrpc", "2.0"}, {"id", "nobody"}, {"result", Json::object()}};
             d.after(extra.dump());
           }},
  };
}

}  // namespace assay::client
