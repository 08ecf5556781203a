// What a client can get wrong with its sessions and streams over HTTP. Specification:
// basic/transports, 2024-11-05 to 2025-11-25; server/utilities/pagination.
#include <algorithm>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"
#include "reference/client/session.h"
#include "reference/transport/http_client.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

std::string extra_list(const char* id) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", "prompts/list"}}.dump();
}

}  // namespace

std::vector<Fault> session_faults() {
  return {
      {.id = "session-id-on-new-initialize",
       .description = "Names the session that is gone when it begins another one",
       .breaks = {"http.session-404-new-session"},
       .may_break = {"http.session-id-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .later_fields =
           [](const FaultMemory& memory, const Json& body, transport::Headers& fields) {
             const bool is_initialize =
                 asks_for(body, "initialize");
             if (is_initialize && !memory.session_id.empty()) {
               fields.emplace_back("Mcp-Session-Id", memory.session_id);
             }
           }},
      {.id = "cursor-kept",
       .description = "Goes on in a new session with a cursor of the old one",
       .breaks = {"pagination.cursor-not-kept-across-sessions"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             const FaultMemory& memory = d.memory();
             if (d.is_request("tools/list") && memory.handshakes > 1 && memory.cursor.is_string()) {
               d.params()["cursor"] = memory.cursor;
             }
           }},
      {.id = "endpoint-passed-over",
       .description = "POSTs its messages to the URL of the older event stream, and not where that "
                      "says",
       .breaks = {"http-sse.post-to-endpoint"},
       .seen_over = SeenOver::kHttpOnly,
       .target = [](std::string& target) { target = "/mcp"; }},
      {.id = "endpoint-cut-short",
       .description = "Leaves the query out of where the older event stream says to POST",
       .breaks = {"http-sse.post-to-endpoint"},
       .seen_over = SeenOver::kHttpOnly,
       .target =
           [](std::string& target) { target.erase(std::min(target.find('?'), target.size())); }},
      {.id = "session-left-behind",
       .description = "Leaves without ending its session",
       .breaks = {"http.session-deleted"},
       .seen_over = SeenOver::kHttpOnly,
       .keeps_session = true},
      {.id = "chokes-on-streamed-answer",
       .description = "Breaks off when initialize is answered in an event stream",
       .breaks = {"http.client-takes-both-types"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .chokes =
           [](const transport::Observation& heard, std::string_view text) {
             return heard.event && text.find("\"serverInfo\"") != std::string_view::npos;
           }},
      {.id = "retry-ignored",
       .description = "Connects again at once, whatever the stream says",
       .breaks = {"http.retry-respected"},
       .may_break = {"http.session-id-sent"},  // it comes back even after the end of its session
       .seen_over = SeenOver::kHttpOnly,
       .event = [](wire::SseEvent& event) { event.retry = 0; }},
      {.id = "resumes-without-id",
       .description = "Resumes a stream without a Last-Event-ID",
       .breaks = {"http.resume-with-get"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json&, transport::Headers& fields) {
             std::erase_if(fields, [](const auto& field) {
               return wire::equals_without_case(field.first, "Last-Event-ID");
             });
           }},
      {.id = "never-resumes",
       .description = "Resumes no stream that the server closes",
       .breaks = {"http.client-polls"},
       .seen_over = SeenOver::kHttpOnly,
       .options = [](SessionOptions& options) { options.max_reconnects = 0; }},
      {.id = "message-by-put",
       .description = "Sends a message with HTTP PUT",
       .breaks = {"http.post-method"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .aside =
           [](transport::HttpClient& http) {
             transport::HttpRequest request;
             request.method = "PUT";
             request.body = extra_list("by-put");
             http.start(std::move(request));
           }},
      {.id = "two-messages-in-a-post",
       .description = "Sends two messages in one POST",
       .breaks = {"http.message-per-post"},
       .may_break = {"jsonrpc.version-2-messages"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sessions,
       .departure =
           [](Departure& d) {
             if (d.is_request("resources/list")) {
               d.after(extra_list("first") + "\n" + extra_list("second"));
             }
           }},
      {.id = "batch-sent",
       .description = "Sends an array of messages, where each stands alone",
       .breaks = {"http.post-body-single", "schema.no-batches"},
       .may_break = {"lifecycle.respects-negotiated-version", "jsonrpc.request-id-unique"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             if (d.is_request("resources/list")) d.after("[" + extra_list("in-batch") + "]");
           }},
      {.id = "batch-of-all-kinds",
       .description = "Sends requests and responses in one array",
       .breaks = {"http.post-body-forms"},
       .may_break = {"jsonrpc.request-id-unique", "jsonrpc.response-id",
                     "jsonrpc.result-response-id"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("resources/list")) return;
             d.after("[" + extra_list("in-batch") + R"(,{"jsonrpc":"2.0","id":"x","result":{}}])");
           }},
  };
}

}  // namespace assay::client
