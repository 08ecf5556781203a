// Faults of HTTP. Specification: basic/transports, "Streamable HTTP", and "HTTP with SSE".
#include <algorithm>
#include <string_view>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::find_header;
using transport::HttpDuty;
using transport::HttpHead;
using transport::HttpReply;

void set_content_type(HttpReply& reply, const char* from, const char* to) {
  for (auto& [name, value] : reply.headers) {
    if (name == "Content-Type" && value == from) value = to;
  }
}

// Whether the body of a POST looks like a request, and not like a notification or a response.
bool is_request(std::string_view body) {
  return body.find("\"id\"") != body.npos && body.find("\"method\"") != body.npos;
}

// Answers the request in the body, if there is one.
void answer_with(std::string_view body, const std::pair<const char*, Json>& outcome,
                 HttpReply& reply) {
  const Json asked = Json::parse(body, nullptr, false);
  if (!asked.is_object() || !asked.contains("id") || !asked.contains("method")) return;
  const Json answer = {{"jsonrpc", "2.0"}, {"id", asked["id"]}, {outcome.first, outcome.second}};
  reply = {200, {{"Content-Type", "application/json"}}, answer.dump(), nullptr};
}

std::vector<Fault> status_faults() {
  return {
      {.id = "notification-200",
       .description = "Accepts notifications with 200 instead of 202",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status == 202) reply.status = 200;
           }},
      {.id = "notification-202-with-body",
       .description = "Accepts notifications with a body",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status != 202) return;
             reply.headers.emplace_back("Content-Type", "text/plain");
             reply.body = "Accepted";
           }},
      {.id = "bad-message-200",
       .description = "Refuses notifications with 200 instead of an error status",
       .breaks = {"http.not-accepted-error-status"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             const bool is_notification = body.find("\"notifications/") != std::string_view::npos;
             if (is_notification && reply.status >= 400) reply.status = 200;
           }},
      {.id = "json-as-plain-text",
       .description = "Sends JSON answers as text/plain",
       .breaks = {"http.request-answer-type"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status == 200) set_content_type(reply, "application/json", "text/plain");
           }},
      {.id = "get-answered-with-text",
       .description = "Answers GET with plain text",
       .breaks = {"http.get-answer"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method != "GET" || reply.status != 200) return;
             reply = {200, {{"Content-Type", "text/plain"}}, "Hello", nullptr};
           }},
      {.id = "origin-unchecked",
       .description = "Serves pages of any origin",
       .breaks = {"http.origin-validated", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kChecksOrigin},
      {.id = "origin-by-prefix",
       .description = "Serves pages of any origin that begins like one of this machine",
       .breaks = {"http.origin-validated", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kComparesWholeOrigins},
      {.id = "origin-of-delete-unchecked",
       .description = "Lets pages of any origin end a session",
       .breaks = {"http.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .neglects = HttpDuty::kChecksOriginOfDeletes},
      {.id = "get-404",
       .description = "Knows no GET at the path that takes POST",
       .breaks = {"http.single-endpoint"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method == "GET" && reply.status == 200) reply = {404, {}, "", nullptr};
           }},
      {.id = "bad-version-header-406",
       .description = "Refuses a bad MCP-Protocol-Version with 406 instead of 400",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_protocol_version_header,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             const bool is_refused = reply.body.find("MCP-Protocol-Version") != std::string::npos;
             if (is_refused && reply.status == 400) reply.status = 406;
           }},
      {.id = "bad-version-header-of-notification",
       .description = "Accepts notifications with any MCP-Protocol-Version",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_protocol_version_header,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             const bool is_refused = reply.body.find("MCP-Protocol-Version") != std::string::npos;
             if (is_refused && body.find("\"notifications/") != std::string_view::npos) {
               reply = {202, {}, "", nullptr};
             }
           }},
      {.id = "version-header-demanded",
       .description = "Has no sessions, and refuses requests that do not name their version",
       .breaks = {"http.version-header-absent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_protocol_version_header,
       .neglects = HttpDuty::kKeepsSessions,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             const bool is_first = body.find("\"initialize\"") != std::string_view::npos;
             if (is_first || find_header(request.headers, "MCP-Protocol-Version")) return;
             reply = {400, {}, "", nullptr};
           }},
      {.id = "sse-as-plain-text",
       .description = "Calls the event stream of the older pair text/plain",
       .breaks = {"http-sse.sse-endpoint"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_http_sse,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             set_content_type(reply, "text/event-stream", "text/plain");
           }},
      {.id = "messages-of-other-type",
       .description = "Sends its messages as events of the type mcp",
       .breaks = {"http-sse.message-events"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_http_sse,
       .event =
           [](wire::SseEvent& event) {
             if (event.event == "message") event.event = "mcp";
           }},
      {.id = "pings-answered-in-post",
       .description = "Answers pings in the answer to their POST, and not on the stream",
       .breaks = {"http-sse.message-events"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_http_sse,
       .departure = drops<answer_to<"ping">>,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             const bool is_ping = body.find("\"ping\"") != std::string_view::npos;
             if (is_ping && reply.status == 202) {
               answer_with(body, {"result", Json::object()}, reply);
             }
           }},
      {.id = "messages-endpoint-404",
       .description = "Names an endpoint of the older pair that is not there",
       .breaks = {"http-sse.post-endpoint"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_http_sse,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.target.starts_with("/messages")) reply.status = 404;
           }},
      {.id = "origin-400",
       .description = "Refuses foreign origins with 400 instead of 403",
       .breaks = {"http.origin-invalid-403"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_origin_403,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status == 403) reply.status = 400;
           }},
      {.id = "bad-version-header-accepted",
       .description = "Accepts any MCP-Protocol-Version",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_protocol_version_header,
       .neglects = HttpDuty::kChecksProtocolVersion},
  };
}

bool is_missing_session(const HttpHead& request, const HttpReply& reply) {
  return reply.status == 400 && !find_header(request.headers, "MCP-Session-Id");
}

std::vector<Fault> session_faults() {
  return {
      {.id = "unknown-session-accepted",
       .description = "Serves requests of unknown sessions",
       .breaks = {"http.session-terminated-404"},
       // Answers in the newest session, which may be of a revision that does not prime streams; and
       // two sessions of the client's are one of the server's, whose event ids come twice.
       .may_break = {"http.stream-primed", "http.event-id-unique"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .neglects = HttpDuty::kChecksSession},
      {.id = "missing-session-403",
       .description = "Refuses requests without their session id with 403 instead of 400",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (is_missing_session(request, reply)) reply.status = 403;
           }},
      {.id = "missing-session-error-200",
       .description = "Refuses requests without their session id with an error in HTTP 200",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             if (!is_missing_session(request, reply)) return;
             answer_with(body, {"error", {{"code", -32000}, {"message", "No valid session"}}},
                         reply);
           }},
      {.id = "missing-session-lists-403",
       .description = "Answers pings without a session, and refuses all else with 403",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             if (!is_missing_session(request, reply)) return;
             const Json asked = Json::parse(body, nullptr, false);
             if (asked.is_object() && asked.value("method", Json()) == "ping") {
               answer_with(body, {"result", Json::object()}, reply);
             } else {
               reply.status = 403;
             }
           }},
      {.id = "ended-session-400",
       .description = "Refuses ended sessions with 400 instead of 404",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status == 404) reply.status = 400;
           }},
      {.id = "delete-ignored",
       .description = "Says that it ends a session, and does not",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .neglects = HttpDuty::kEndsSessionOnDelete},
      {.id = "ended-session-get-400",
       .description = "Refuses GET of ended sessions with 400 instead of 404",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method == "GET" && reply.status == 404) reply.status = 400;
           }},
      {.id = "missing-session-notification-404",
       .description = "Refuses notifications and responses without a session id with 404",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             const bool has_id = find_header(request.headers, "MCP-Session-Id").has_value();
             if (reply.status == 400 && !has_id && request.method == "POST" && !is_request(body)) {
               reply.status = 404;
             }
           }},
      {.id = "ended-session-notified",
       .description = "Accepts notifications and responses of ended sessions",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             if (request.method != "POST" || is_request(body) || reply.status != 404) return;
             reply = {202, {}, "", nullptr};
           }},
      {.id = "missing-session-get-404",
       .description = "Refuses GET and DELETE without a session id with 404 instead of 400",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             const bool has_id = find_header(request.headers, "MCP-Session-Id").has_value();
             if (request.method != "POST" && reply.status == 400 && !has_id) reply.status = 404;
           }},
      {.id = "session-id-with-space",
       .description = "Makes session ids with a space in them",
       .breaks = {"http.session-id-visible-ascii"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .session_id = [](std::string id) { return id.insert(id.size() / 2, " "); }},
      {.id = "session-id-short",
       .description = "Makes session ids that can be guessed",
       .breaks = {"http.session-id-secure"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .session_id = [](std::string id) { return id.substr(0, 4); }},
  };
}

}  // namespace

std::vector<Fault> http_faults() {
  std::vector<Fault> all = status_faults();
  for (std::vector<Fault> (*table)() : {session_faults, http_stream_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
