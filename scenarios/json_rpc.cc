// Scenarios about requests, answers and errors as JSON-RPC 2.0 defines them.
//
// Specification: basic/messages (2024-11-05), basic/index (later).
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

bool is_answer_without_id(const Event& event) {
  if (event.is_from_client() || event.message() == nullptr) return false;
  const auto kind = event.message()->kind();
  const auto& id = event.message()->id();
  return kind == wire::MessageKind::kError && (!id || id->kind() == wire::Id::Kind::kNull);
}

// Whether an error of that code may speak of something else than the message: over HTTP a message
// that is no request has no header fields to match it, nor a revision, so that a server may say
// that first, or take it for one of an older client.
bool may_be_about_headers(Script& script, const wire::Message& error) {
  if (!script.revision().has_mirrored_headers() || !script.transport().is_streamable_http()) {
    return false;
  }
  return error.error_code() == kHeaderMismatch || has_older_era(script);
}

void judge_code(Script& script, catalogue::RequirementId requirement, std::int64_t code,
                const wire::Message& error, const std::vector<EventPtr>& events) {
  const bool is_right = error.error_code() == code;
  const std::string detail = fmt::format("the answer was error {}", error.error_code().value_or(0));
  if (!is_right && may_be_about_headers(script, error)) {
    script.unclear(requirement, detail + ", which may be about what is missing in the header",
                   events);
    return;
  }
  script.check(requirement, is_right, events, detail);
}

// Sends bytes that are no request between two sane exchanges, and judges the code of the error that
// comes, if one does: JSON-RPC 2.0 names the code, but nobody has to answer what is no request.
void judge_refusal(Script& script, catalogue::RequirementId requirement, std::int64_t id,
                   std::string_view bytes, std::int64_t code) {
  Connection& session = script.session();
  const Pending pending = session.send_line(bytes, wire::Id::of(id));
  const Reply ping = session.probe();
  const bool is_alive = ping.is_answered();
  script.check("jsonrpc.bad-message-survived", is_alive, ping,
               fmt::format("after an invalid message, the next request was answered with {}",
                           ping.describe()));
  // Over HTTP the answer comes on an exchange of its own, which may be slower than the ping's.
  std::optional<Reply> reply;
  if (script.transport().answers_in_exchanges()) reply = session.await(pending);
  if (!reply) reply = session.poll(pending);
  if (reply && reply->is_error()) {
    judge_code(script, requirement, code, *reply->message(), reply->events());
    return;
  }
  for (const EventPtr& event : session.transcript().events(pending.from)) {
    if (!is_answer_without_id(*event)) continue;
    judge_code(script, requirement, code, *event->message(), {pending.sent, event});
    return;
  }
  if (is_alive) {
    script.not_exercised(requirement, "the server does not answer a message that is not a request");
  } else {
    script.unclear(requirement, "the session did not go on after it");
  }
}

// Over HTTP, who cannot accept a message may say so in the body of the refusal.
bool is_refused_exchange(Connection& session, const Event& event, std::size_t from) {
  return session.http() != nullptr && look(session, event.observation.lane, from).is_refusal();
}

// Any method may be that of a notification: what has no id is answered with no result, though a
// server may call it malformed. The result that came; null if none did.
EventPtr result_of_notification(Script& script) {
  Connection& session = script.session();
  const auto on_purpose = session.malformed_on_purpose();
  const std::size_t from = session.mark();
  session.notify(std::string(session.fence_method()));
  for (const Listing& listing : script.survey().listings()) {
    if (listing.is_declared) session.notify(std::string(listing.method));
  }
  session.fence();
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    const Json& answer = event->message()->json();
    if (answer.is_object() && answer.contains("result") && member(answer, "id").is_null()) {
      return event;
    }
  }
  return nullptr;
}

// A notification is not answered, whether the receiver knows it or not.
SCENARIO(json_rpc_leaves_notifications_unanswered, in_both_eras(),
         judges({"jsonrpc.notification-no-response"})) {
  Connection& session = script.session();
  const std::size_t from = session.mark();
  session.notify("notifications/assay/unknown", {{"about", "nothing"}});
  session.notify("notifications/cancelled", {{"requestId", "never-sent"}, {"reason", "a test"}});
  if (script.revision().has_sessions()) {
    session.notify("notifications/progress", {{"progressToken", "never-given"}, {"progress", 1}});
  }
  if (!session.fence()) {
    script.unclear("jsonrpc.notification-no-response", "the ping that followed was not answered");
    return;
  }
  for (const EventPtr& event : session.transcript().events(from)) {
    if (!is_answer_without_id(*event) || is_refused_exchange(session, *event, from)) continue;
    script.check("jsonrpc.notification-no-response", false, {event},
                 "an answer came to a notification");
    return;
  }
  const EventPtr result = result_of_notification(script);
  const auto evidence = result ? std::vector<EventPtr>{result} : std::vector<EventPtr>{};
  script.check("jsonrpc.notification-no-response", result == nullptr, evidence,
               "a result came to a message without an id, which is a notification");
}

// Whatever id a request has, its answer carries exactly that.
SCENARIO(json_rpc_returns_every_kind_of_id, in_both_eras(),
         judges({"jsonrpc.response-id", "jsonrpc.result-response-id"})) {
  const std::array ids = {
      wire::Id::of(0),
      wire::Id::of(-7),
      wire::Id::of((std::int64_t{1} << 31) + 5),
      wire::Id::of((std::int64_t{1} << 53) - 1),
      wire::Id::of(-(std::int64_t{1} << 53) + 1),
      wire::Id::of_string("assay"),
      wire::Id::of_string(""),
      wire::Id::of_string("1"),
      wire::Id::of_string("h\xc3\xa9llo \xe2\x9c\x93 \xf0\x9f\xa6\x8a"),
      wire::Id::of_string("\"quoted\"\\ with\ttab and\nline"),
      wire::Id::of_string(std::string(300, 'a')),
      // What is read for what it means, and not for what it is, comes back in other letters.
      wire::Id::of_string(" with blanks "),
      wire::Id::of_string("Of-Both-Cases"),
      wire::Id::of_string("007"),
      wire::Id::of_string("<b>&amp;</b>"),
      wire::Id::of_string("e\xcc\x81 in two characters"),
      wire::Id::of_string(std::string("up to\0here", 10)),
  };
  for (const wire::Id& id : ids) {
    const Reply reply = script.session().request_with_id(id, script.session().fence_method());
    const std::string detail =
        fmt::format("a ping with the id {} was answered with {}", id.json_text(), reply.describe());
    if (reply.kind() == Reply::Kind::kSilence || reply.kind() == Reply::Kind::kGone) {
      script.check("jsonrpc.response-id", false, reply, detail);
      script.check("jsonrpc.result-response-id", false, reply, detail);
      return;
    }
  }
  // What the answers carry is judged by the monitor, which sees each of them.
}

// A method that does not exist is refused, as method not found.
SCENARIO(json_rpc_refuses_unknown_methods, in_both_eras(),
         judges({"jsonrpc.unknown-method-refused", "jsonrpc.unknown-method-code"})) {
  const Reply reply = script.request("assay/no-such-method");
  script.check("jsonrpc.unknown-method-refused", reply.is_error(), reply);
  if (!reply.is_error()) return;
  script.check("jsonrpc.unknown-method-code", reply.is_error(wire::kMethodNotFound), reply);
}

// A method is known by its whole name: what only looks like one that there is, is none.
SCENARIO(json_rpc_reads_whole_method_names, in_both_eras(),
         judges({"jsonrpc.unknown-method-refused"})) {
  const std::string known(script.session().fence_method());
  if (!script.request(known).is_result()) return;
  std::string other = known;
  for (char& c : other) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& method : {known + "/assay", other, known + " "}) {
    const Reply reply = script.request(method);
    if (!reply.is_answered()) continue;
    script.check("jsonrpc.unknown-method-refused", reply.is_error(), reply,
                 fmt::format("\"{}\", which is not a method, was answered with {}", method,
                             reply.describe()));
  }
}

// Text that is no JSON, if it is answered at all, is answered as a parse error.
SCENARIO(json_rpc_names_parse_errors, in_both_eras(), in_turn(),
         judges({"jsonrpc.parse-error-code", "jsonrpc.bad-message-survived"})) {
  judge_refusal(script, "jsonrpc.parse-error-code", 77, R"({"jsonrpc":"2.0","id":77,"method":)",
                wire::kParseError);
  judge_refusal(script, "jsonrpc.parse-error-code", 78, "hello", wire::kParseError);
}

// JSON that is no request, if it is answered at all, is answered as an invalid request.
SCENARIO(json_rpc_names_invalid_requests, in_both_eras(), in_turn(),
         judges({"jsonrpc.invalid-request-code", "jsonrpc.bad-message-survived"})) {
  constexpr RequirementId kRule("jsonrpc.invalid-request-code");
  judge_refusal(script, kRule, 77, R"({"jsonrpc":"2.0","id":77,"method":12})",
                wire::kInvalidRequest);
  judge_refusal(script, kRule, 78, R"({"id":78})", wire::kInvalidRequest);
  judge_refusal(script, kRule, 79, "17", wire::kInvalidRequest);
}

// The second answer of the target to one of these requests; null if there is none.
EventPtr second_answer(Connection& session, std::size_t from, const std::vector<Pending>& asked) {
  std::map<wire::Id, int> answers;
  for (const Pending& pending : asked) answers[pending.id] = 0;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr || !event->message()->id()) continue;
    if (!event->message()->method().empty()) continue;
    const auto found = answers.find(*event->message()->id());
    if (found != answers.end() && ++found->second > 1) return event;
  }
  return nullptr;
}

// Many requests at once: each is answered once, in whatever order.
SCENARIO(json_rpc_answers_many_at_once, in_both_eras(), judges({"jsonrpc.request-answered-once"})) {
  constexpr int kAtOnce = 24;
  Connection& session = script.session();
  const std::size_t from = session.mark();
  std::vector<Pending> asked;
  for (int i = 0; i < kAtOnce; ++i) {
    const auto& listings = script.survey().listings();
    const Listing& listing = listings[static_cast<std::size_t>(i) % listings.size()];
    asked.push_back(session.start(i % 2 == 0 && listing.is_complete
                                      ? std::string_view(listing.method)
                                      : session.fence_method()));
  }
  for (const Pending& pending : asked) {
    const Reply reply = session.await(pending);
    if (reply.kind() == Reply::Kind::kGone && reply.is_absent()) {
      return script.unclear("jsonrpc.request-answered-once",
                            fmt::format("one of {} connections was closed without an answer: the "
                                        "server may take fewer at once",
                                        kAtOnce),
                            reply.events());
    }
    script.check("jsonrpc.request-answered-once", reply.is_answered(), reply,
                 fmt::format("one of {} requests that were sent at once was answered with {}",
                             kAtOnce, reply.describe()));
    if (!reply.is_answered()) return;
  }
  if (!session.fence()) return;
  if (const EventPtr twice = second_answer(session, from, asked)) {
    script.check("jsonrpc.request-answered-once", false, {twice}, "a request was answered twice");
  }
}

}  // namespace
}  // namespace assay::scenarios
