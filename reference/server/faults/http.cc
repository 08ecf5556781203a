// Faults of HTTP. Specification: basic/transports, "Streamable HTTP", and "HTTP with SSE".
#include <algorithm>

#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::HttpDuty;
using transport::HttpHead;
using transport::HttpReply;

bool has_streamable_http(Revision revision) {
  return revision.has_streamable_http();
}
bool has_origin_403(Revision revision) {
  return revision.has_origin_403();
}
bool has_version_header(Revision revision) {
  return revision.has_protocol_version_header();
}
bool has_polling(Revision revision) {
  return revision.has_sse_polling();
}

void set_content_type(HttpReply& reply, const char* from, const char* to) {
  for (auto& [name, value] : reply.headers) {
    if (name == "Content-Type" && value == from) value = to;
  }
}

std::vector<Fault> status_faults() {
  return {
      {.id = "notification-200",
       .description = "Accepts notifications with 200 instead of 202",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead&, HttpReply& reply) {
             if (reply.status == 202) reply.status = 200;
           }},
      {.id = "notification-202-with-body",
       .description = "Accepts notifications with a body",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead&, HttpReply& reply) {
             if (reply.status != 202) return;
             reply.headers.emplace_back("Content-Type", "application/json");
             reply.body = "{}";
           }},
      {.id = "bad-message-200",
       .description = "Answers what it cannot accept with 200",
       .breaks = {"http.not-accepted-error-status"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead& request, HttpReply& reply) {
             const bool has_session =
                 transport::find_header(request.headers, "MCP-Session-Id").has_value();
             if (has_session && reply.status == 400) reply.status = 200;
           }},
      {.id = "json-as-plain-text",
       .description = "Sends JSON answers as text/plain",
       .breaks = {"http.request-answer-type"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead&, HttpReply& reply) {
             if (reply.status == 200) set_content_type(reply, "application/json", "text/plain");
           }},
      {.id = "get-answered-with-json",
       .description = "Answers GET with JSON",
       .breaks = {"http.get-answer"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead& request, HttpReply& reply) {
             if (request.method != "GET" || reply.status != 200) return;
             reply = {200, {{"Content-Type", "application/json"}}, "{}", nullptr};
           }},
      {.id = "origin-unchecked",
       .description = "Serves pages of any origin",
       .breaks = {"http.origin-validated", "http.origin-invalid-403", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kChecksOrigin},
      {.id = "origin-400",
       .description = "Refuses foreign origins with 400 instead of 403",
       .breaks = {"http.origin-invalid-403"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_origin_403,
       .reply =
           [](const HttpHead&, HttpReply& reply) {
             if (reply.status == 403) reply.status = 400;
           }},
      {.id = "bad-version-header-accepted",
       .description = "Accepts any MCP-Protocol-Version",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_version_header,
       .neglects = HttpDuty::kChecksProtocolVersion},
  };
}

std::vector<Fault> session_faults() {
  return {
      {.id = "unknown-session-accepted",
       .description = "Serves requests of unknown sessions",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kChecksSession},
      {.id = "missing-session-accepted",
       .description = "Serves requests without their session id",
       .breaks = {"http.session-id-missing-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kRequiresSession},
      {.id = "ended-session-400",
       .description = "Refuses ended sessions with 400 instead of 404",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .reply =
           [](const HttpHead&, HttpReply& reply) {
             if (reply.status == 404) reply.status = 400;
           }},
      {.id = "delete-ignored",
       .description = "Says that it ends a session, and does not",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kEndsSessionOnDelete},
      {.id = "session-id-with-space",
       .description = "Makes session ids with a space in them",
       .breaks = {"http.session-id-visible-ascii"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .session_id = [](std::string id) { return id.insert(id.size() / 2, " "); }},
      {.id = "session-id-short",
       .description = "Makes session ids that can be guessed",
       .breaks = {"http.session-id-secure"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .session_id = [](std::string id) { return id.substr(0, 4); }},
  };
}

std::vector<Fault> stream_faults() {
  return {
      {.id = "answers-on-get",
       .description = "Sends answers on the GET stream",
       .breaks = {"http.get-stream-no-response", "http.request-answer-type"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kKeepsAnswersOffGet},
      {.id = "messages-broadcast",
       .description = "Sends each message on every GET stream",
       .breaks = {"http.message-on-one-stream", "http.message-not-broadcast"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kSendsOnOneStream},
      {.id = "event-ids-repeated",
       .description = "Gives events of several streams the same id",
       .breaks = {"http.event-id-unique"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .event =
           [](wire::SseEvent& event) {
             if (event.id) event.id = event.id->substr(event.id->find('-') + 1);
           }},
      {.id = "other-streams-replayed",
       .description = "Replays messages of other streams to a client that resumes one",
       .breaks = {"http.resume-own-stream-only"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_streamable_http,
       .neglects = HttpDuty::kReplaysOwnStreamOnly},
      {.id = "streams-not-primed",
       .description = "Begins streams without an event to resume from",
       .breaks = {"http.stream-primed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = has_polling,
       .neglects = HttpDuty::kPrimesStreams},
      {.id = "endpoint-event-missing",
       .description = "Does not tell clients of the older pair where to post",
       .breaks = {"http-sse.endpoint-event"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = [](Revision revision) { return revision.has_http_sse(); },
       .event =
           [](wire::SseEvent& event) {
             if (event.event == "endpoint") event.event = "message";
           }},
  };
}

}  // namespace

std::vector<Fault> http_faults() {
  std::vector<Fault> all = status_faults();
  for (std::vector<Fault> (*table)() : {session_faults, stream_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
