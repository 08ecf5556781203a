// Faults of the MCP endpoint where each POST stands alone. Specification:
// basic/transports/streamable-http (since 2026-07-28).
#include <algorithm>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/header_value.h"
#include "reference/transport/request_headers.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::Headers;
using transport::HttpDuty;
using transport::HttpHead;
using transport::HttpReply;

constexpr std::string_view kParameterPrefix = "Mcp-Param-";

bool is_named(const transport::Header& header, std::string_view name) {
  return transport::lower_case(header.first) == transport::lower_case(name);
}

bool is_parameter(const transport::Header& header) {
  return transport::lower_case(header.first)
      .starts_with(transport::lower_case(std::string(kParameterPrefix)));
}

void set_header(HttpHead& head, std::string_view name, std::string_view value) {
  std::erase_if(head.headers, [&](const auto& header) { return is_named(header, name); });
  head.headers.emplace_back(name, value);
}

// What the body says where a header has to say it too; nothing where it says nothing.
std::optional<std::string> said(const Json& body, std::string_view header) {
  const Json& params = member(body, "params");
  if (header == transport::kMethodHeader) return string_member(body, "method");
  if (header == transport::kProtocolVersionHeader) {
    return string_member(member(params, "_meta"), kProtocolVersionKey);
  }
  const std::optional<std::string> name = string_member(params, "name");
  return name ? name : string_member(params, "uri");
}

// Where the header is not there, it is taken to say what the body says.
template <const std::string_view& kHeader>
void do_without(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  if (value && !find_header(head.headers, kHeader)) set_header(head, kHeader, *value);
}

// Where the header is there, and says something else, it is taken to say what the body says.
template <const std::string_view& kHeader>
void believe_the_body(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  if (value && find_header(head.headers, kHeader)) set_header(head, kHeader, *value);
}

// The same where the two differ in case only.
template <const std::string_view& kHeader>
void ignore_case(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  const auto heard = find_header(head.headers, kHeader);
  if (value && heard && transport::lower_case(*heard) == transport::lower_case(*value)) {
    set_header(head, kHeader, *value);
  }
}

// The value that `body` has for a parameter's header, as far as it stands at the top.
const Json& argument_of(const Json& body, const transport::Header& header) {
  const Json& arguments = member(member(body, "params"), "arguments");
  const std::string wanted = transport::lower_case(header.first.substr(kParameterPrefix.size()));
  for (const auto& [name, value] : arguments.items()) {
    if (transport::lower_case(name) == wanted) return value;
  }
  return member(arguments, "");
}

bool is_encoded(std::string_view value) {
  return value.starts_with("=?base64?") && value.ends_with("?=");
}

std::vector<Fault> missing_header_faults() {
  return {
      {.id = "version-header-missing-accepted",
       .description = "Serves a request without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected", "http.header-body-mismatch-rejected"},
       .may_break = {"http.version-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = do_without<transport::kProtocolVersionHeader>},
      {.id = "method-header-missing-accepted",
       .description = "Serves a request without Mcp-Method",
       .breaks = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = do_without<transport::kMethodHeader>},
      {.id = "name-header-missing-accepted",
       .description = "Serves a request without Mcp-Name",
       .breaks = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = do_without<transport::kNameHeader>},
      {.id = "version-header-unread",
       .description = "Serves a request whose MCP-Protocol-Version is not that of its body",
       .breaks = {"http.version-mismatch-rejected", "http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = believe_the_body<transport::kProtocolVersionHeader>},
      {.id = "method-header-unread",
       .description = "Serves a request whose Mcp-Method is not that of its body",
       .breaks = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = believe_the_body<transport::kMethodHeader>},
      {.id = "name-header-unread",
       .description = "Serves a request whose Mcp-Name is not that of its body",
       .breaks = {"http.header-body-mismatch-rejected"},
       .may_break = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = believe_the_body<transport::kNameHeader>},
      {.id = "headers-unread",
       .description = "Does not look at the headers that mirror the body",
       .breaks = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
       .may_break = {"http.version-mismatch-rejected", "http.version-header-absent-rejected",
                     "http.parameter-header-missing-rejected", "http.base64-decoded",
                     "http.base64-decoded-before-compare", "http.parameter-header-characters"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .neglects = HttpDuty::kChecksParameterHeaders,
       .mishears =
           [](const Json& body, HttpHead& head) {
             std::erase_if(head.headers, is_parameter);
             for (const std::string_view name :
                  {transport::kProtocolVersionHeader, transport::kMethodHeader,
                   transport::kNameHeader}) {
               if (const auto value = said(body, name)) set_header(head, name, *value);
             }
           }},
      {.id = "method-header-without-case",
       .description = "Compares Mcp-Method with the body without regard to case",
       .breaks = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = ignore_case<transport::kMethodHeader>},
      {.id = "name-header-without-case",
       .description = "Compares Mcp-Name with the body without regard to case",
       .breaks = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears = ignore_case<transport::kNameHeader>},
      {.id = "header-names-by-case",
       .description = "Knows the header Mcp-Method in this spelling alone",
       .breaks = {"http.header-names-case-insensitive"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json&, HttpHead& head) {
             std::erase_if(head.headers, [](const auto& header) {
               return is_named(header, transport::kMethodHeader) &&
                      header.first != transport::kMethodHeader;
             });
           }},
      {.id = "encoded-names-compared",
       .description = "Compares an encoded Mcp-Name with the body as it stands",
       .breaks = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .may_break = {"http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json&, HttpHead& head) {
             const auto name = find_header(head.headers, transport::kNameHeader);
             if (name && is_encoded(*name)) set_header(head, transport::kNameHeader, "undecoded");
           }},
  };
}

std::vector<Fault> parameter_header_faults() {
  return {
      {.id = "parameter-headers-unread",
       .description = "Does not compare Mcp-Param headers with the body",
       .breaks = {"http.parameter-header-matches-body", "http.header-body-mismatch-rejected",
                  "http.parameter-header-missing-rejected", "http.parameter-header-characters"},
       .may_break = {"http.base64-decoded-before-compare", "http.base64-decoded"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .neglects = HttpDuty::kChecksParameterHeaders},
      {.id = "parameter-headers-misread",
       .description = "Serves a call whose Mcp-Param headers say something else",
       .breaks = {"http.parameter-header-matches-body", "http.header-body-mismatch-rejected"},
       .may_break = {"http.parameter-header-characters", "http.base64-decoded-before-compare"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header)) continue;
               const Json& value = argument_of(body, header);
               if (value.is_string()) header.second = value.get<std::string>();
               if (value.is_number() || value.is_boolean()) header.second = value.dump();
             }
           }},
      {.id = "parameter-headers-missing-accepted",
       .description = "Serves a call that lacks the header of an argument",
       .breaks = {"http.parameter-header-missing-rejected"},
       .may_break = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json& body, HttpHead& head) {
             const Json& arguments = member(member(body, "params"), "arguments");
             for (const auto& [name, value] : arguments.items()) {
               std::string header = std::string(kParameterPrefix) + name;
               if (find_header(head.headers, header) || value.is_object()) continue;
               const bool is_plain =
                   value.is_string() &&
                   transport::decode_header_value(value.get_ref<const std::string&>()).has_value();
               if (is_plain) head.headers.emplace_back(header, value.get<std::string>());
               if (!value.is_string()) head.headers.emplace_back(header, value.dump());
             }
           }},
      {.id = "encoded-parameters-compared",
       .description = "Compares encoded Mcp-Param headers with the body as they stand",
       .breaks = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .may_break = {"http.parameter-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json&, HttpHead& head) {
             for (auto& header : head.headers) {
               if (is_parameter(header) && is_encoded(header.second)) header.second = "undecoded";
             }
           }},
      {.id = "parameter-header-characters-accepted",
       .description = "Takes bytes in Mcp-Param headers that no header may have",
       .breaks = {"http.parameter-header-characters"},
       .may_break = {"http.parameter-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header) || transport::decode_header_value(header.second)) continue;
               const Json& value = argument_of(body, header);
               if (value.is_string() && !is_encoded(header.second)) {
                 header.second = value.get<std::string>();
               }
             }
             // What is not plain text is given as the server would want it.
             std::erase_if(head.headers, [](const auto& header) {
               return is_parameter(header) && !transport::decode_header_value(header.second);
             });
           }},
      {.id = "integers-compared-as-text",
       .description = "Takes 42.0 in a header for another number than 42",
       .breaks = {"http.integer-headers-numeric"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header)) continue;
               const Json& value = argument_of(body, header);
               if (value.is_number_integer() && header.second != value.dump()) {
                 header.second = "another";
               }
             }
           }},
      {.id = "headers-of-null-demanded",
       .description = "Wants a header for an argument that is null or left out",
       .breaks = {"http.parameter-header-not-expected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json& body, HttpHead& head) {
             const Json& arguments = member(member(body, "params"), "arguments");
             const bool has_headers =
                 string_member(member(body, "params"), "name") == "test_custom_headers";
             const bool is_given = !member(arguments, "region").is_null();
             if (has_headers && !is_given) set_header(head, "Mcp-Param-Region", "expected");
           }},
  };
}

// Whether the answer is an error with that code.
bool has_code(const HttpReply& reply, std::string_view code) {
  return reply.body.find("\"code\":" + std::string(code)) != std::string::npos;
}

template <int kStatus, const std::string_view& kCode>
void answer_with_status(const HttpHead&, std::string_view, HttpReply& reply) {
  if (reply.status >= 400 && has_code(reply, kCode)) reply.status = kStatus;
}
constexpr std::string_view kMismatchCode = "-32020";
constexpr std::string_view kCapabilityCode = "-32021";
constexpr std::string_view kVersionCode = "-32022";
constexpr std::string_view kParamsCode = "-32602";
constexpr std::string_view kMethodCode = "-32601";

Fault status_fault(std::string_view id, std::string_view description,
                   std::vector<std::string_view> breaks,
                   void (*reply)(const HttpHead&, std::string_view, HttpReply&)) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .seen_over = SeenOver::kHttpOnly,
          .concerns = is_stateless,
          .reply = reply};
}

std::vector<Fault> stateless_status_faults() {
  return {
      status_fault("mismatch-200", "Refuses headers that do not match with status 200",
                   {"http.header-failure-400", "http.parameter-header-mismatch-400",
                    "http.version-mismatch-rejected"},
                   answer_with_status<200, kMismatchCode>),
      status_fault("mismatch-422", "Refuses headers that do not match with status 422",
                   {"http.header-failure-400", "http.parameter-header-mismatch-400",
                    "http.version-mismatch-rejected"},
                   answer_with_status<422, kMismatchCode>),
      status_fault("missing-capability-200", "Refuses for want of a capability with status 200",
                   {"meta.missing-capability-400"}, answer_with_status<200, kCapabilityCode>),
      status_fault("missing-capability-403", "Refuses for want of a capability with status 403",
                   {"meta.missing-capability-400"}, answer_with_status<403, kCapabilityCode>),
      status_fault("unsupported-version-200", "Refuses an unknown version with status 200",
                   {"http.version-unsupported-400"}, answer_with_status<200, kVersionCode>),
      status_fault("unsupported-version-404", "Refuses an unknown version with status 404",
                   {"http.version-unsupported-400"}, answer_with_status<404, kVersionCode>),
      status_fault("missing-field-200", "Refuses a request that lacks a field with status 200",
                   {"meta.missing-field-400"}, answer_with_status<200, kParamsCode>),
      status_fault("missing-field-422", "Refuses a request that lacks a field with status 422",
                   {"meta.missing-field-400"}, answer_with_status<422, kParamsCode>),
      status_fault("unknown-method-200", "Answers an unknown method with status 200",
                   {"http.unknown-method-404"}, answer_with_status<200, kMethodCode>),
      status_fault("unknown-method-400", "Answers an unknown method with status 400",
                   {"http.unknown-method-404"}, answer_with_status<400, kMethodCode>),
      status_fault("unknown-method-mute", "Answers an unknown method with 404 and nothing else",
                   {"http.unknown-method-404"},
                   [](const HttpHead&, std::string_view, HttpReply& reply) {
                     if (reply.status == 404 && has_code(reply, kMethodCode)) {
                       reply = {404, {}, "", nullptr};
                     }
                   }),
      status_fault("mismatch-other-code", "Refuses headers that do not match with -32602",
                   {"http.header-failure-error", "http.parameter-header-mismatch-400",
                    "http.version-mismatch-rejected"},
                   [](const HttpHead&, std::string_view, HttpReply& reply) {
                     const std::size_t place = reply.body.find("\"code\":-32020");
                     if (place != std::string::npos)
                       reply.body.replace(place, 13, "\"code\":-32602");
                   }),
      status_fault("mismatch-mute", "Refuses headers that do not match without a word",
                   {"http.header-failure-error", "http.parameter-header-mismatch-400",
                    "http.version-mismatch-rejected"},
                   [](const HttpHead&, std::string_view, HttpReply& reply) {
                     if (has_code(reply, kMismatchCode)) reply = {400, {}, "", nullptr};
                   }),
  };
}

bool is_stateless_post(const HttpHead& request, std::string_view body) {
  return request.method == "POST" && body.find(kProtocolVersionKey) != std::string_view::npos;
}

std::vector<Fault> older_client_faults() {
  return {
      status_fault("session-id-issued", "Issues a session id with each answer",
                   {"http.old-session-id-ignored"},
                   [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                     if (is_stateless_post(request, body) && reply.status == 200) {
                       reply.headers.emplace_back("Mcp-Session-Id", "0123456789abcdef");
                     }
                   }),
      status_fault("session-id-sent-back", "Sends the session id of older clients back",
                   {"http.old-session-id-ignored"},
                   [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                     const auto id = find_header(request.headers, "Mcp-Session-Id");
                     if (id && is_stateless_post(request, body)) {
                       reply.headers.emplace_back("Mcp-Session-Id", std::string(*id));
                     }
                   }),
      status_fault("old-session-id-refused", "Does not know the session of an older client",
                   {"http.old-session-id-ignored"},
                   [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                     if (is_stateless_post(request, body) &&
                         find_header(request.headers, "Mcp-Session-Id")) {
                       reply = {404, {}, "", nullptr};
                     }
                   }),
      status_fault("old-last-event-id-refused", "Does not know the event that an older client saw",
                   {"http.old-last-event-id-ignored"},
                   [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                     if (is_stateless_post(request, body) &&
                         find_header(request.headers, "Last-Event-ID")) {
                       reply = {400, {}, "", nullptr};
                     }
                   }),
      status_fault("old-get-404", "Answers a GET of older clients with 404",
                   {"http.old-methods-405"},
                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                     if (request.method == "GET" && reply.status == 405) {
                       reply = {404, {}, "", nullptr};
                     }
                   }),
      status_fault("old-delete-200", "Answers a DELETE of older clients with 200",
                   {"http.old-methods-405"},
                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                     if (request.method == "DELETE" && reply.status == 405) {
                       reply = {200, {}, "", nullptr};
                     }
                   }),
      status_fault("proxies-unwarned", "Does not tell proxies to let events through",
                   {"http.no-proxy-buffering"},
                   [](const HttpHead&, std::string_view, HttpReply& reply) {
                     std::erase_if(reply.headers, [](const auto& header) {
                       return is_named(header, "X-Accel-Buffering");
                     });
                   }),
      {.id = "disconnection-unnoticed",
       .description = "Works on for a client that has closed its stream",
       .breaks = {"cancellation.disconnect-cancels"},
       .may_break = {"cancellation.stop-processing", "http.cancelled-no-messages"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .neglects = HttpDuty::kStopsWithClient},
      {.id = "null-origin-served",
       .description = "Serves pages without an origin of their own",
       .breaks = {"http.origin-validated", "http.origin-invalid-403"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = is_stateless,
       .mishears =
           [](const Json&, HttpHead& head) {
             std::erase_if(head.headers, [](const auto& header) {
               return is_named(header, "Origin") && header.second == "null";
             });
           }},
      status_fault("stateless-origin-401", "Refuses foreign pages with 401",
                   {"http.origin-invalid-403"},
                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                     if (reply.status == 403 && find_header(request.headers, "Origin")) {
                       reply.status = 401;
                     }
                   }),
      status_fault("stateless-answers-as-text", "Calls its answers text/plain",
                   {"http.request-answer-type"},
                   [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                     if (!is_stateless_post(request, body) || reply.status != 200) return;
                     for (auto& [name, value] : reply.headers) {
                       if (name == "Content-Type" && value == "application/json") {
                         value = "text/plain";
                       }
                     }
                   }),
  };
}

}  // namespace

std::vector<Fault> stateless_http_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() : {missing_header_faults, parameter_header_faults,
                                        stateless_status_faults, older_client_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
