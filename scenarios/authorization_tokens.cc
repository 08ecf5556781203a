// Scenarios about what a token is good for: for this server and no other, for its time, and for the
// scopes that it has. They take tokens of these kinds.
//
// Specification: basic/authorization, "Token Handling", "Error Handling", "Scope Challenge
// Handling", "Access Token Privilege Restriction".
#include <fmt/format.h>

#include <initializer_list>
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
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

// --- Tokens that are to be refused ---

// What became of a token that is to be refused: where a client begins, and in a session of ours.
struct Attempt {
  HttpAnswer answer;
  const char* when;
};

std::vector<Attempt> show_everywhere(Script& script, const UserToken& token) {
  std::vector<Attempt> all;
  all.push_back({knock(script, shown(token)), "a first request"});
  Connection& session = script.session();
  const HttpAnswer within = post_probe(session, shown(token));
  // With our token the same is served, so the other one is why it was not.
  if (post_probe(session).is_served())
    all.push_back({within, "a request within a session of ours"});
  return all;
}

bool has_token(Script& script, Standing standing, std::string_view name,
               std::initializer_list<RequirementId> rules) {
  if (tokens_of(script, standing).empty()) {
    for (const RequirementId rule : rules) {
      script.not_exercised(
          rule, fmt::format("no token was given that is {}", name),
          fmt::format(
              "give one that the server has to refuse: {}=TOKEN in --auth-token-file; or tell "
              "the server to trust an authorization server of ours: --auth-server",
              standing == Standing::kForeign ? kForeignName : kExpiredName));
    }
    return false;
  }
  return is_shut(script, try_door(script), rules);
}

// Until tokens have an audience by the pages, one for another server is not invalid to everybody:
// who takes it, says that it does not suffice, or knows no session of that user, has broken
// nothing.
bool may_be_valid(Revision revision, const HttpAnswer& answer) {
  return !revision.has_resource_metadata() && answer.status != kUnauthorized;
}

// A token that was issued for another server opens nothing: the server is not whom it was meant
// for.
SCENARIO(authorization_tokens_for_others_are_refused, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.audience-validated", "authorization.intended-tokens-only",
                 "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.invalid-token-401"})) {
  const Revision revision = script.revision();
  std::vector<RequirementId> rules;
  if (revision.has_resource_metadata()) {
    rules = {"authorization.audience-validated", "authorization.intended-tokens-only",
             "authorization.wrong-audience-rejected", "authorization.other-tokens-not-accepted",
             "authorization.validated-before-processing"};
  }
  if (revision >= Revision::v2025_11_25) rules.push_back("authorization.own-tokens-only");
  if (!has_token(script, Standing::kForeign, "for another server",
                 {"authorization.audience-validated", "authorization.intended-tokens-only",
                  "authorization.wrong-audience-rejected", "authorization.own-tokens-only"})) {
    return;
  }
  for (const UserToken& token : tokens_of(script, Standing::kForeign)) {
    for (const Attempt& each : show_everywhere(script, token)) {
      const std::string detail =
          fmt::format("{} with a token that was issued for another server was answered with {}",
                      each.when, each.answer.describe());
      if (says_nothing(each.answer) || may_be_valid(revision, each.answer)) {
        script.unclear(kInvalidToken401, detail, each.answer.events);
        continue;
      }
      for (const RequirementId rule : rules) {
        script.check(rule, !is_let_in(each.answer), each.answer.events, detail);
      }
      script.check(kInvalidToken401, each.answer.status == kUnauthorized, each.answer.events,
                   detail);
    }
  }
}

// A token whose time is over opens nothing.
SCENARIO(authorization_tokens_that_expired_are_refused, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.token-expiration"})) {
  if (tokens_of(script, Standing::kExpired).empty()) return;
  if (!has_token(script, Standing::kExpired, "expired", {"authorization.token-validated"})) return;
  for (const UserToken& token : tokens_of(script, Standing::kExpired)) {
    for (const Attempt& each : show_everywhere(script, token)) {
      const std::string detail =
          fmt::format("{} with a token that has expired was answered with {}", each.when,
                      each.answer.describe());
      if (says_nothing(each.answer)) {
        script.unclear(kInvalidToken401, detail, each.answer.events);
        continue;
      }
      script.check("authorization.token-validated", !is_let_in(each.answer), each.answer.events,
                   detail);
      if (!script.revision().has_resource_metadata()) {
        script.check("authorization.token-expiration", !is_let_in(each.answer), each.answer.events,
                     detail);
      }
      script.check(kInvalidToken401, each.answer.status == kUnauthorized, each.answer.events,
                   detail);
    }
  }
}

// --- Tokens that lack a scope ---

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

// A call that needs more than a token allows is refused with 403, and the challenge says what it
// needs.
SCENARIO(
    authorization_tokens_lack_scopes, in_both_eras(), own_session(), over_http(),
    in_revisions(&Revision::has_authorization),
    judges({"authorization.insufficient-permission-403", "authorization.insufficient-scope-403",
            "authorization.insufficient-scope-challenge", "authorization.insufficient-scope-error",
            "authorization.insufficient-scope-scopes",
            "authorization.insufficient-scope-metadata"})) {
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
    }
  }
  if (!was_refused) {
    script.not_exercised(kPermission, "each token that was given opens every tool that was called",
                         hint);
  }
}

}  // namespace
}  // namespace assay::scenarios
