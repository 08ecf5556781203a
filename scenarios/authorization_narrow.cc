// Scenarios about tokens that are good, and do not suffice: a call that needs more is refused,
// wherever it is made.
//
// Specification: basic/authorization, "Error Handling", "Scope Challenge Handling".
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "scenarios/token_door.h"
#include "scenarios/token_places.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

constexpr RequirementId kPermission("authorization.insufficient-permission-403");
constexpr std::size_t kMostNarrowTools = 16;

bool lists_tool(Connection& session, std::string_view name) {
  constexpr int kMostPages = 16;
  Json params = Json::object();
  for (int page = 0; page < kMostPages; ++page) {
    const Reply reply = session.request("tools/list", params);
    for (const Json& tool : array_member(reply.result(), "tools")) {
      if (text_member(tool, "name") == name) return true;
    }
    const Json& next = member(reply.result(), "nextCursor");
    if (!next.is_string()) return false;
    params["cursor"] = next;
  }
  return false;
}

// A refusal of the same call that our own token has served.
struct Narrow {
  HttpAnswer answer;
  std::string tool;
  // The token is of the same user and opens other calls, so that it lacks no more than a scope.
  bool is_ours;
};

// Which of the calls another token is served with, and which it is refused.
struct Calls {
  std::vector<ToolUse> served;
  std::vector<ToolUse> refused;
};

Calls try_calls(Script& script, Connection& theirs) {
  Calls calls;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostNarrowTools)) {
    if (!call_over_http(script.session(), tool).is_served()) continue;
    const HttpAnswer answer = call_over_http(theirs, tool);
    if (answer.status != 0) (answer.is_served() ? calls.served : calls.refused).push_back(tool);
  }
  return calls;
}

// The call is refused again, and served with our token, and the other token still opens what it
// opened: neither the time nor the number of calls is why.
std::optional<Narrow> refused_again(Script& script, Connection& theirs, const ToolUse& tool,
                                    const Calls& calls) {
  HttpAnswer answer = call_over_http(theirs, tool);
  if (answer.status == 0 || answer.is_served()) return std::nullopt;
  const bool is_sane =
      call_over_http(script.session(), tool).is_served() &&
      (calls.served.empty() ? post_probe(theirs).is_served()
                            : call_over_http(theirs, calls.served.front()).is_served());
  // What is not listed to a token is an unknown tool to it.
  if (!is_sane || !lists_tool(theirs, tool.name)) return std::nullopt;
  return Narrow{std::move(answer), tool.name, !calls.served.empty()};
}

// --- The same in other places ---

// A client that was asked for more scopes comes back with them, in the session that it has: a
// challenge whose scopes do not help there has not named what is needed.
void judge_wider_token(Script& script, Connection& theirs, const ToolUse& tool) {
  if (!script.revision().has_scope_challenges() || script.revision().is_stateless()) return;
  const UserToken wide = tokens_of(script, Standing::kGood).front();
  const HttpAnswer answer = post(theirs, call_request(theirs, tool), shown(wide));
  const auto challenge = token_challenge(answer);
  const bool is_refused_for_scopes = answer.status == kForbidden && challenge &&
                                     challenge->parameter("error") == "insufficient_scope";
  if (!is_refused_for_scopes) return;
  script.check(
      "authorization.needed-scopes-included", false, answer.events,
      fmt::format("a call of {} is served with a token, and was answered with {} and "
                  "scope=\"{}\" to the same token in a session that a narrower token "
                  "opened",
                  tool.name, answer.describe(), challenge->parameter("scope").value_or("")));
}

// A place where the call may be made as well, and how it went there with the narrow token.
struct Elsewhere {
  std::string where;
  HttpAnswer answer;
};

void judge_elsewhere(Script& script, Connection& theirs, const UserToken& narrow,
                     const ToolUse& tool) {
  std::vector<Elsewhere> all;
  Connection& mine = script.session();
  const Json call = call_request(mine, tool);
  if (script.revision().has_sessions()) {
    all.push_back({"within a session of a token that suffices", post(mine, call, shown(narrow))});
  }
  if (script.revision().has_batching()) {
    all.push_back({"in a batch", post(theirs, Json::array({call_request(theirs, tool)}))});
  }
  for (const std::string& target : other_ways_to(url_of(theirs))) {
    HttpAnswer answer = post_at(theirs, target, call_request(theirs, tool), {});
    // At a path that is not served, an unknown method is no sign that the server looked for it.
    if (answer.is_served()) all.push_back({"at " + target, std::move(answer)});
  }
  for (const Elsewhere& each : all) {
    if (says_nothing(each.answer)) continue;
    script.check(kPermission, !is_let_in(each.answer), each.answer.events,
                 fmt::format("a call of {} is refused to a token that lacks a scope, and was "
                             "answered with {} {}",
                             tool.name, each.answer.describe(), each.where));
  }
  judge_wider_token(script, theirs, tool);
}

// A call that needs more than a token allows is refused with 403, and the challenge says what it
// needs.
SCENARIO(
    authorization_tokens_lack_scopes, in_both_eras(), own_session(), over_http(),
    in_revisions(&Revision::has_authorization),
    judges({"authorization.insufficient-permission-403", "authorization.insufficient-scope-403",
            "authorization.insufficient-scope-challenge", "authorization.insufficient-scope-error",
            "authorization.insufficient-scope-scopes", "authorization.insufficient-scope-metadata",
            "authorization.needed-scopes-included",
            "authorization.offline-access-not-in-challenge"})) {
  const std::vector<UserToken> good = tokens_of(script, Standing::kGood);
  const std::string hint =
      "give a token that opens fewer tools, under the same name: alice=TOKEN alice=OTHER";
  if (good.size() < 2) {
    return script.not_exercised(kPermission, "it takes a second token, which opens less", hint);
  }
  if (!is_shut(script, try_door(script), {kPermission})) return;
  bool was_refused = false;
  for (auto token = good.begin() + 1; token != good.end(); ++token) {
    Connection& theirs = script.open_session(*token);
    const Calls calls = try_calls(script, theirs);
    for (const ToolUse& tool : calls.refused) {
      auto narrow = refused_again(script, theirs, tool, calls);
      if (!narrow) continue;
      narrow->is_ours = narrow->is_ours && token->user == good.front().user;
      was_refused =
          judge_scope_refusal(script, narrow->answer, narrow->tool, narrow->is_ours) || was_refused;
      if (!narrow->is_ours || narrow->answer.status != kForbidden) continue;
      judge_elsewhere(script, theirs, *token, tool);
    }
  }
  if (!was_refused) {
    script.not_exercised(kPermission, "each token that was given opens every tool that was called",
                         hint);
  }
}

}  // namespace
}  // namespace assay::scenarios
