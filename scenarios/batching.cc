// Scenarios about JSON-RPC batches: 2025-03-26 has them, later revisions took them out.
//
// Specification: basic/index, "Batching" (2025-03-26), and what JSON-RPC 2.0, to which that links,
// says of batches; changelog (2025-06-18).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using wire::Id;
using wire::MessageKind;

constexpr RequirementId kReceive("jsonrpc.batch-receive");
constexpr RequirementId kOneArray("jsonrpc.batch-array-response");
constexpr RequirementId kUnanswered("jsonrpc.batch-no-requests-unanswered");
constexpr RequirementId kInvalidMember("jsonrpc.batch-invalid-member");
constexpr RequirementId kEmpty("jsonrpc.batch-empty-refused");

Json ping(std::string_view id) {
  return wire::make_request(Id::of_string(std::string(id)), "ping");
}
Json notification(std::string_view about) {
  return wire::make_notification("notifications/assay/unknown", {{"about", about}});
}

// One error for the whole batch, or an HTTP status without an answer, is no answer to what is in
// it.
bool is_refused_whole(const Reply& reply) {
  constexpr int kBadRequest = 400;
  if (reply.message() == nullptr) return reply.http_status() >= kBadRequest;
  const auto& id = reply.message()->id();
  return reply.is_error() && (!id || id->kind() == Id::Kind::kNull);
}

// A batch that was sent, and what each of its requests came to.
struct Sent {
  Pending pending;
  std::vector<Reply> replies;

  bool is_all_answered() const {
    return std::all_of(replies.begin(), replies.end(), [](const Reply& reply) {
      return reply.is_answered() && !is_refused_whole(reply);
    });
  }
};

// Sends the batch and waits for the answers to its requests, or for the silence of who knows no
// batches.
Sent send_batch(Connection& session, const Json& batch) {
  std::vector<Id> ids;
  for (const Json& member : batch) {
    if (member.is_object() && member.contains("id") && member.contains("method")) {
      ids.push_back(Id::from_json_text(member["id"].dump()));
    }
  }
  Sent sent{session.send_line(wire::encode(batch),
                              ids.empty() ? std::nullopt : std::optional(ids.front())),
            {}};
  for (const Id& id : ids) {
    Pending pending = sent.pending;
    pending.id = id;
    sent.replies.push_back(session.await_before_fence(pending));
    if (!sent.replies.back().is_answered()) break;
  }
  return sent;
}

// The messages from the target that came since, on the batch's own lane.
std::vector<EventPtr> received(Connection& session, const Pending& since) {
  std::vector<EventPtr> events;
  for (const EventPtr& event : session.transcript().events(since.from)) {
    const bool is_ours = event->is_from_client() || event->message() == nullptr;
    if (!is_ours && event->observation.lane == since.lane) events.push_back(event);
  }
  return events;
}

// The members of a batch come back in one array, except on an event stream, whose page leaves the
// server a choice.
void judge_array(Script& script, const Sent& sent) {
  const EventPtr& first = sent.replies.front().events().back();
  if (first->observation.kind == transport::Observation::Kind::kSseEvent) return;
  const bool is_one =
      std::all_of(sent.replies.begin(), sent.replies.end(), [&](const Reply& reply) {
        return reply.events().back() == first && first->message()->kind() == MessageKind::kBatch;
      });
  script.check(kOneArray, is_one, {sent.pending.sent, first, sent.replies.back().events().back()},
               "the answers to a batch did not come back in one array");
}

void judge_answers(Script& script, const Sent& sent) {
  for (const Reply& reply : sent.replies) {
    script.check(kReceive, reply.is_answered() && !is_refused_whole(reply), reply,
                 fmt::format("a request in a batch was answered with {}", reply.describe()));
    if (is_refused_whole(reply)) {
      script.unclear(kOneArray, "the batch was refused", reply.events());
      return;
    }
  }
  if (sent.is_all_answered()) judge_array(script, sent);
}

// A batch is answered: each request in it, known or unknown, and nothing else.
SCENARIO(batching_answers_every_request, in_revisions(&model::Revision::has_batching),
         judges({"jsonrpc.batch-receive", "jsonrpc.batch-array-response"})) {
  Connection& session = script.session();
  const Sent sent = send_batch(session, Json::array({ping("batch-1"), ping("batch-2")}));
  judge_answers(script, sent);
  if (!sent.is_all_answered()) return;
  const Json unknown = wire::make_request(Id::of_string("batch-4"), "assay/no-such-method");
  judge_answers(script, send_batch(session, Json::array({notification("first"), ping("batch-3"),
                                                         unknown, notification("last")})));
  judge_answers(script, send_batch(session, Json::array({ping("batch-5")})));
}

// True if the target answers a batch at all; otherwise jsonrpc.batch-receive tells, and no more can
// be said of batches.
bool knows_batches(Script& script, std::initializer_list<RequirementId> rules) {
  const Sent sent = send_batch(script.session(), Json::array({ping("probe-1"), ping("probe-2")}));
  if (sent.is_all_answered()) return true;
  for (const RequirementId& rule : rules) {
    script.unclear(rule, "the server answers no batch: see jsonrpc.batch-receive");
  }
  return false;
}

// What asks for nothing is not answered: notifications, and responses to what was never asked. In a
// session of its own no late answer to something else is taken for one.
SCENARIO(batching_leaves_the_rest_unanswered, in_revisions(&model::Revision::has_batching),
         in_turn(), judges({"jsonrpc.batch-no-requests-unanswered"})) {
  if (!knows_batches(script, {kUnanswered})) return;
  Connection& session = script.session();
  const Json response = wire::make_result(Id::of_string("never-asked-1"), Json::object());
  const Json error = wire::make_error(Id::of_string("never-asked-2"), -32601, "No such method");
  for (const Json& batch : {Json::array({notification("one"), notification("two")}),
                            Json::array({notification("alone")}), Json::array({response, error})}) {
    const Pending pending = session.send_line(wire::encode(batch));
    if (!session.fence()) {
      script.unclear(kUnanswered, "the ping that followed was not answered");
      return;
    }
    std::vector<EventPtr> answers = received(session, pending);
    std::erase_if(answers, [](const EventPtr& event) {
      const auto kind = event->message()->kind();
      const bool is_array = kind == MessageKind::kBatch;
      const bool is_refusal = kind == MessageKind::kError && !event->message()->id();
      const auto& id = event->message()->id();
      return !is_array && !is_refusal && !(id && id->kind() == Id::Kind::kNull);
    });
    // An HTTP error status refuses the batch as a whole, and may say why.
    const bool is_refused =
        script.transport().is_streamable_http() && session.await(pending).http_status() >= 400;
    if (is_refused) continue;
    if (!answers.empty()) answers.insert(answers.begin(), pending.sent);
    script.check(kUnanswered, answers.empty(), answers,
                 "a batch without a request in it was answered");
  }
}

// The error without an id, or the one that refuses everything, among what came back.
EventPtr refusal_in(const std::vector<EventPtr>& events) {
  const auto is_refusal = [](const wire::Message& message) {
    return message.kind() == MessageKind::kError &&
           (!message.id() || message.id()->kind() == Id::Kind::kNull);
  };
  for (const EventPtr& event : events) {
    const auto& members = event->message()->members();
    if (is_refusal(*event->message()) || std::any_of(members.begin(), members.end(), is_refusal)) {
      return event;
    }
  }
  return nullptr;
}

// One bad member among good ones is refused by itself.
SCENARIO(batching_refuses_bad_members_alone, in_revisions(&model::Revision::has_batching),
         in_turn(), judges({"jsonrpc.batch-invalid-member"})) {
  if (!knows_batches(script, {kInvalidMember})) return;
  Connection& session = script.session();
  for (const Json& bad : {Json{{"foo", "boo"}}, Json(1)}) {
    const std::string first = fmt::format("before-{}", bad.type_name());
    const std::string last = fmt::format("behind-{}", bad.type_name());
    const Sent sent = send_batch(session, Json::array({ping(first), bad, ping(last)}));
    const EventPtr refusal = refusal_in(received(session, sent.pending));
    std::vector<EventPtr> events = sent.replies.back().events();
    if (refusal) events.push_back(refusal);
    script.check(kInvalidMember, sent.is_all_answered(), events,
                 "the good members of a batch were not answered because one was bad",
                 Awaited{"the answers to the good members"});
    if (!sent.is_all_answered()) return;
  }
}

// An empty array is no batch: whoever answers it answers with one error, and no array.
SCENARIO(batching_refuses_the_empty_array, in_revisions(&model::Revision::has_batching),
         in_turn(), judges({"jsonrpc.batch-empty-refused"})) {
  if (!knows_batches(script, {kEmpty})) return;
  Connection& session = script.session();
  const Pending pending = session.send_line("[]");
  if (!session.fence()) {
    script.unclear(kEmpty, "the ping that followed was not answered");
    return;
  }
  if (session.http() != nullptr) {
    const Reply reply = session.await(pending);
    const bool is_accepted = reply.message() == nullptr && reply.http_status() / 100 == 2;
    if (is_accepted) {
      return script.check(
          kEmpty, false, reply.events(),
          fmt::format("an empty batch was accepted with HTTP {}", reply.http_status()));
    }
  }
  for (const EventPtr& event : received(session, pending)) {
    const wire::Message& message = *event->message();
    if (message.kind() == MessageKind::kBatch) {
      script.check(kEmpty, false, {pending.sent, event},
                   "an empty batch was answered with an array");
      return;
    }
    if (message.kind() != MessageKind::kError || (message.id() && message.id()->is_valid()))
      continue;
    script.check(kEmpty, message.error_code() == wire::kInvalidRequest, {pending.sent, event},
                 "an empty batch was refused with another code than -32600");
    return;
  }
  script.not_exercised(kEmpty, "the server does not answer an empty batch");
}

// Where batches were taken out, the session goes on after one. An array that answers ours is no
// breach of its own: no sentence says how an array is refused.
SCENARIO(batching_is_gone, in_revisions(&model::Revision::has_no_batches), in_turn(),
         judges({"schema.no-batches", "jsonrpc.bad-message-survived"})) {
  Connection& session = script.session();
  const Pending pending =
      session.send_line(wire::encode(Json::array({ping("gone-1"), ping("gone-2")})));
  const Reply goes_on = session.request("ping");
  script.check("jsonrpc.bad-message-survived", goes_on.is_answered(), goes_on,
               fmt::format("after a batch, which the revision does not have, a ping was answered "
                           "with {}",
                           goes_on.describe()));
  for (const EventPtr& event : session.transcript().events(pending.from)) {
    const bool is_array = event->is_from_server() && event->message() != nullptr &&
                          event->message()->kind() == MessageKind::kBatch;
    if (!is_array) continue;
    script.unclear("schema.no-batches",
                   "the server answered our array with an array, which the revision does not have",
                   {pending.sent, event});
    return;
  }
  script.check("schema.no-batches", true, {}, "");
}

}  // namespace
}  // namespace assay::scenarios
