// Scenarios about what a server makes of its client's answers: wrong ones, late ones, none.
//
// Specification: client/elicitation and client/sampling ("Security Considerations"),
// basic/lifecycle ("Timeouts", "Error Handling"), basic/utilities/cancellation.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Values that stand in no schema that a server would ask with.
constexpr std::string_view kWrongText = "assay-no-such-value";
constexpr int kWrongNumber = 47'110'815;

// A session on which questions of the server's are heard on whichever stream they come.
Connection& attentive_session(Script& script) {
  Connection& session = script.session();
  session.listen();
  return session;
}

Json call_params(const ToolUse& tool) {
  return {{"name", tool.name}, {"arguments", tool.arguments}};
}

// A number where text is asked for, and text where anything else is.
Json wrong_content(const Json& schema) {
  Json content = Json::object();
  const Json& fields = member(schema, "properties");
  if (!fields.is_object()) return content;
  for (const auto& [field, description] : fields.items()) {
    const bool is_open_text =
        member(description, "type") == "string" && member(description, "enum").is_null();
    content[field] = is_open_text ? Json(kWrongNumber) : Json(kWrongText);
  }
  return content;
}

// The call, what we answered meanwhile to the server's question, and what came of it. The question
// itself proves nothing of this rule: where it is wrong, other rules say so.
std::vector<EventPtr> with_our_answer(Connection& session, const Reply& reply,
                                      std::string_view method) {
  std::vector<EventPtr> out = reply.events();
  if (out.size() < 2) return out;
  EventPtr question;
  for (const EventPtr& event : session.transcript().events(out.front()->n)) {
    const wire::Message* message = event->message();
    if (message == nullptr || event->n > out.back()->n) continue;
    if (!question && event->is_from_server() && message->method() == method) question = event;
    const bool is_answer = question && event->is_from_client() && message->method().empty() &&
                           message->id() == question->message()->id();
    if (!is_answer) continue;
    out.insert(out.end() - 1, event);
    break;
  }
  return out;
}

// The server took what it should not have taken if it gives it back in a success.
void judge_validation(Script& script, RequirementId rule, const Reply& reply,
                      std::string_view question, bool was_asked, bool was_asked_again) {
  if (!was_asked) {
    script.not_exercised(rule, "the tool did not ask the client");
    return;
  }
  const bool is_refused = reply.is_error() || member(reply.result(), "isError") == true;
  if (is_refused || was_asked_again) {
    script.check(rule, true, reply);
    return;
  }
  const std::string text = reply.result().dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool is_passed_on = text.find(kWrongText) != std::string::npos ||
                            text.find(std::to_string(kWrongNumber)) != std::string::npos;
  if (is_passed_on) {
    script.check(rule, false, with_our_answer(script.session(), reply, question),
                 "the tool succeeded with an answer that its own schema does not allow");
  } else {
    script.unclear(rule, "the tool did not show what it made of a wrong answer", reply.events());
  }
}

// What the user is said to have entered is held to the schema of the form.
SCENARIO(elicitation_answers_are_validated, in_both_eras(), in_turn(),
         in_revisions(&model::Revision::has_elicitation),
         judges({"elicitation.server-validates"})) {
  const auto tool = script.tool_with(Ability::kElicits);
  if (!tool) {
    script.lacks("elicitation.server-validates", Ability::kElicits);
    return;
  }
  int asked = 0;
  attentive_session(script).on_request("elicitation/create", [&](const Json& params) -> Answer {
    if (++asked > 1) return Json{{"action", "decline"}};
    return Json{{"action", "accept"},
                {"content", wrong_content(member(params, "requestedSchema"))}};
  });
  const Reply reply = script.session().request("tools/call", call_params(*tool));
  judge_validation(script, "elicitation.server-validates", reply, "elicitation/create", asked > 0,
                   asked > 1);
}

// What the client's model is said to have answered is held to the form of a message.
SCENARIO(sampling_answers_are_validated, in_both_eras(), in_turn(),
         judges({"sampling.content-validated"})) {
  const auto tool = script.tool_with(Ability::kSamples);
  if (!tool) {
    script.lacks("sampling.content-validated", Ability::kSamples);
    return;
  }
  int asked = 0;
  attentive_session(script).on_request("sampling/createMessage", [&](const Json&) -> Answer {
    if (++asked > 1) return RefusedRequest{wire::kInternalError, "No more"};
    return Json{{"role", "assistant"},
                {"model", "assay-model"},
                {"content", {{"type", "text"}, {"text", kWrongNumber}}}};
  });
  // In the stateless revision the wrong answer is a part of the request that is sent again.
  const auto on_purpose = script.session().malformed_on_purpose();
  const Reply reply = script.session().request("tools/call", call_params(*tool));
  judge_validation(script, "sampling.content-validated", reply, "sampling/createMessage", asked > 0,
                   asked > 1);
}

// How long the harness waits for a server to give up. Whoever waits longer breaks no rule.
constexpr std::chrono::milliseconds kWithheldFor{1000};

// The server's notification that it has given up the request; null if it has sent none.
EventPtr cancellation_of(Connection& session, const wire::Id& id, std::size_t from) {
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->method() != "notifications/cancelled") continue;
    const Json& named = member(event->message()->params(), "requestId");
    if (named == wire::to_json(id)) return event;
  }
  return nullptr;
}

// A call under way whose question to the client stays without an answer.
struct OpenQuestion {
  Pending call;
  EventPtr question;
};

// The same, once it comes.
EventPtr await_cancellation(Connection& session, const OpenQuestion& open) {
  const Json id = wire::to_json(*open.question->message()->id());
  return session.wait_for(
      open.call.from,
      [&](const Event& event) {
        return event.is_from_server() && event.message() != nullptr &&
               event.message()->method() == "notifications/cancelled" &&
               member(event.message()->params(), "requestId") == id;
      },
      session.patience().request);
}

// Nothing where no tool is known that asks, or it did not ask.
std::optional<OpenQuestion> withhold_answer(Script& script) {
  const bool can_elicit = script.revision().has_elicitation();
  auto tool = script.tool_with(Ability::kSamples);
  std::string_view method = "sampling/createMessage";
  if (!tool && can_elicit) {
    tool = script.tool_with(Ability::kElicits);
    method = "elicitation/create";
  }
  if (!tool) return std::nullopt;
  Connection& session = attentive_session(script);
  session.on_request(std::string(method), [](const Json&) -> Answer { return WithheldAnswer{}; });
  const std::size_t from = session.mark();
  const Pending call = session.start("tools/call", call_params(*tool));
  const EventPtr question = session.wait_for_request(from, method, session.patience().request);
  if (!question) return std::nullopt;
  return OpenQuestion{call, question};
}

Json answer_to(const EventPtr& question) {
  if (question->message()->method() == "elicitation/create") return {{"action", "decline"}};
  return {{"role", "assistant"},
          {"model", "assay-model"},
          {"content", {{"type", "text"}, {"text", "Too late."}}}};
}

// Answers after all, so that nothing is left of a call whose server still waits.
void answer_at_last(Connection& session, const OpenQuestion& open) {
  session.respond(*open.question->message()->id(), answer_to(open.question));
  session.await(open.call, kWithheldFor);
}

bool has_given_up(const Reply& reply) {
  return reply.is_error() || member(reply.result(), "isError") == true;
}

// Only who cancels its question shows that it has a timeout: a call may be answered because its
// tool needs no answer. That a server still waits proves nothing.
void judge_timeout(Script& script, const EventPtr& question, const EventPtr& cancellation,
                   bool is_answered) {
  constexpr RequirementId kRule = "lifecycle.request-timeout";
  if (cancellation) {
    script.check(kRule, true, {question, cancellation}, "");
  } else if (is_answered) {
    script.unclear(kRule,
                   "the call was answered, and nothing says that the server had given up "
                   "its question");
  } else {
    script.unclear(kRule, fmt::format("the server still waited for its client after {} ms; the "
                                      "text names no time, so its timeout may be longer",
                                      kWithheldFor.count()));
  }
}

// A call that failed while its question was open has given that up, and should have cancelled it;
// one that succeeded may have had no need of an answer.
void judge_timeout_cancels(Script& script, const EventPtr& question, const EventPtr& cancellation,
                           const Reply& reply) {
  constexpr RequirementId kRule = "lifecycle.timeout-cancels";
  if (cancellation || has_given_up(reply)) {
    script.check(kRule, cancellation != nullptr, {question, reply.events().back()},
                 "the server gave up its request and sent no notifications/cancelled",
                 Awaited{"notifications/cancelled"});
  } else {
    script.unclear(kRule, "the call succeeded without an answer to its question", reply.events());
  }
}

// A server that gives up waiting for its client says so, and brings the call to an end.
SCENARIO(client_that_does_not_answer_is_given_up, in_turn("patience"), lengthy(),
         judges({"lifecycle.request-timeout", "lifecycle.timeout-cancels",
                 "lifecycle.handles-request-timeout"})) {
  constexpr RequirementId kHandled = "lifecycle.handles-request-timeout";
  const auto withheld = withhold_answer(script);
  if (!withheld) {
    for (const RequirementId rule : {RequirementId("lifecycle.request-timeout"),
                                     RequirementId("lifecycle.timeout-cancels"), kHandled}) {
      script.not_exercised(rule, "no tool asked the client", hint(Ability::kSamples));
    }
    return;
  }
  Connection& session = script.session();
  const EventPtr& question = withheld->question;
  Reply reply = session.await(withheld->call, kWithheldFor);
  EventPtr cancellation = cancellation_of(session, *question->message()->id(), withheld->call.from);
  if (!reply.is_answered() && !cancellation) {
    judge_timeout(script, question, nullptr, false);
    for (const RequirementId rule : {RequirementId("lifecycle.timeout-cancels"), kHandled}) {
      script.not_exercised(rule, "the server still waited for its client when the scenario ended",
                           hint(Ability::kSamples));
    }
    return answer_at_last(session, *withheld);
  }
  // It may come on another stream than the answer, and later.
  const bool goes_on = session.fence();
  if (!cancellation && has_given_up(reply)) cancellation = await_cancellation(session, *withheld);
  judge_timeout(script, question, cancellation, reply.is_answered());
  judge_timeout_cancels(script, question, cancellation, reply);
  if (!goes_on) return script.unclear(kHandled, "a ping was not answered either");
  if (!reply.is_answered()) reply = session.await(withheld->call);
  script.check(kHandled, reply.is_answered(), reply,
               "the server gave up its request, and left the tool call unanswered");
}

// Progress may start the clock of a timeout again, but there is a maximum all the same: a server
// that is told of progress, and never given an answer, gives up in the end.
SCENARIO(client_that_only_reports_progress_is_given_up, in_turn("patience"), lengthy(),
         judges({"lifecycle.timeout-maximum"})) {
  constexpr RequirementId kRule = "lifecycle.timeout-maximum";
  constexpr int kReports = 10;
  const auto withheld = withhold_answer(script);
  const Json token =
      withheld ? member(member(withheld->question->message()->params(), "_meta"), "progressToken")
               : Json();
  if (!token.is_string() && !token.is_number_integer()) {
    script.not_exercised(
        kRule,
        withheld ? "the server asked for no progress on its request" : "no tool asked the client",
        hint(Ability::kSamples));
    if (withheld) answer_at_last(script.session(), *withheld);
    return;
  }
  Connection& session = script.session();
  for (int i = 1; i <= kReports; ++i) {
    session.notify("notifications/progress", {{"progressToken", token}, {"progress", i}});
    const Reply reply = session.await(withheld->call, kWithheldFor / kReports);
    const EventPtr cancellation =
        cancellation_of(session, *withheld->question->message()->id(), withheld->call.from);
    if (cancellation) return script.check(kRule, true, {withheld->question, cancellation}, "");
    // It may have had no need of an answer.
    if (reply.is_answered()) {
      return script.unclear(kRule,
                            "the call was answered, and nothing says that the server had given up "
                            "its question",
                            reply.events());
    }
  }
  script.unclear(kRule,
                 fmt::format("the server still waited for its client after {} ms of "
                             "progress; the text names no time, so its maximum may be longer",
                             kWithheldFor.count()));
  answer_at_last(session, *withheld);
}

// An answer that comes after the server has cancelled its question changes nothing.
SCENARIO(client_that_answers_late_is_ignored, last_in_turn("patience"), lengthy(),
         judges({"cancellation.late-response-ignored"})) {
  constexpr RequirementId kRule = "cancellation.late-response-ignored";
  const auto withheld = withhold_answer(script);
  if (!withheld) {
    script.not_exercised(kRule, "no tool asked the client", hint(Ability::kSamples));
    return;
  }
  Connection& session = script.session();
  const wire::Id question = *withheld->question->message()->id();
  // A server that stops the call has no use for the answer any more.
  session.notify("notifications/cancelled", {{"requestId", wire::to_json(withheld->call.id)}});
  const bool is_sane = session.fence();
  const EventPtr cancellation = session.wait_for(
      withheld->call.from,
      [&](const Event& event) {
        return event.is_from_server() && event.message() != nullptr &&
               event.message()->method() == "notifications/cancelled";
      },
      kWithheldFor);
  const std::size_t from = session.mark();
  session.respond(question, answer_to(withheld->question));
  const bool goes_on = session.fence();
  if (!is_sane || !cancellation || !cancellation_of(session, question, withheld->call.from)) {
    script.not_exercised(kRule, "the server did not cancel what it had asked",
                         "a tool that cancels its question when it is cancelled itself");
    return;
  }
  EventPtr complaint;
  for (const EventPtr& event : session.transcript().events(from)) {
    // Over HTTP a response that is not accepted has an error for its body.
    const bool is_http = event->observation.lane.kind == transport::Lane::Kind::kHttp;
    if (event->is_from_client() || event->message() == nullptr || is_http) continue;
    if (event->message()->kind() != wire::MessageKind::kError) continue;
    const auto& id = event->message()->id();
    if (!id || id->kind() == wire::Id::Kind::kNull) complaint = event;
  }
  const auto evidence = complaint ? std::vector<EventPtr>{cancellation, complaint}
                                  : session.transcript().events(from);
  script.check(kRule, goes_on && !complaint, evidence,
               complaint ? "a response that came after the cancellation was answered with an error"
                         : "after a late response, a ping was not answered",
               complaint ? std::nullopt : std::optional(Awaited{"the answer to a ping"}));
}

}  // namespace
}  // namespace assay::scenarios
