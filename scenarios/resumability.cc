// Scenarios about broken connections: what is redelivered, to whom, and what goes on meanwhile.
//
// Specification: basic/transports, "Resumability and Redelivery".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "reference/wire/message.h"
#include "scenarios/http_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;

// How often a stream is taken up again that the server keeps closing.
constexpr int kMostResumptions = 3;

HttpAnswer resume(Connection& session, const std::string& last_event_id) {
  return HeldStream::open(session, last_event_id).until(has_answer);
}

// Events came on streams, and none of them had an id.
bool gives_no_ids(Connection& session) {
  bool is_any = false;
  for (const EventPtr& event : session.transcript().events()) {
    const wire::SseEvent* const streamed = event->observation.event();
    if (!event->is_from_server() || streamed == nullptr) continue;
    if (streamed->id) return false;
    is_any = true;
  }
  return is_any;
}

// Several lost connections, each resumed: the rest of that stream comes, and nothing of another.
SCENARIO(http_redelivers_what_was_lost, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.resume-replays", "http.resume-own-stream-only", "http.event-id-unique"})) {
  Connection& session = script.session();
  std::vector<Json> requests = quick_requests(script, session);
  for (const char* token : {"lost-1", "lost-2"}) {
    if (const auto slow = slow_call(script, session, token)) {
      requests.insert(requests.begin(), *slow);
    }
  }
  std::vector<Broken> broken;
  for (const Json& request : requests) {
    Broken one = break_off(session, request);
    if (one.last_event_id && one.before.answer() == nullptr) broken.push_back(std::move(one));
  }
  if (broken.empty() && gives_no_ids(session)) {
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("http.resume-replays"),
          catalogue::RequirementId("http.resume-own-stream-only"),
          catalogue::RequirementId("http.event-id-unique")}) {
      script.not_applicable(rule, "the server gives the events of its streams no ids");
    }
    return;
  }
  if (broken.empty()) {
    const std::string why = "no stream could be broken off between an event id and the response";
    script.not_exercised("http.resume-replays", why, std::string(kSlowToolHint));
    script.not_exercised("http.resume-own-stream-only", why, std::string(kSlowToolHint));
    return;
  }
  for (const Broken& one : broken) {
    const HttpAnswer rest = resume(session, *one.last_event_id);
    if (!carries_answer_to(rest, one.id)) continue;
    script.check("http.resume-replays", true, rest.events, "");
  }
  // What else came on the resumed streams is judged by the monitor, which knows all of them.
}

// Who loses the connection has not cancelled: the request goes on, and its response can be had.
SCENARIO(http_takes_no_disconnection_for_a_cancellation, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.disconnect-is-no-cancellation"})) {
  constexpr catalogue::RequirementId kRule("http.disconnect-is-no-cancellation");
  Connection& session = script.session();
  const auto lost = slow_call(script, session, "disconnected");
  if (!lost) {
    script.not_exercised(kRule, std::string(kNoSlowTool), std::string(kSlowToolHint));
    return;
  }
  const Broken broken = break_off(session, *lost);
  if (!broken.last_event_id || broken.before.answer() != nullptr) {
    script.not_exercised(kRule,
                         "the streams of the server cannot be resumed, so it is unknown what "
                         "became of a request that lost its stream");
    return;
  }
  // A call of the same length that keeps its connection: when it is answered, the lost one is over.
  const auto kept = slow_call(script, session, "kept");
  const bool is_sane = HeldStream::post(session, *kept).until(has_answer).is_served();
  HttpAnswer rest = resume(session, *broken.last_event_id);
  for (int i = 1; i < kMostResumptions && rest.is_closed && rest.answer() == nullptr; ++i) {
    rest = resume(session, rest.last_event_id().value_or(*broken.last_event_id));
  }
  if (!is_sane || !rest.is_stream()) {
    script.unclear(kRule, "the stream could not be resumed", rest.events);
    return;
  }
  const wire::Message* answer = rest.answer();
  const bool is_done =
      carries_answer_to(rest, broken.id) && answer->kind() == wire::MessageKind::kResult;
  if (is_done || rest.is_closed) {
    script.check(kRule, is_done, rest.events,
                 "the connection of a call broke, and its resumed stream ended without the result");
  } else {
    script.unclear(kRule, "the resumed stream stays open without the response", rest.events);
  }
}

// An event of a later connection, or the answer, has come.
HttpCondition has_news() {
  return [](const HttpAnswer& reply) {
    return std::any_of(reply.streamed.begin(), reply.streamed.end(),
                       [](const EventPtr& event) {
                         return event->message() != nullptr && event->observation.event()->id;
                       }) ||
           is_over(reply);
  };
}

// A stream that loses its connection several times in a row still brings the response in the end.
SCENARIO(http_survives_several_disconnections, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.disconnect-is-no-cancellation", "http.resume-replays"})) {
  constexpr catalogue::RequirementId kRule("http.disconnect-is-no-cancellation");
  constexpr int kBreaks = 2;
  Connection& session = script.session();
  const auto call = slow_call(script, session, "often-lost");
  if (!call) {
    script.not_exercised(kRule, std::string(kNoSlowTool), std::string(kSlowToolHint));
    return;
  }
  const Broken broken = break_off(session, *call);
  std::optional<std::string> last = broken.last_event_id;
  if (!last || broken.before.answer() != nullptr) {
    script.not_exercised(kRule, "the streams of the server cannot be resumed");
    return;
  }
  for (int i = 0; i < kBreaks; ++i) {
    const HeldStream again = HeldStream::open(session, *last);
    if (!again.until(has_news()).is_stream()) {
      script.unclear(kRule, "the stream could not be resumed", again.now().events);
      return;
    }
    const HttpAnswer part = again.abandon();
    if (part.answer() != nullptr) return;  // it was over before it could be broken again
    if (const auto later = part.last_event_id()) last = later;
  }
  const HttpAnswer rest = resume(session, *last);
  // A call of the same kind that keeps its connection shows that it is the connection.
  const auto kept = slow_call(script, session, "never-lost");
  if (carries_answer_to(rest, broken.id)) {
    script.check(kRule, true, rest.events, "");
  } else if (!HeldStream::post(session, *kept).until(has_answer).is_served()) {
    script.unclear(kRule, "a call that kept its connection was not served either", rest.events);
  } else if (rest.is_closed) {
    script.check(kRule, false, rest.events,
                 "a stream lost its connection several times, and ended without the response");
  } else {
    script.unclear(kRule, "the resumed stream stays open without the response", rest.events);
  }
}

// Whether a stream that nobody can name carries the response to a request of this connection.
EventPtr replayed_response(const HttpAnswer& reply) {
  for (const EventPtr& event : reply.streamed) {
    const wire::Message* message = event->message();
    const bool is_response = message != nullptr && message->method().empty() && message->id();
    if (is_response) return event;
  }
  return nullptr;
}

// What comes to a client that names that event and has no claim to it: the stream may stay open.
HttpAnswer resume_in_vain(Connection& session, const std::string& last_event_id) {
  const HeldStream stream = HeldStream::open(session, last_event_id);
  stream.until(has_begun);
  session.fence();
  session.wait_for(
      session.mark(), [](const Event&) { return false; }, session.patience().grace);
  return stream.abandon();
}

// Who names an event that never was is given nothing that belongs to other streams.
SCENARIO(http_replays_nothing_for_an_unknown_event, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.resume-own-stream-only"})) {
  constexpr catalogue::RequirementId kRule("http.resume-own-stream-only");
  Connection& session = script.session();
  const auto call = slow_call(script, session, "of-another");
  if (!call || !HeldStream::post(session, *call).until(has_answer).is_stream()) {
    script.not_exercised(kRule, "no stream came about whose messages could be replayed",
                         std::string(kSlowToolHint));
    return;
  }
  const HttpAnswer reply = resume_in_vain(session, "assay-never-issued");
  const EventPtr response = replayed_response(reply);
  std::vector<EventPtr> events = {reply.events.front()};
  if (response) events.push_back(response);
  script.check(kRule, !response, events,
               "a client that named an unknown event was sent the response of an earlier stream");
}

// Event ids are those of one session: a client that names one of another session is given nothing
// of the stream there.
SCENARIO(http_replays_nothing_of_another_session, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.resume-own-stream-only"})) {
  constexpr catalogue::RequirementId kRule("http.resume-own-stream-only");
  Connection& owner = script.session();
  auto call = slow_call(script, owner, "of-another-session");
  // Without sessions, both may be one client.
  if (!call || !owner.http()->session_id()) return;
  // No other session has a request of this id.
  call->at("id") = "assay-of-another-session";
  const Broken broken = break_off(owner, *call);
  if (!broken.last_event_id || broken.before.answer() != nullptr) return;
  const HttpAnswer own = resume(owner, *broken.last_event_id);
  const EventPtr response = replayed_response(own);
  if (!carries_answer_to(own, broken.id) || response == nullptr) return;
  const HttpAnswer reply = resume_in_vain(script.open_session(), *broken.last_event_id);
  if (reply.status == 0) return;
  const bool has_messages =
      std::any_of(reply.streamed.begin(), reply.streamed.end(),
                  [](const EventPtr& event) { return event->message() != nullptr; });
  const bool is_of_owner = carries_answer_to(reply, broken.id);
  if (has_messages && !is_of_owner) {
    // Ids of two sessions may coincide.
    script.unclear(kRule, "a client that named an event of another session was sent messages",
                   reply.events);
    return;
  }
  // The response as its owner had it: what came to the other breaks rules of its own.
  script.check(kRule, !is_of_owner, {reply.events.front(), response},
               "a client that named an event of another session was sent the response of that");
}

// How long a server asks a client to stay away, as far as we are willing to.
std::optional<std::chrono::milliseconds> retry_in(const HttpAnswer& reply) {
  constexpr std::uint64_t kLongest = 2000;
  std::optional<std::chrono::milliseconds> retry;
  for (const EventPtr& event : reply.streamed) {
    const auto& given = event->observation.event()->retry;
    if (given) retry = std::chrono::milliseconds(std::min(*given, kLongest));
  }
  return retry;
}

void stay_away(Connection& session, std::chrono::milliseconds time) {
  session.wait_for(
      session.mark(), [](const Event&) { return false; }, time);
}

// A server that closes the connection of a GET stream that goes on says when to come back.
SCENARIO(http_lets_get_streams_be_polled, own_session(), over_http(),
         in_revisions(&Revision::has_sse_polling), judges({"http.get-stream-polling"})) {
  constexpr catalogue::RequirementId kRule("http.get-stream-polling");
  Connection& session = script.session();
  const auto tool = script.tool_with(Ability::kChangesTools);
  const HeldStream stream = HeldStream::open(session);
  if (!tool || !stream.until(has_begun).is_stream()) {
    script.not_exercised(kRule, "nothing is known that makes the server use a GET stream",
                         hint(Ability::kChangesTools));
    return;
  }
  const Json call = {{"name", tool->name}, {"arguments", tool->arguments}};
  session.request("tools/call", call);
  session.wait_for(
      session.mark(), [&](const Event&) { return is_over(stream.now()); },
      session.patience().grace);
  const HttpAnswer closed = stream.now();
  const auto last_event_id = closed.last_event_id();
  if (!closed.is_closed || !last_event_id) {
    script.not_exercised(kRule, "the server closed no connection of a GET stream");
    return;
  }
  const auto retry = retry_in(closed);
  stay_away(session, retry.value_or(std::chrono::milliseconds(0)));
  // Said while nobody listens: if it comes to who resumes, the stream had not ended.
  session.request("tools/call", call);
  const HttpAnswer rest = HeldStream::open(session, *last_event_id).until(has_news());
  if (!has_news()(rest) || rest.streamed.empty()) {
    script.not_exercised(kRule, "the stream did not go on after its connection was closed");
    return;
  }
  std::vector<EventPtr> events = closed.events;
  events.push_back(rest.streamed.back());
  script.check(kRule, retry.has_value(), events,
               "the server closed the connection of a GET stream, and sent no retry field");
}

// A server that closes the connection of a stream that goes on says when to come back.
SCENARIO(http_lets_streams_be_polled, own_session(), over_http(),
         in_revisions(&Revision::has_sse_polling),
         judges({"http.stream-polling", "http.retry-before-close"})) {
  constexpr catalogue::RequirementId kRule("http.retry-before-close");
  Connection& session = script.session();
  const auto request = disconnecting_call(script, session);
  if (!request) {
    script.lacks(kRule, Ability::kClosesStream);
    return;
  }
  const HttpAnswer reply = HeldStream::post(session, *request).until(is_over);
  const auto last_event_id = reply.last_event_id();
  if (!reply.is_closed || reply.answer() != nullptr || !last_event_id) {
    script.not_exercised(kRule, "the server did not close the connection before the response");
    return;
  }
  stay_away(session, retry_in(reply).value_or(std::chrono::milliseconds(0)));
  // Whether the connection was closed in the right way is judged by the monitor, once it is seen
  // that the stream goes on.
  resume(session, *last_event_id);
}

}  // namespace
}  // namespace assay::scenarios
