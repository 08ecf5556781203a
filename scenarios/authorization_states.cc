// Scenarios about two users of a server without sessions: what a requestState carries for one of
// them, and what is kept or cached for him, is of no use to the other.
//
// Specification of 2026-07-28: basic/patterns/mrtr, "Server Requirements (Basic Workflow)";
// client/elicitation, "Statefulness"; server/utilities/caching, "Cache Scope Field".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"
#include "scenarios/elicitation_calls.h"
#include "scenarios/mrtr_calls.h"
#include "scenarios/state_rewriting.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kAskedUser("elicitation.bound-to-client-and-user");
constexpr RequirementId kToldState("elicitation.state-bound-to-user");

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
  const auto other = other_users_token(script, {kPrincipal, kAskedUser});
  if (!other) return;
  const auto asked = ask_questions(script, {kPrincipal, kAskedUser}, true);
  if (!asked) return;
  Connection& theirs = script.open_session(*other);
  std::vector<RequirementId> rules = {kPrincipal};
  if (asks_user(*asked)) rules.push_back(kAskedUser);
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
  const auto other = other_users_token(script, {kToldState});
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
    script.check(kToldState, !is_told, reply,
                 fmt::format("{} answered one user with what another had told it", tool.name));
  }
  if (!was_judged) {
    script.not_exercised(kToldState, "no tool was seen to remember what a user told it");
  }
}

// --- States that name their user ---

// Who changes the name in a requestState, and keeps its form, is still not the one whom it was made
// for: that a state is well formed says nothing of who wrote it.
SCENARIO(authorization_states_are_not_rewritten, stateless(), own_session(), over_http(),
         judges({"mrtr.state-integrity-protected", "mrtr.tampered-state-rejected"})) {
  constexpr RequirementId kIntegrity("mrtr.state-integrity-protected");
  constexpr RequirementId kRejected("mrtr.tampered-state-rejected");
  const auto other = other_users_token(script, {});
  if (!other) return;
  const auto asked = ask_questions(script, {}, true);
  if (!asked || !asked->state().is_string()) return;
  const std::string own = tokens_of(script, UserToken::Standing::kGood).front().user;
  const auto rewritten = state_renamed(asked->state().get<std::string>(), own, other->user);
  if (!rewritten) return;
  Connection& theirs = script.open_session(*other);
  // As it came, the state is of no use to the other user: then its name is why.
  if (is_done(go_on(script, theirs, *asked, asked->state()))) return;
  const Reply reply = go_on(script, theirs, *asked, *rewritten);
  if (!is_served_alone(script, theirs, asked->tool)) return;
  for (const RequirementId rule : {kIntegrity, kRejected}) {
    script.check(rule, !is_done(reply), reply,
                 fmt::format("{} refused a second user the requestState of the first, and went on "
                             "when the name in it was changed",
                             asked->tool.name));
  }
}

// --- What may be cached for everybody ---

constexpr RequirementId kPublic("caching.public-awareness");

// What a client sees of a result; null where it may not be shared.
Json public_content(const Reply& reply) {
  Json content = reply.result();
  if (text_member(content, "cacheScope") != "public") return nullptr;
  for (const char* name : {"ttlMs", "_meta"}) content.erase(name);
  return content;
}

// The same results for this token, and for our own? Each asks twice in turn, so that what changes
// by itself is not taken for what differs between them.
void compare_public(Script& script, Connection& theirs, const UserToken& other,
                    const std::vector<std::pair<std::string, Json>>& asked) {
  Connection& mine = script.session();
  const bool is_same_user = other.user == tokens_of(script, UserToken::Standing::kGood)[0].user;
  for (const auto& [method, params] : asked) {
    std::vector<Reply> replies;
    for (Connection* each : {&mine, &theirs, &mine, &theirs}) {
      replies.push_back(ask(*each, request_as_sent(*each, method, params)));
    }
    const Json own = public_content(replies[0]);
    const Json others = public_content(replies[1]);
    const bool is_stable =
        own == public_content(replies[2]) && others == public_content(replies[3]);
    if (own.is_null() || others.is_null() || !is_stable) continue;
    script.check(kPublic, own == others, replies[1],
                 fmt::format("{} gave different results for {}, and called both public", method,
                             is_same_user ? "two tokens of one user" : "two users"));
  }
}

// What a server calls public it gives to each user alike, and for each token.
SCENARIO(authorization_public_results_are_for_all, stateless(), own_session(), over_http(),
         judges({"caching.public-awareness"})) {
  const auto other = other_users_token(script, {kPublic});
  if (!other) return;
  std::vector<std::pair<std::string, Json>> asked = {{"server/discover", Json::object()}};
  for (const Listing& listing : script.survey().listings()) {
    if (listing.is_declared) asked.emplace_back(listing.method, Json::object());
  }
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    asked.emplace_back("resources/read", Json{{"uri", text_member(resource, "uri")}});
    break;
  }
  const std::vector<UserToken> good = tokens_of(script, UserToken::Standing::kGood);
  for (auto token = good.begin() + 1; token != good.end(); ++token) {
    compare_public(script, script.open_session(*token), *token, asked);
  }
}

}  // namespace
}  // namespace assay::scenarios
