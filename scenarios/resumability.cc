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
#include "scenarios/http_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;

Trait over_http() {
  return only_over({TransportKind::kHttp});
}

bool has_event_id(const HttpReply& reply) {
  return reply.last_event_id().has_value() || is_over(reply);
}

// How often a stream is taken up again that the server keeps closing.
constexpr int kMostPolls = 3;

// A stream that was broken off after its first event with an id, and the request it was for.
struct Broken {
  wire::Id id;
  HttpReply before;
  std::optional<std::string> last_event_id;
};

Broken break_off(Connection& session, const Json& request) {
  const HeldStream stream = HeldStream::post(session, request);
  stream.until(has_event_id);
  HttpReply before = stream.abandon();
  return {wire::Id::from_json_text(request.at("id").dump()), before, before.last_event_id()};
}

bool carries_answer_to(const HttpReply& reply, const wire::Id& id) {
  const wire::Message* answer = reply.answer();
  return answer != nullptr && answer->id() == id;
}

HttpReply resume(Connection& session, const std::string& last_event_id) {
  return HeldStream::open(session, last_event_id).until(has_answer);
}

// Several lost connections, each resumed: the rest of that stream comes, and nothing of another.
SCENARIO(http_redelivers_what_was_lost, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.resume-replays", "http.resume-own-stream-only"})) {
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
  if (broken.empty()) {
    const std::string why = "no stream could be broken off between an event id and the response";
    script.not_exercised("http.resume-replays", why, std::string(kSlowToolHint));
    script.not_exercised("http.resume-own-stream-only", why, std::string(kSlowToolHint));
    return;
  }
  for (const Broken& one : broken) {
    const HttpReply rest = resume(session, *one.last_event_id);
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
                         "the streams of the server cannot be resumed, so nobody sees what "
                         "became of a request that lost its stream");
    return;
  }
  // A call of the same length that keeps its connection: when it is answered, the lost one is over.
  const auto kept = slow_call(script, session, "kept");
  const bool is_sane = HeldStream::post(session, *kept).until(has_answer).is_served();
  HttpReply rest = resume(session, *broken.last_event_id);
  for (int i = 1; i < kMostPolls && rest.is_closed && rest.answer() == nullptr; ++i) {
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
                 "a call whose connection broke has no result, though its stream was resumed to "
                 "the end");
  } else {
    script.unclear(kRule, "the resumed stream stays open without the response", rest.events);
  }
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
  const HttpReply reply = HeldStream::post(session, *request).until(is_over);
  const auto last_event_id = reply.last_event_id();
  if (!reply.is_closed || reply.answer() != nullptr || !last_event_id) {
    script.not_exercised(kRule, "the server did not close the connection before the response");
    return;
  }
  std::chrono::milliseconds retry{0};
  for (const EventPtr& event : reply.streamed) {
    const auto& given = event->observation.event->retry;
    if (given) retry = std::chrono::milliseconds(std::min<std::uint64_t>(*given, 2000));
  }
  // A client waits as long as it was told.
  session.wait_for(
      session.mark(), [](const Event&) { return false; }, retry);
  // Whether the connection was closed in the right way is judged by the monitor, once it is seen
  // that the stream goes on.
  resume(session, *last_event_id);
}

}  // namespace
}  // namespace assay::scenarios
