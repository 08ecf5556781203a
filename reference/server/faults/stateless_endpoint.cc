// Faults of the MCP endpoint where each POST stands alone: statuses, and what older clients get.
// Specification: basic/transports/streamable-http (since 2026-07-28).
#include <algorithm>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/http_text.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::HttpDuty;
using transport::HttpHead;
using transport::HttpReply;

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
      status_fault("missing-capability-200", "Reports a missing capability with status 200",
                   {"meta.missing-capability-400"}, answer_with_status<200, kCapabilityCode>),
      status_fault("missing-capability-403", "Reports a missing capability with status 403",
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
                   {"http.unknown-method-404", "jsonrpc.unknown-method-refused"},
                   [](const HttpHead&, std::string_view, HttpReply& reply) {
                     if (reply.status == 404 && has_code(reply, kMethodCode)) {
                       reply = {404, {}, "", nullptr};
                     }
                   }),
      status_fault("initialize-error-mute-over-http",
                   "Answers initialize with an error that names no version",
                   {"versioning.initialize-error-names-versions"},
                   [](const HttpHead&, std::string_view body, HttpReply& reply) {
                     if (body.find("\"initialize\"") == std::string_view::npos) return;
                     Json answer = Json::parse(reply.body, nullptr, false);
                     if (!member(answer, "error").is_object()) return;
                     answer["error"].erase("data");
                     answer["error"]["message"] = "Refused";
                     reply.body = wire::encode(answer);
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
                       return wire::equals_without_case(header.first, "X-Accel-Buffering");
                     });
                   }),
      {.id = "stateless-streams-left-open",
       .description = "Does not end a stream that has carried more than an answer",
       .breaks = {"http.stream-closed-after-response"},
       .seen_over = SeenOver::kHttpOnly,
       .leaves_streams_open = true},
      {.id = "disconnection-unnoticed",
       .description = "Works on for a client that has closed its stream",
       .breaks = {"cancellation.disconnect-cancels"},
       .may_break = {"cancellation.stop-processing", "http.cancelled-no-messages"},
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kStopsWithClient},
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

std::vector<Fault> stateless_endpoint_faults() {
  return of_stateless_era({stateless_status_faults, older_client_faults});
}

}  // namespace assay::server
