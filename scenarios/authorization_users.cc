// Scenarios about two users of one server: what one has begun, the other cannot go on with, be his
// token as good as it may.
//
// Specification: basic/utilities/tasks, "Task Isolation and Access Control" (2025-11-25);
// client/elicitation, "Statefulness" and "Security Considerations"; basic/authorization, "Access
// Token Privilege Restriction". Of servers without sessions: authorization_states.cc.
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
#include "reference/wire/message.h"
#include "scenarios/elicitation_calls.h"
#include "scenarios/http_calls.h"
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

// The second user asks for the tasks in a session of his own, and in that of the first one.
void ask_for_list(Script& script, Connection& theirs, const UserToken& other,
                  const std::string& id) {
  if (!theirs.has_capability("tasks.list")) return;
  Connection& mine = script.session();
  if (!lists_task(mine, id)) {
    return script.unclear(kOwnList, "tasks/list does not name a task of the user who asks");
  }
  script.check(kOwnList, !lists_task(theirs, id), theirs.transcript().events(),
               "tasks/list named a task of another user");
  const HttpAnswer within =
      post(mine, wire::make_request(mine.next_id(), "tasks/list", Json::object()), shown(other));
  const wire::Message* const answer = within.answer();
  const bool is_named = answer != nullptr && answer->bytes().find(id) != std::string_view::npos;
  script.check(kOwnList, !is_named, within.events,
               "tasks/list of a second user, in the session of the first one, named a task of the "
               "first user");
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
  ask_for_list(script, theirs, *other, call.id);
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
