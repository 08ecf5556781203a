// Bugs of HTTP.
#include "reference/server/bugs/bug.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using transport::HttpDuty;
using transport::HttpHead;
using transport::HttpReply;

// Tells one session what another one said last.
void mix_sessions(BugState& state, Departure& departure, int session) {
  if (!departure.is_result() || !departure.request()) return;
  if (state.last_session != 0 && state.last_session != session) {
    departure.result()["_meta"]["assay.test/previous"] = state.last_id;
  }
  state.last_session = session;
  state.last_id = departure.request()->bytes();
}

}  // namespace

std::vector<Bug> http_bugs() {
  return {
      {.id = "session-mix-up",
       .description = "Tells a session what another one asked before",
       .shows_as = "other-session",
       .seen_over = SeenOver::kHttpOnly,
       .departure = mix_sessions},
      {.id = "http-500-accept",
       .description = "Fails with 500 when Accept names no type that it has",
       .shows_as = "server-error",
       .seen_over = SeenOver::kHttpOnly,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (transport::find_header(request.headers, "Accept") == "text/html") {
               reply = {.status = 500, .headers = {}, .body = {}, .stream = nullptr};
             }
           }},
      {.id = "http-ended-session",
       .description = "Goes on answering in a session that was ended",
       .shows_as = "accepted",
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kEndsSessionOnDelete},
      {.id = "http-foreign-origin",
       .description = "Answers web pages of any origin",
       .shows_as = "accepted",
       .seen_over = SeenOver::kHttpOnly,
       .neglects = HttpDuty::kChecksOrigin},
      {.id = "http-lost-answer",
       .description = "Answers a request with a progress token with nothing but 202",
       .shows_as = "missing-answer",
       .seen_over = SeenOver::kHttpOnly,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             if (reply.status == 200 && body.find("progressToken") != std::string_view::npos) {
               reply = {.status = 202, .headers = {}, .body = {}, .stream = nullptr};
             }
           }},
  };
}

}  // namespace assay::server
