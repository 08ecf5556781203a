// Scenarios about the HTTP endpoint of the revisions without sessions, and about what older clients
// send to it.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Sending Messages" and "Earlier
// Streamable HTTP Revisions".
#include <fmt/format.h>

#include "harness/runner/scenario.h"
#include "reference/wire/compose.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr int kAccepted = 202;
constexpr int kMethodNotAllowed = 405;

SCENARIO(endpoint_takes_posts, stateless(), over_http(),
         judges({"http.post-endpoint", "http.request-answer-type"})) {
  Connection& session = script.session();
  const Json request = request_as_sent(session, cheap_method(script));
  const HttpAnswer answer = post_as_is(session, request, fields_of(request));
  const std::string detail = fmt::format("a POST was answered with {}", answer.describe());
  script.check("http.post-endpoint", answer.is_served(), answer.events, detail);
  if (!answer.is_success()) return;
  const std::string type = transport::media_type(answer.headers);
  script.check("http.request-answer-type",
               type == "application/json" || type == "text/event-stream", answer.events,
               fmt::format("a POST with a request was answered with content of type '{}'", type));
}

// A server of this era alone has no stream to GET and no session to DELETE.
SCENARIO(endpoint_has_no_older_methods, stateless(), over_http(),
         judges({"http.old-methods-405"})) {
  constexpr RequirementId kRule("http.old-methods-405");
  Connection& session = script.session();
  if (has_older_era(script)) {
    script.not_applicable(kRule, "the server also serves clients of older revisions");
    return;
  }
  for (const char* method : {"GET", "DELETE"}) {
    transport::HttpRequest request;
    request.method = method;
    request.headers = {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", "assay-session"}};
    request.with_session_headers = false;
    const std::size_t from = session.mark();
    const transport::Lane lane = session.http()->start(std::move(request));
    const HttpAnswer answer = follow(session, lane, from, has_begun);
    if (answer.is_stream()) abandon(session, lane);
    script.check(kRule, answer.status == kMethodNotAllowed, answer.events,
                 fmt::format("{} was answered with {}", method, answer.describe()));
  }
}

SCENARIO(endpoint_ignores_older_headers, stateless(), over_http(),
         judges({"http.old-session-id-ignored", "http.old-last-event-id-ignored"})) {
  constexpr RequirementId kSession("http.old-session-id-ignored");
  constexpr RequirementId kEvent("http.old-last-event-id-ignored");
  if (has_older_era(script)) {
    for (const RequirementId rule : {kSession, kEvent}) {
      script.not_applicable(rule, "the server also serves clients of older revisions");
    }
    return;
  }
  if (!serves(script, {kSession, kEvent})) return;
  Connection& session = script.session();
  const auto judge = [&](RequirementId rule, const char* field, const char* value) {
    const Json request = request_as_sent(session, cheap_method(script));
    const HttpAnswer answer = post_as_is(session, request, with(fields_of(request), field, value));
    script.check(rule, answer.is_served(), answer.events,
                 fmt::format("a request with {} was answered with {}", field, answer.describe()));
    return answer;
  };
  const HttpAnswer answer = judge(kSession, "Mcp-Session-Id", "assay-session");
  const auto issued = transport::find_header(answer.headers, "Mcp-Session-Id");
  script.check(kSession, !issued, answer.events, "the answer carries an Mcp-Session-Id");
  judge(kEvent, "Last-Event-ID", "assay-1");
}

// No notification of the core protocol goes over HTTP; a server takes one or refuses it.
SCENARIO(endpoint_answers_notifications, stateless(), over_http(),
         judges({"http.accepted-202", "http.not-accepted-error-status"})) {
  Connection& session = script.session();
  Json notification = wire::make_notification("notifications/assay", Json::object());
  notification["params"]["_meta"] = request_as_sent(session, "x")["params"]["_meta"];
  const HttpAnswer answer = post_as_is(session, notification, fields_of(notification));
  if (answer.status == 0) return;
  const std::string detail = fmt::format("a notification was answered with {}", answer.describe());
  if (answer.is_success()) {
    script.check("http.accepted-202", answer.status == kAccepted && answer.body.empty(),
                 answer.events, detail);
  } else {
    script.check("http.not-accepted-error-status", answer.is_refusal(), answer.events, detail);
  }
}

}  // namespace
}  // namespace assay::scenarios
