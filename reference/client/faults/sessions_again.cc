// What a client can get wrong over HTTP in a few of its requests only: in answers and
// notifications, in the stream that it opens, at the end of its session, or in the session after
// that. Specification: basic/transports, 2025-03-26 to 2025-11-25.
#include <algorithm>
#include <string>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"

namespace assay::client {
namespace {

constexpr const char* kVersionName = "MCP-Protocol-Version";
constexpr const char* kSessionName = "Mcp-Session-Id";
constexpr const char* kAcceptName = "Accept";
constexpr const char* kLastEventName = "Last-Event-ID";

bool is_answer_of_client(const Json& body) {
  return body.is_object() && !body.contains("method") && body.contains("id");
}

}  // namespace

std::vector<Fault> session_again_faults() {
  return {
      {.id = "session-ended-without-version",
       .description = "Leaves MCP-Protocol-Version out of the DELETE that ends its session",
       .breaks = {"http.version-header"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"initialize"},
       .fields =
           [](std::string_view method, const Json&, transport::Headers& fields) {
             if (method == "DELETE") take_field_out(fields, kVersionName);
           }},
      {.id = "stream-without-version",
       .description = "Leaves MCP-Protocol-Version out of the GET that opens a stream",
       .breaks = {"http.version-header"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"initialize"},
       .fields =
           [](std::string_view method, const Json&, transport::Headers& fields) {
             if (method == "GET") take_field_out(fields, kVersionName);
           }},
      {.id = "initialized-without-version",
       .description = "Leaves MCP-Protocol-Version out of notifications/initialized",
       .breaks = {"http.version-header"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"initialize"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "notifications/initialized")) take_field_out(fields, kVersionName);
           }},
      {.id = "answers-name-older-version",
       .description = "Names an older version in MCP-Protocol-Version where it answers",
       .breaks = {"http.version-header-negotiated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"server-asks"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_answer_of_client(body)) overwrite_field(fields, kVersionName, "2025-03-26");
           }},
      {.id = "answers-outside-session",
       .description = "Leaves the session id out where it answers what the server asks",
       .breaks = {"http.session-id-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"server-asks"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_answer_of_client(body)) take_field_out(fields, kSessionName);
           }},
      {.id = "resumes-outside-session",
       .description = "Leaves the session id out where it resumes a stream",
       .breaks = {"http.session-id-sent"},
       .may_break = {"http.client-polls", "http.resume-with-get"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"sse-retry"},
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             if (field_in(fields, kLastEventName) != nullptr) take_field_out(fields, kSessionName);
           }},
      {.id = "never-initialized-again",
       .description = "Sends no notifications/initialized in its second session",
       .breaks = {"lifecycle.initialized-notification"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"session-expired"},
       .departure =
           [](Departure& d) {
             const bool is_later = d.memory().handshakes > 1;
             if (is_later && d.is_notification("notifications/initialized")) d.drop();
           }},
      {.id = "answers-accept-no-events",
       .description = "Accepts JSON only where it answers what the server asks",
       .breaks = {"http.post-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"server-asks"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (is_answer_of_client(body))
               overwrite_field(fields, kAcceptName, "application/json");
           }},
      {.id = "notification-accepts-nothing",
       .description = "Sends notifications/initialized without an Accept field",
       .breaks = {"http.post-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"initialize"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "notifications/initialized")) take_field_out(fields, kAcceptName);
           }},
      {.id = "initialize-accepts-events-only",
       .description = "Accepts no single JSON object in answer to initialize",
       .breaks = {"http.post-accept"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .shown_in = {"initialize"},
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             if (asks_for(body, "initialize"))
               overwrite_field(fields, kAcceptName, "text/event-stream");
           }},
      {.id = "event-id-in-quotes",
       .description = "Puts the last event's id into quotes where it resumes a stream",
       .breaks = {"http.resume-with-get"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             if (std::string* id = field_in(fields, kLastEventName)) *id = '"' + *id + '"';
           }},
      {.id = "one-event-id-for-all-streams",
       .description = "Resumes a stream after the last event that came on any stream",
       .breaks = {"http.resume-with-get"},
       .seen_over = SeenOver::kHttpOnly,
       .later_fields =
           [](const FaultMemory& memory, const Json&, transport::Headers& fields) {
             std::string* const id = field_in(fields, kLastEventName);
             if (id != nullptr && !memory.event_id.empty()) *id = memory.event_id;
           },
       .heard =
           [](const transport::Observation& heard, std::string_view, FaultMemory& memory) {
             if (heard.event && heard.event->id) memory.event_id = *heard.event->id;
           }},
      {.id = "retry-halved",
       .description = "Connects again after half of the time that the stream asks for",
       .breaks = {"http.retry-respected"},
       .may_break = {"http.session-id-sent"},  // it comes back even after the end of its session
       .seen_over = SeenOver::kHttpOnly,
       .event =
           [](wire::SseEvent& event) {
             if (event.retry) *event.retry /= 2;
           }},
      {.id = "retry-of-one-second",
       .description = "Connects again after one second, whatever time the stream asks for",
       .breaks = {"http.retry-respected"},
       .may_break = {"http.session-id-sent"},  // it comes back even after the end of its session
       .seen_over = SeenOver::kHttpOnly,
       .event =
           [](wire::SseEvent& event) {
             if (event.retry) event.retry = 1000;
           }},
      {.id = "first-line-of-events",
       .description = "Takes the first line of an event's data for all of it",
       .breaks = {"http.client-takes-both-types"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_batching,
       .event =
           [](wire::SseEvent& event) {
             event.data.resize(std::min(event.data.find('\n'), event.data.size()));
           }},
  };
}

}  // namespace assay::client
