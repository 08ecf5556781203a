// Scenarios about two users of one server: what one has begun, the other cannot go on with, be his
// token as good as it may.
//
// Specification: basic/utilities/tasks, "Task Isolation and Access Control" (2025-11-25);
// client/elicitation, "Statefulness" and "Security Considerations"; basic/patterns/mrtr, "Server
// Requirements (Basic Workflow)" (2026-07-28); basic/authorization, "Access Token Privilege
// Restriction".
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "scenarios/elicitation_calls.h"
#include "scenarios/http_calls.h"
#include "scenarios/mrtr_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;

// --- Tasks ---

constexpr RequirementId kBound("tasks.bound-to-authorization");
constexpr RequirementId kForeign("tasks.foreign-task-refused");
constexpr RequirementId kOwnList("tasks.list-own-context");

// A request of the other user about a task of ours: in a session of his own, and in ours.
void ask_about_task(Script& script, Connection& theirs, const UserToken& other, const char* method,
                    const std::string& id) {
  Connection& mine = script.session();
  const auto request_in = [&](Connection& session) {
    return wire::make_request(session.next_id(), method, {{"taskId", id}});
  };
  const HttpAnswer apart = post(theirs, request_in(theirs));
  const HttpAnswer within = post(mine, request_in(mine), shown(other));
  for (const auto& [answer, where] : {std::pair(&apart, "a session of his own"),
                                      std::pair(&within, "the session of the first user")}) {
    if (answer->status == 0) continue;
    const std::string detail =
        fmt::format("a second user, in {}, asked {} about a task of the first user, and got {}",
                    where, method, answer->describe());
    script.check(kBound, !answer->is_served(), answer->events, detail);
    script.check(kForeign, !answer->is_served(), answer->events, detail);
  }
}

void ask_for_list(Script& script, Connection& theirs, const std::string& id) {
  if (!theirs.has_capability("tasks.list")) return;
  if (!lists_task(script.session(), id)) {
    return script.unclear(kOwnList, "tasks/list does not name a task of the user who asks");
  }
  script.check(kOwnList, !lists_task(theirs, id), theirs.transcript().events(),
               "tasks/list named a task of another user");
}

// A task is its user's: nobody else is told of it, is given its result or cancels it.
SCENARIO(authorization_users_keep_their_tasks, own_session(), over_http(),
         in_revisions(&Revision::has_core_tasks),
         judges({"tasks.bound-to-authorization", "tasks.foreign-task-refused",
                 "tasks.list-own-context"})) {
  const auto other = other_users_token(script, {kBound, kForeign, kOwnList});
  if (!other) return;
  const auto tool = any_task_tool(script, {kBound, kForeign, kOwnList});
  if (!tool) return;
  Connection& mine = script.session();
  Connection& theirs = script.open_session(*other);
  const TaskCall call = create_task(mine, *tool);
  if (!call.is_created()) return no_task(script, call, {kBound, kForeign, kOwnList});
  ask_for_list(script, theirs, call.id);
  if (theirs.has_capability("tasks.cancel")) {
    ask_about_task(script, theirs, *other, "tasks/cancel", call.id);
  }
  // At its end tasks/result has nothing to wait for.
  const Reply ended = await_end(mine, call.id);
  if (!is_at_end(ended)) {
    const std::string why = "tasks/get did not show its own user the end of a task";
    script.unclear(kForeign, why, ended.events());
    return script.unclear(kBound, why, ended.events());
  }
  for (const char* method : {"tasks/get", "tasks/result"}) {
    ask_about_task(script, theirs, *other, method, call.id);
  }
}

// --- Elicitations ---

constexpr RequirementId kAsked("elicitation.bound-to-client-and-user");
constexpr RequirementId kState("elicitation.state-bound-to-user");
constexpr RequirementId kNotBySession("elicitation.state-not-by-session-alone");

// How a call ends after the other user has answered its question: from a session of his own, and
// then with the id of the session that was asked.
struct Meddled {
  EndOfQuestion end;
  HttpAnswer posted;  // within the session
};

std::optional<Meddled> meddle(Connection& asked, Connection& theirs, const UserToken& other,
                              const ToolUse& tool, bool is_within) {
  const auto question = open_question(asked, tool);
  if (!question) return std::nullopt;
  Meddled meddled;
  const Json decline = {{"action", "decline"}};
  if (is_within) {
    meddled.posted = post(asked, wire::make_result(question->id, decline), shown(other));
  } else {
    theirs.respond(question->id, decline);
  }
  theirs.fence();
  meddled.end = cancel_question(asked, *question);
  return meddled;
}

// What one user was asked, another does not answer: not from a session of his own, and not within
// the session of the one who was asked.
SCENARIO(authorization_users_answer_for_themselves, own_session(), over_http(),
         in_revisions(&Revision::has_url_elicitation),
         judges({"elicitation.bound-to-client-and-user", "elicitation.state-bound-to-user",
                 "elicitation.state-not-by-session-alone"})) {
  const std::initializer_list<RequirementId> rules = {kAsked, kState, kNotBySession};
  const auto other = other_users_token(script, rules);
  if (!other) return;
  const auto tool = script.tool_with(Ability::kElicits);
  if (!tool) {
    for (const RequirementId rule : rules) script.lacks(rule, Ability::kElicits);
    return;
  }
  Connection& asked = script.session();
  Connection& theirs = script.open_session(*other);
  // How the call ends where nobody else says anything.
  const auto alone = open_question(asked, *tool);
  if (!alone) {
    for (const RequirementId rule : rules) {
      script.not_exercised(rule, "the tool did not ask the user");
    }
    return;
  }
  theirs.fence();
  const EndOfQuestion usual = cancel_question(asked, *alone);
  const auto apart = meddle(asked, theirs, *other, *tool, false);
  const auto within = meddle(asked, theirs, *other, *tool, true);
  const bool is_sane =
      !usual.is_early && usual.reply && apart && apart->end.reply && within && within->end.reply;
  if (!is_sane) {
    for (const RequirementId rule : rules) {
      script.unclear(rule, "the tool does not wait for the answer to its question");
    }
    return;
  }
  for (const auto& [meddled, how] : {std::pair(&*apart, "from a session of his own"),
                                     std::pair(&*within, "with the session's id")}) {
    const Reply& reply = *meddled->end.reply;
    const Taken taken = taken_from_another(asked, *tool, usual, meddled->end);
    const std::string detail =
        fmt::format("what one user was asked was answered by another, {}", how);
    const auto judge = [&](RequirementId rule, const std::vector<EventPtr>& events) {
      if (taken == Taken::kUnclear) return script.unclear(rule, kEndsByItself, events);
      script.check(rule, taken == Taken::kNo, events, detail);
    };
    judge(kAsked, reply.events());
    judge(kState, reply.events());
    if (meddled == &*within) judge(kNotBySession, within->posted.events);
  }
}

// --- What is carried from one request to the next ---

constexpr RequirementId kPrincipal("mrtr.state-bound-to-principal");

bool is_done(const Reply& reply) {
  return is_complete(reply) && member(reply.result(), "isError") != true;
}

// Asked the same again, or refused: the state was not taken.
bool is_not_taken(const Reply& reply, const Questioned& asked) {
  if (wants_input(reply)) return member(reply.result(), "inputRequests") == asked.requests();
  return reply.is_error() || (reply.is_result() && !is_done(reply));
}

bool asks_user(const Questioned& asked) {
  return std::any_of(asked.requests().begin(), asked.requests().end(), [](const Json& request) {
    return text_member(request, "method") == "elicitation/create";
  });
}

Json call_on(Connection& connection, const ToolUse& tool) {
  return request_as_sent(connection, "tools/call",
                         {{"name", tool.name}, {"arguments", tool.arguments}});
}

// The call once more with good answers, on this connection, and with this state (null: none).
Reply go_on(Script& script, Connection& connection, const Questioned& asked, const Json& state) {
  Json retry = call_on(connection, asked.tool);
  retry["params"]["inputResponses"] = good_responses(script, asked.requests());
  if (!state.is_null()) retry["params"]["requestState"] = state;
  return ask(connection, retry);
}

std::optional<Questioned> question_on(Connection& connection, const ToolUse& tool) {
  Questioned asked{tool, ask(connection, call_on(connection, tool))};
  if (!wants_input(asked.reply) || !asked.requests().is_object()) return std::nullopt;
  return asked;
}

// Whoever asks for himself is served with what he was given.
bool is_served_alone(Script& script, Connection& connection, const ToolUse& tool) {
  const auto asked = question_on(connection, tool);
  return asked && is_done(go_on(script, connection, *asked, asked->state()));
}

// A server to which the state makes no difference has bound nothing to it.
bool needs_state(Script& script, Connection& connection, const ToolUse& tool) {
  const auto asked = question_on(connection, tool);
  return asked && !is_done(go_on(script, connection, *asked, nullptr)) &&
         !is_done(go_on(script, connection, *asked, "assay-invented"));
}

// A requestState is of no use to another user: what was asked of one is not answered by another.
SCENARIO(authorization_users_keep_their_states, stateless(), own_session(), over_http(),
         judges({"mrtr.state-bound-to-principal", "elicitation.bound-to-client-and-user"})) {
  const auto other = other_users_token(script, {kPrincipal, kAsked});
  if (!other) return;
  const auto asked = ask_questions(script, {kPrincipal, kAsked}, true);
  if (!asked) return;
  Connection& theirs = script.open_session(*other);
  std::vector<RequirementId> rules = {kPrincipal};
  if (asks_user(*asked)) rules.push_back(kAsked);
  const Reply reply = go_on(script, theirs, *asked, asked->state());
  const bool is_sane = is_served_alone(script, script.session(), asked->tool) &&
                       is_served_alone(script, theirs, asked->tool);
  const bool is_taken = is_done(reply);
  for (const RequirementId rule : rules) {
    if (!is_sane) {
      script.unclear(rule, fmt::format("{} does not serve both users with states of their own",
                                       asked->tool.name));
    } else if (is_taken && !needs_state(script, theirs, asked->tool)) {
      script.unclear(rule, "answers are taken without the state that came with their questions",
                     reply.events());
    } else if (!is_taken && !is_not_taken(reply, *asked)) {
      script.unclear(
          rule,
          fmt::format("the requestState of another user was answered with {}", reply.describe()),
          reply.events());
    } else {
      script.check(rule, !is_taken, reply,
                   fmt::format("{} went on for one user with the requestState of another",
                               asked->tool.name));
    }
  }
}

// --- What a user has told ---

// What the first user tells, and nobody else: known again where it turns up.
constexpr const char* kTold = "assay-told-by-the-first-user";

// A field of the form that takes any text; empty if there is none.
std::string free_field(const Json& form) {
  const Json& properties = member(form, "properties");
  if (!properties.is_object()) return "";
  for (const auto& [name, schema] : properties.items()) {
    const bool is_bound = schema.contains("enum") || schema.contains("format") ||
                          schema.contains("maxLength") || schema.contains("oneOf");
    if (text_member(schema, "type") == "string" && !is_bound) return name;
  }
  return "";
}

// Good answers, one of which tells kTold; null where no question leaves room for it.
Json telling_responses(Script& script, const Questioned& asked) {
  Json responses = good_responses(script, asked.requests());
  for (const auto& [key, request] : asked.requests().items()) {
    if (text_member(request, "method") != "elicitation/create") continue;
    const std::string field = free_field(member(member(request, "params"), "requestedSchema"));
    if (field.empty() || !responses.contains(key)) continue;
    responses[key]["content"][field] = kTold;
    return responses;
  }
  return nullptr;
}

// The first user has told the tool something, and it is done.
bool tells(Script& script, const ToolUse& tool) {
  Connection& mine = script.session();
  const auto asked = question_on(mine, tool);
  if (!asked) return false;
  const Json responses = telling_responses(script, *asked);
  if (responses.is_null()) return false;
  Json retry = call_on(mine, tool);
  retry["params"]["inputResponses"] = responses;
  if (!asked->state().is_null()) retry["params"]["requestState"] = asked->state();
  return is_done(ask(mine, retry));
}

// What one user has told is not known to another: who has not been asked is asked.
SCENARIO(authorization_users_tell_for_themselves, stateless(), own_session(), over_http(),
         judges({"elicitation.state-bound-to-user"})) {
  const auto other = other_users_token(script, {kState});
  if (!other) return;
  Connection& theirs = script.open_session(*other);
  bool was_judged = false;
  for (const ToolUse& tool : script.tools_with(Ability::kElicits)) {
    if (!tells(script, tool)) continue;
    const Reply reply = ask(theirs, call_on(theirs, tool));
    const std::string text = reply.result().dump(-1, ' ', false, Json::error_handler_t::replace);
    const bool is_told = text.find(kTold) != std::string::npos;
    // Who is asked again has not been remembered, and there is nothing to be kept apart.
    const bool is_remembered = !question_on(script.session(), tool);
    if (!is_told && !(is_remembered && wants_input(reply))) continue;
    was_judged = true;
    script.check(kState, !is_told, reply,
                 fmt::format("{} answered one user with what another had told it", tool.name));
  }
  if (!was_judged) {
    script.not_exercised(kState, "no tool was seen to remember what a user told it");
  }
}

// --- Streams ---

// What answers one user is not given to another: a stream that was lost is resumed by its own user
// only.
SCENARIO(authorization_users_keep_their_streams, own_session(), over_http(),
         in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.no-data-to-unauthorized"})) {
  constexpr RequirementId kRule("authorization.no-data-to-unauthorized");
  const auto other = other_users_token(script, {kRule});
  if (!other || !is_shut(script, try_door(script), {kRule})) return;
  Connection& mine = script.session();
  const auto slow = slow_call(script, mine, "stream-of-the-first-user");
  if (!slow) {
    return script.not_exercised(kRule, std::string(kNoSlowTool), std::string(kSlowToolHint));
  }
  const Broken broken = break_off(mine, *slow);
  if (!broken.last_event_id || broken.before.answer() != nullptr) {
    return script.not_exercised(
        kRule, "no stream could be broken off between an event id and the response",
        std::string(kSlowToolHint));
  }
  script.open_session(*other);  // his token is good
  transport::HttpRequest request;
  request.method = "GET";
  request.headers = shown(*other);
  request.headers.emplace_back("Last-Event-ID", *broken.last_event_id);
  const std::size_t from = mine.mark();
  const transport::Lane lane = mine.http()->start(std::move(request));
  const HttpAnswer theirs = follow(mine, lane, from, has_answer);
  if (!is_over(theirs)) abandon(mine, lane);
  if (carries_answer_to(theirs, broken.id)) {
    return script.check(kRule, false, theirs.events,
                        "a second user resumed a stream of the first user, and was given the "
                        "response to the first user's request");
  }
  const HttpAnswer own = HeldStream::open(mine, broken.last_event_id).until(has_answer);
  if (!carries_answer_to(own, broken.id)) {
    return script.unclear(kRule, "the stream could not be resumed by its own user", own.events);
  }
  script.check(kRule, true, theirs.events, "");
}

}  // namespace
}  // namespace assay::scenarios
