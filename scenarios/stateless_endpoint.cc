// Scenarios about the HTTP endpoint of the revisions without sessions, and about what older clients
// send to it.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Sending Messages" and "Earlier
// Streamable HTTP Revisions".
#include <fmt/format.h>

#include <utility>
#include <vector>

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

// Starts a POST, and leaves its stream open.
transport::Lane start_post(Connection& session, const Json& request) {
  transport::HttpRequest post;
  post.headers = fields_of(request);
  post.body = wire::encode(request);
  post.with_session_headers = false;
  return session.http()->start(std::move(post));
}

// Once the response has come on a stream, the stream ends.
SCENARIO(endpoint_ends_streams_after_the_response, stateless(), own_session(), over_http(),
         judges({"http.stream-closed-after-response"})) {
  constexpr RequirementId kRule("http.stream-closed-after-response");
  Connection& session = script.session();
  std::vector<Json> requests = {request_as_sent(session, cheap_method(script))};
  for (const Ability ability : {Ability::kReportsProgress, Ability::kTakesTime}) {
    const auto tool = script.tool_with(ability);
    if (!tool) continue;
    requests.push_back(request_as_sent(session, "tools/call",
                                       {{"name", tool->name},
                                        {"arguments", tool->arguments},
                                        {"_meta", {{"progressToken", name(ability)}}}}));
  }
  bool has_streams = false;
  for (const Json& request : requests) {
    const std::size_t from = session.mark();
    const transport::Lane lane = start_post(session, request);
    if (!follow(session, lane, from, has_answer).is_stream()) continue;
    const HttpAnswer reply = follow(session, lane, from, is_over);
    if (reply.answer() == nullptr) continue;
    has_streams = true;
    script.check(kRule, reply.is_closed, reply.events,
                 "the stream was still open long after the response had come on it",
                 Awaited{"the end of the stream"});
  }
  if (has_streams) return;
  script.not_exercised(kRule, "no answer came on a stream", hint(Ability::kReportsProgress));
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
