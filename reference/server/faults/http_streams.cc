// Faults of the event streams of HTTP. Specification: basic/transports, "Streamable HTTP", and
// "HTTP with SSE".
#include "reference/server/faults/fault.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using transport::HttpDuty;

}  // namespace

std::vector<Fault> http_stream_faults() {
  return {
      {.id = "answers-on-get",
       .description = "Sends answers, and the progress before them, on the GET stream",
       .breaks = {"http.get-stream-no-response", "http.request-answer-type",
                  "http.get-stream-unrelated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kKeepsAnswersOffGet},
      {.id = "messages-broadcast",
       .description = "Sends each message on every GET stream",
       .breaks = {"http.message-on-one-stream", "http.message-not-broadcast"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kSendsOnOneStream},
      {.id = "text-on-streams",
       .description = "Sends text that is not a message on its event streams",
       .breaks = {"jsonrpc.version-2-messages"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/progress")) d.before("still at work");
           }},
      {.id = "event-ids-repeated",
       .description = "Gives events of several streams the same id",
       .breaks = {"http.event-id-unique"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .event =
           [](wire::SseEvent& event) {
             if (event.id) event.id = event.id->substr(event.id->find('-') + 1);
           }},
      {.id = "event-ids-begin-anew",
       .description = "Counts the events of a stream anew on each connection",
       .breaks = {"http.event-id-unique"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kCountsEventsOfStreams},
      {.id = "other-sessions-replayed",
       .description = "Resumes streams of other sessions",
       .breaks = {"http.resume-own-stream-only"},
       // The client that is sent the rest has not asked for it.
       .may_break = {"jsonrpc.response-id", "jsonrpc.result-response-id",
                     "progress.token-of-active-request"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kResumesInSessionOnly},
      {.id = "other-streams-replayed",
       .description = "Replays messages of other streams to a client that resumes one",
       .breaks = {"http.resume-own-stream-only"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kReplaysOwnStreamOnly},
      {.id = "streams-left-open",
       .description = "Does not end a stream that has carried more than an answer",
       .breaks = {"http.stream-closed-after-response"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .leaves_streams_open = true},
      {.id = "progress-on-get",
       .description = "Sends what relates to a request on the GET stream",
       .breaks = {"http.get-stream-unrelated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kKeepsProgressOffGet},
      {.id = "disconnection-cancels",
       .description = "Cancels a request when the connection of its stream breaks",
       .breaks = {"http.disconnect-is-no-cancellation"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kOutlivesDisconnection},
      {.id = "later-disconnection-ends-stream",
       .description = "Ends a stream that loses its connection a second time",
       .breaks = {"http.disconnect-is-no-cancellation", "http.stream-response",
                  "http.stream-not-closed-early"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kOutlivesLaterDisconnections},
      {.id = "unknown-event-replays-all",
       .description = "Replays every stream to a client that names an unknown event",
       .breaks = {"http.resume-own-stream-only"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kRefusesUnknownEvents},
      {.id = "progress-on-other-stream",
       .description = "Sends progress of one request on the stream of another",
       .breaks = {"http.stream-messages-relate"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .neglects = HttpDuty::kKeepsStreamsApart},
      {.id = "get-closed-without-retry",
       .description = "Closes the connection of a GET stream that goes on without a retry",
       .breaks = {"http.get-stream-polling", "http.retry-before-close"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_sse_polling,
       .neglects = HttpDuty::kKeepsGetConnections,
       .event = [](wire::SseEvent& event) { event.retry.reset(); }},
      {.id = "streams-not-primed",
       .description = "Begins streams without an event to resume from",
       .breaks = {"http.stream-primed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_sse_polling,
       .neglects = HttpDuty::kPrimesStreams},
      {.id = "closed-without-retry",
       .description = "Closes the connection of a stream that goes on without a retry",
       .breaks = {"http.retry-before-close"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_sse_polling,
       .event = [](wire::SseEvent& event) { event.retry.reset(); }},
      {.id = "slow-response-lost",
       .description = "Ends the stream of a slow call without its response",
       .breaks = {"http.stream-response", "http.stream-not-closed-early"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .departure =
           [](Departure& d) {
             const bool is_slow = d.is_result_of("tools/call") &&
                                  d.request()->params().value("name", "") == "test_slow";
             if (is_slow) d.drop();
           }},
      {.id = "endpoint-event-missing",
       .description = "Does not tell clients of the older pair where to post",
       .breaks = {"http-sse.endpoint-event"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_http_sse,
       .event =
           [](wire::SseEvent& event) {
             if (event.event == "endpoint") event.event = "message";
           }},
  };
}

}  // namespace assay::server
