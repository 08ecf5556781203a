// Scenarios about event streams: how they end, and which message goes where when there are several.
//
// Specification: basic/transports, "Sending Messages to the Server", "Listening for Messages from
// the Server", "Multiple Connections".
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "reference/wire/message.h"
#include "scenarios/http_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;
using wire::MessageKind;

// How often a stream is taken up again that the server keeps closing.
constexpr int kMostPolls = 3;

// A stream has ended without a response: it may only have lost its connection, and go on.
void judge_missing_response(Script& script, HttpAnswer reply) {
  Connection& session = script.session();
  auto last_event_id = reply.last_event_id();
  if (!last_event_id) return;  // the monitor sees that it cannot go on
  for (int i = 0; i < kMostPolls; ++i) {
    reply = HeldStream::open(session, *last_event_id).until(has_answer);
    if (!reply.is_stream() || !reply.is_closed || reply.answer() != nullptr) return;
    if (const auto later = reply.last_event_id()) last_event_id = later;
  }
  const std::string detail = "the stream was resumed, and ended again without the response";
  if (script.revision().has_sse_polling()) {
    script.check("http.stream-response", false, reply.events, detail);
  } else {
    script.check("http.stream-not-closed-early", false, reply.events, detail);
  }
}

// Once the response has come on a stream, the stream ends.
SCENARIO(http_ends_streams_after_the_response, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.stream-closed-after-response", "http.stream-response",
                 "http.stream-not-closed-early"})) {
  constexpr catalogue::RequirementId kRule("http.stream-closed-after-response");
  Connection& session = script.session();
  std::vector<Json> requests = quick_requests(script, session);
  if (const auto slow = slow_call(script, session, "ends")) requests.push_back(*slow);
  bool has_streams = false;
  for (const Json& request : requests) {
    const HeldStream stream = HeldStream::post(session, request);
    if (!stream.until(has_answer).is_stream()) continue;
    has_streams = true;
    const HttpAnswer reply = stream.until(is_over);
    if (reply.answer() == nullptr) {
      judge_missing_response(script, reply);
      continue;
    }
    script.check(kRule, reply.is_closed, reply.events,
                 "the stream was still open long after the response had come on it",
                 Awaited{"the end of the stream"});
  }
  if (!has_streams) {
    script.not_exercised(kRule, "the server answers with JSON, and not with streams",
                         std::string(kSlowToolHint));
  }
}

// Two messages of equal text may well be two. When several of those that were provoked once come on
// both streams, they are copies.
constexpr std::size_t kDoubledByChance = 1;

// The texts of the messages that have come on a stream from the event numbered `after` on.
std::set<std::string> messages_on(const HeldStream& stream, std::size_t after) {
  std::set<std::string> texts;
  for (const EventPtr& event : stream.now().streamed) {
    if (event->n > after && event->message() != nullptr) {
      texts.insert(event->observation.event()->data);
    }
  }
  return texts;
}

// Things that make a server say something by itself, once each: a tool that changes a list, and
// the client's roots, which a server may ask for again.
void provoke(const Script& script, Connection& session) {
  for (const Ability ability : {Ability::kChangesTools, Ability::kChangesPrompts}) {
    const auto tool = script.tool_with(ability);
    if (!tool) continue;
    session.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  }
  session.notify("notifications/roots/list_changed");
  session.fence();
}

// With two streams open, each message of the server comes on one of them.
SCENARIO(http_sends_each_message_on_one_stream, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.message-on-one-stream", "http.message-not-broadcast",
                 "http.get-stream-no-response"})) {
  Connection& session = script.session();
  const HeldStream one = HeldStream::open(session);
  const bool has_one = one.until(has_begun).is_stream();
  const HeldStream other = HeldStream::open(session);
  const HttpAnswer second = other.until(has_begun);
  if (!has_one || !second.is_stream()) {
    const std::string why =
        has_one ? fmt::format("a second GET stream was refused with HTTP {}", second.status)
                : "the server offers no GET stream";
    script.not_applicable("http.message-on-one-stream", why);
    script.not_applicable("http.message-not-broadcast", why);
    if (has_one) {
      provoke(script, session);
    } else {
      script.not_applicable("http.get-stream-no-response", why);
    }
    return;
  }
  session.fence();  // what the server says of its own beginning has come
  const std::size_t after = session.mark();
  provoke(script, session);
  const std::set<std::string> first = messages_on(one, after);
  const std::set<std::string> others = messages_on(other, after);
  const auto doubled = std::count_if(others.begin(), others.end(),
                                     [&](const std::string& text) { return first.contains(text); });
  if (static_cast<std::size_t>(doubled) > kDoubledByChance) {
    std::vector<EventPtr> events = one.now().streamed;
    for (const EventPtr& event : other.now().streamed) events.push_back(event);
    const std::string detail = "the same messages came on two streams that were open";
    script.check("http.message-on-one-stream", false, events, detail);
    script.check("http.message-not-broadcast", false, events, detail);
  } else if (first.empty() && others.empty()) {
    const std::string why = "the server said nothing by itself while two streams were open";
    script.not_exercised("http.message-on-one-stream", why, hint(Ability::kChangesTools));
    script.not_exercised("http.message-not-broadcast", why, hint(Ability::kChangesTools));
  }
}

// How often two calls are made anew that did not run at the same time.
constexpr int kMostMeetings = 4;

// When the first message of this kind came on the stream; 0 if none did.
template <typename Kind>
std::uint64_t first_of(const HttpAnswer& reply, Kind is_it) {
  const auto found = std::find_if(
      reply.streamed.begin(), reply.streamed.end(),
      [&](const EventPtr& event) { return event->message() && is_it(*event->message()); });
  return found == reply.streamed.end() ? 0 : (*found)->n;
}

// The server had answered the first call before it said anything about the second: one of us was
// too busy for them to meet.
bool came_one_after_another(const HttpAnswer& first, const HttpAnswer& second) {
  const auto answered = first_of(first, [](const wire::Message& one) {
    return one.kind() == MessageKind::kResult || one.kind() == MessageKind::kError;
  });
  const auto begun = first_of(
      second, [](const wire::Message& one) { return one.method() == "notifications/progress"; });
  return answered != 0 && answered < begun;
}

// Calls that run at the same time keep their progress and their responses on their own streams.
SCENARIO(http_keeps_concurrent_streams_apart, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.message-on-one-stream", "http.get-stream-unrelated",
                 "http.stream-messages-relate"})) {
  Connection& session = script.session();
  HeldStream::open(session).until(has_begun);
  for (int i = 0; i < kMostMeetings; ++i) {
    const auto first = slow_call(script, session, fmt::format("first-{}", i));
    const auto second = slow_call(script, session, fmt::format("second-{}", i));
    if (!first || !second) {
      script.not_exercised("http.get-stream-unrelated", std::string(kNoSlowTool),
                           std::string(kSlowToolHint));
      return;
    }
    const HeldStream one = HeldStream::post(session, *first);
    one.until(has_begun);  // so that there is another stream when the second call arrives
    const HeldStream other = HeldStream::post(session, *second);
    // What came where is judged by the monitor, which sees both streams.
    if (one.until(has_answer).answer() == nullptr || other.until(has_answer).answer() == nullptr) {
      script.unclear("http.get-stream-unrelated", "one of the calls was not answered");
      return;
    }
    if (!came_one_after_another(one.now(), other.now())) return;
  }
}

}  // namespace
}  // namespace assay::scenarios
