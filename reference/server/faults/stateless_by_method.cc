// Faults of servers that look at what each request must carry for some methods only, or for the
// first thing of a kind only: as where calls of tools have a route of their own. Specification:
// basic ("_meta"), basic/versioning, basic/transports/streamable-http (since 2026-07-28).
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::HttpHead;

std::string_view own_version() {
  return model::Revision::newest_stateless().text();
}

template <Literal kMethod>
bool asks_for(const Json& message) {
  return string_member(message, "method") == kMethod.text();
}

// --- what is in `_meta` ---

// "If the server does not support the requested version, it MUST respond with an
// UnsupportedProtocolVersionError": whatever the method.
template <Literal kMethod>
void serve_any_version(Json& message, FaultMemory&) {
  if (!asks_for<kMethod>(message) || !has_meta(message)) return;
  Json& version = meta_of(message)[kProtocolVersionKey];
  if (version.is_string()) version = own_version();
}

// And whatever stands behind what it supports, or is left out of it.
void serve_longer_version(Json& message, FaultMemory&) {
  if (!has_meta(message)) return;
  Json& version = meta_of(message)[kProtocolVersionKey];
  if (version.is_string() && version.get_ref<const std::string&>().starts_with(own_version())) {
    version = own_version();
  }
}

void serve_version_of_month(Json& message, FaultMemory&) {
  if (!has_meta(message)) return;
  Json& version = meta_of(message)[kProtocolVersionKey];
  const std::string_view month = own_version().substr(0, own_version().rfind('-'));
  if (version == month) version = own_version();
}

template <Literal kMethod>
void do_without_version(Json& message, FaultMemory&) {
  if (!asks_for<kMethod>(message) || !has_meta(message)) return;
  meta_of(message).emplace(std::string(kProtocolVersionKey), own_version());
}

template <Literal kMethod>
void do_without_capabilities(Json& message, FaultMemory&) {
  if (!asks_for<kMethod>(message) || !has_meta(message)) return;
  meta_of(message).emplace(std::string(kClientCapabilitiesKey), Json::object());
}

template <Literal kMethod>
void do_without_meta(Json& message, FaultMemory&) {
  if (!asks_for<kMethod>(message) || !is_request_json(message) || has_meta(message)) return;
  meta_of(message) = {{kProtocolVersionKey, own_version()},
                      {kClientCapabilitiesKey, Json::object()}};
}

Fault version_fault(std::string_view id, std::string_view description,
                    void (*intake)(Json&, FaultMemory&)) {
  return {.id = id,
          .description = description,
          .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
          .intake = intake};
}

Fault meta_fault(std::string_view id, std::string_view description,
                 void (*intake)(Json&, FaultMemory&)) {
  return {.id = id,
          .description = description,
          .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
          .intake = intake};
}

std::vector<Fault> meta_by_method() {
  return {
      version_fault("unsupported-version-of-calls-served",
                    "Serves calls of tools whatever version they name",
                    serve_any_version<"tools/call">),
      version_fault("unsupported-version-of-reads-served",
                    "Reads resources whatever version the request names",
                    serve_any_version<"resources/read">),
      version_fault("unsupported-version-of-prompts-served",
                    "Makes prompts whatever version the request names",
                    serve_any_version<"prompts/get">),
      version_fault("unsupported-version-of-lists-served",
                    "Lists prompts whatever version the request names",
                    serve_any_version<"prompts/list">),
      version_fault("unsupported-version-of-completions-served",
                    "Completes arguments whatever version the request names",
                    serve_any_version<"completion/complete">),
      version_fault("unsupported-version-of-listeners-served",
                    "Subscribes clients whatever version they name",
                    serve_any_version<"subscriptions/listen">),
      version_fault("longer-version-served", "Serves a version that begins with its own",
                    serve_longer_version),
      version_fault("version-of-month-served", "Serves its version without the day",
                    serve_version_of_month),
      meta_fault("missing-version-of-calls-accepted",
                 "Serves a call of a tool that names no version", do_without_version<"tools/call">),
      meta_fault("missing-capabilities-of-calls-accepted",
                 "Serves a call of a tool that declares no capabilities, not even none",
                 do_without_capabilities<"tools/call">),
      meta_fault("missing-capabilities-of-reads-accepted",
                 "Reads a resource for a client that declares no capabilities, not even none",
                 do_without_capabilities<"resources/read">),
      meta_fault("missing-version-of-completions-accepted",
                 "Completes an argument for a request that names no version",
                 do_without_version<"completion/complete">),
      meta_fault("missing-version-of-listeners-accepted",
                 "Subscribes a client that names no version",
                 do_without_version<"subscriptions/listen">),
      meta_fault("missing-version-of-discovery-accepted",
                 "Says what it speaks to a request that names no version",
                 do_without_version<"server/discover">),
      meta_fault("missing-capabilities-of-lists-accepted",
                 "Lists prompts for a client that declares no capabilities, not even none",
                 do_without_capabilities<"prompts/list">),
      {.id = "missing-capabilities-of-listeners-other-code",
       .description =
           "Answers a subscription of a client that declares no capabilities with -32603",
       .breaks = {"meta.missing-field-rejected"},
       .departure =
           [](Departure& d) {
             const Json& meta = member(asked_params(d), "_meta");
             if (!d.answers("subscriptions/listen") || !d.is_error()) return;
             if (!meta.contains(kClientCapabilitiesKey)) d.set_error_code(wire::kInternalError);
           }},
      {.id = "unsupported-version-of-listeners-other-code",
       .description = "Answers a subscription in an unknown version with -32602",
       .breaks = {"versioning.unsupported-version-error"},
       .may_break = {"http.version-unsupported-400"},
       .departure =
           [](Departure& d) {
             if (!d.answers("subscriptions/listen")) return;
             if (d.has_error_code(kUnsupportedProtocolVersion)) {
               d.set_error_code(wire::kInvalidParams);
             }
           }},
      meta_fault("missing-meta-of-prompts-accepted", "Makes a prompt for a request without _meta",
                 do_without_meta<"prompts/get">),
  };
}

// --- header fields ---

// "Servers that process the request body MUST reject requests where the values specified in the
// headers do not match the values in the request body": whatever the method.
std::optional<std::string> in_body(const Json& body, std::string_view header) {
  const Json& params = member(body, "params");
  if (header == transport::kMethodHeader) return string_member(body, "method");
  if (header == transport::kNameHeader) {
    const auto name = string_member(params, "name");
    return name ? name : string_member(params, "uri");
  }
  return string_member(member(params, "_meta"), kProtocolVersionKey);
}

void set_to_body(const Json& body, HttpHead& head, std::string_view header) {
  const auto value = in_body(body, header);
  if (!value) return;
  std::erase_if(head.headers, [&](const transport::Header& each) {
    return transport::lower_case(each.first) == transport::lower_case(header);
  });
  head.headers.emplace_back(header, *value);
}

template <Literal kMethod, const std::string_view& kHeader>
void believe_body(const Json& body, HttpHead& head) {
  if (asks_for<kMethod>(body) && find_header(head.headers, kHeader)) {
    set_to_body(body, head, kHeader);
  }
}

template <Literal kMethod, const std::string_view& kHeader>
void do_without_header(const Json& body, HttpHead& head) {
  if (asks_for<kMethod>(body) && !find_header(head.headers, kHeader)) {
    set_to_body(body, head, kHeader);
  }
}

// What the server lists first of each kind.
constexpr std::array<std::string_view, 3> kFirstNames = {"test_simple_text", "test_simple_prompt",
                                                         "test://static-text"};

// Compares Mcp-Name of the first of a kind, and of no other.
template <Literal kMethod>
void believe_later_names(const Json& body, HttpHead& head) {
  const auto name = in_body(body, transport::kNameHeader);
  const bool is_first =
      name && std::find(kFirstNames.begin(), kFirstNames.end(), *name) != kFirstNames.end();
  if (!is_first) believe_body<kMethod, transport::kNameHeader>(body, head);
}

Fault method_fault(std::string_view id, std::string_view description,
                   void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.header-body-mismatch-rejected"},
          .mishears = mishears};
}

Fault version_header_fault(std::string_view id, std::string_view description,
                           void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.version-mismatch-rejected", "http.header-body-mismatch-rejected"},
          .mishears = mishears};
}

std::vector<Fault> headers_of_listeners() {
  return {
      method_fault("method-header-of-listeners-unread",
                   "Subscribes clients though Mcp-Method is not that of the body",
                   believe_body<"subscriptions/listen", transport::kMethodHeader>),
      method_fault("method-header-of-listeners-missing", "Subscribes clients without Mcp-Method",
                   do_without_header<"subscriptions/listen", transport::kMethodHeader>),
      version_header_fault("version-header-of-listeners-unread",
                           "Subscribes clients though the version is not that of the body",
                           believe_body<"subscriptions/listen", transport::kProtocolVersionHeader>),
      {.id = "version-header-of-listeners-missing",
       .description = "Subscribes clients without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected"},
       .may_break = {"http.version-mismatch-rejected", "http.header-body-mismatch-rejected"},
       .mishears = do_without_header<"subscriptions/listen", transport::kProtocolVersionHeader>},
      {.id = "missing-capabilities-of-listeners-in-200",
       .description = "Answers a subscription whose _meta lacks a field with HTTP 200",
       .breaks = {"meta.missing-field-400"},
       .reply =
           [](const HttpHead&, std::string_view body, transport::HttpReply& reply) {
             const bool is_listening = body.find("subscriptions/listen") != std::string_view::npos;
             if (is_listening && body.find(kClientCapabilitiesKey) == std::string_view::npos) {
               reply.status = 200;
             }
           }},
  };
}

std::vector<Fault> headers_by_method() {
  return {
      method_fault("method-header-of-calls-unread",
                   "Serves calls of tools whose Mcp-Method is not that of the body",
                   believe_body<"tools/call", transport::kMethodHeader>),
      method_fault("method-header-of-reads-unread",
                   "Reads resources though Mcp-Method is not that of the body",
                   believe_body<"resources/read", transport::kMethodHeader>),
      method_fault("method-header-of-prompts-unread",
                   "Makes prompts though Mcp-Method is not that of the body",
                   believe_body<"prompts/get", transport::kMethodHeader>),
      method_fault("method-header-of-calls-missing", "Serves calls of tools without Mcp-Method",
                   do_without_header<"tools/call", transport::kMethodHeader>),
      version_header_fault("version-header-of-calls-unread",
                           "Serves calls of tools whose version is not that of the body",
                           believe_body<"tools/call", transport::kProtocolVersionHeader>),
      version_header_fault("version-header-of-reads-unread",
                           "Reads resources though the version is not that of the body",
                           believe_body<"resources/read", transport::kProtocolVersionHeader>),
      {.id = "version-header-of-reads-missing",
       .description = "Serves reads without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected", "http.header-body-mismatch-rejected"},
       .may_break = {"http.version-mismatch-rejected"},
       .mishears = do_without_header<"resources/read", transport::kProtocolVersionHeader>},
      {.id = "version-header-of-discovery-missing",
       .description = "Serves server/discover without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected", "http.header-body-mismatch-rejected"},
       .may_break = {"http.version-mismatch-rejected"},
       .mishears = do_without_header<"server/discover", transport::kProtocolVersionHeader>},
      {.id = "version-header-of-calls-missing",
       .description = "Serves calls of tools without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected", "http.header-body-mismatch-rejected"},
       .may_break = {"http.version-mismatch-rejected"},
       .mishears = do_without_header<"tools/call", transport::kProtocolVersionHeader>},
      name_header_fault("name-header-of-later-tools-unread",
                        "Compares Mcp-Name of the first tool, and of no other",
                        believe_later_names<"tools/call">),
      name_header_fault("name-header-of-later-prompts-unread",
                        "Compares Mcp-Name of the first prompt, and of no other",
                        believe_later_names<"prompts/get">),
      name_header_fault("name-header-of-later-resources-unread",
                        "Compares Mcp-Name of the first resource, and of no other",
                        believe_later_names<"resources/read">),
  };
}

}  // namespace

std::vector<Fault> stateless_method_faults() {
  std::vector<Fault> all = of_stateless_era({headers_by_method, headers_of_listeners});
  for (Fault& fault : all) fault.seen_over = SeenOver::kHttpOnly;
  for (Fault& fault : of_stateless_era({meta_by_method})) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
