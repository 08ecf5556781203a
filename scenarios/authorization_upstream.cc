// Scenarios about a server that asks an API on behalf of its clients, where we play the API
// (--upstream): the token of a client stays with the server.
//
// The server may show its own credentials there, none, or a token that it got for itself. What it
// asks an authorization server, which may be shown a token, is no such request.
//
// Specification: basic/authorization, "Token Handling", "Access Token Privilege Restriction".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

constexpr RequirementId kPassedOn("authorization.no-token-passthrough");
constexpr RequirementId kForwarded("authorization.other-tokens-not-forwarded");
constexpr const char* kHint =
    "let a tool that may be called (--tools) ask an API whose URL is put for {upstream} in its "
    "command, or stands in MCP_CONFORMANCE_UPSTREAM_URL";
constexpr const char* kNobodysServer = "https://another-server.assay.invalid/mcp";

constexpr std::size_t kMostErrands = 64;
// For one answer, and for all of them: a tool that takes its time is let be.
constexpr std::chrono::milliseconds kLongestCall{3'000};
constexpr std::chrono::seconds kLongestCalls{10};

// A request of ours that may make the server ask the API.
struct Errand {
  std::string what;  // "a call of weather"
  std::string method;
  Json params;
};

// The tools that do nothing but answer come first, then the others, each once.
std::vector<Errand> errands_for(const Script& script) {
  std::vector<ToolUse> uses = plain_tools(script.survey(), script.tool_policy(), kMostErrands);
  for (const KnownTool& known : script.tool_policy().known.tools) {
    const bool is_there = std::any_of(uses.begin(), uses.end(),
                                      [&](const ToolUse& use) { return use.name == known.name; });
    if (!is_there && !known.uses.empty() && script.may_call(known.name)) {
      uses.push_back(known.uses.front());
    }
  }
  if (uses.size() > kMostErrands) uses.resize(kMostErrands);
  std::vector<Errand> errands;
  for (ToolUse& use : uses) {
    const bool is_task =
        member(member(*script.survey().tool(use.name), "execution"), "taskSupport") == "required";
    if (is_task) continue;
    errands.push_back({"a call of " + use.name,
                       "tools/call",
                       {{"name", use.name}, {"arguments", std::move(use.arguments)}}});
  }
  constexpr std::size_t kMostReads = 8;
  const std::vector<Json>& resources = script.survey().resources().items;
  for (std::size_t i = 0; i < std::min(kMostReads, resources.size()); ++i) {
    const std::string uri(text_member(resources[i], "uri"));
    if (!uri.empty()) errands.push_back({"a read of " + uri, "resources/read", {{"uri", uri}}});
  }
  return errands;
}

// What reached the API by an errand.
struct Seen {
  std::string what;
  std::vector<EventPtr> asked;  // our request
  Upstream::Visit visit;
};

std::vector<Seen> visits_by(const Upstream& upstream, std::size_t from, const std::string& what,
                            const std::vector<EventPtr>& asked) {
  std::vector<Seen> seen;
  for (Upstream::Visit& visit : upstream.visits(from)) {
    seen.push_back({what, asked, std::move(visit)});
  }
  return seen;
}

std::vector<Seen> run_errands(Connection& session, const Upstream& upstream,
                              const std::vector<Errand>& errands) {
  const auto deadline = Clock::now() + kLongestCalls;
  const auto patience = std::min(session.patience().request, kLongestCall);
  std::vector<Seen> all;
  for (const Errand& errand : errands) {
    if (Clock::now() >= deadline) break;
    const std::size_t before = upstream.count();
    const Reply reply = session.await(session.start(errand.method, errand.params), patience);
    std::vector<EventPtr> asked = reply.events();
    if (asked.size() > 1) asked.resize(1);
    for (Seen& seen : visits_by(upstream, before, errand.what, asked)) {
      all.push_back(std::move(seen));
    }
    if (reply.kind() == Reply::Kind::kGone) break;
  }
  return all;
}

std::vector<EventPtr> proof_of(const Seen& seen) {
  std::vector<EventPtr> events = seen.asked;
  events.push_back(seen.visit.event);
  return events;
}

// Nobody is blamed by what may have been another scenario's call: where the token is not of this
// one alone, it is tried again while nothing else runs.
void judge_visits(Script& script, RequirementId rule, const std::vector<Seen>& all,
                  const std::string& token, std::string_view whose) {
  const bool is_shared = script.issuer() == nullptr;
  const Seen* plain = nullptr;
  bool is_told = false;
  for (const Seen& seen : all) {
    const bool is_it = seen.visit.token == token;
    const bool is_ordinary = !seen.visit.is_about_tokens;
    if (is_ordinary && seen.visit.token.empty() && plain == nullptr) plain = &seen;
    if (!is_it) continue;
    is_told = true;
    const std::string detail =
        fmt::format("during {}, a request to the API that we play carried {} in {}", seen.what,
                    whose, seen.visit.place);
    if (is_ordinary) return script.check(rule, false, proof_of(seen), detail, is_shared);
    script.unclear(rule,
                   detail +
                       "; it reads like one to an authorization server, which may be "
                       "shown a token",
                   proof_of(seen));
  }
  if (is_told) return;
  if (plain != nullptr) return script.check(rule, true, proof_of(*plain), "");
  script.not_exercised(rule, "no request reached the API that we play", kHint);
}

// A token that no other scenario shows, where we can make one; else the one that was given.
UserToken own_token(const Script& script) {
  UserToken token = tokens_of(script, Standing::kGood).front();
  if (script.issuer() != nullptr) {
    token.text = script.issuer()->sign(script.issuer()->claims(token.user));
  }
  return token;
}

std::optional<UserToken> foreign_token(const Script& script) {
  if (script.issuer() != nullptr) {
    Json claims = script.issuer()->claims();
    claims["aud"] = kNobodysServer;
    return UserToken{std::string(kForeignName), script.issuer()->sign(claims), Standing::kForeign};
  }
  const std::vector<UserToken> given = tokens_of(script, Standing::kForeign);
  return given.empty() ? std::nullopt : std::optional(given.front());
}

// The requests that have made the server ask the API, with the token of somebody else's server: it
// has to go by our own session's, or refuse them.
std::vector<Seen> show_foreign_token(Connection& session, const Upstream& upstream,
                                     const std::vector<Errand>& errands, const UserToken& token) {
  std::vector<Seen> all;
  for (const Errand& errand : errands) {
    const std::size_t before = upstream.count();
    Json request = session.fence_request(session.next_id());
    request["method"] = errand.method;
    request["params"].update(errand.params);
    const HttpAnswer answer = post(session, request, shown(token));
    std::vector<EventPtr> asked = answer.events;
    if (asked.size() > 1) asked.resize(1);
    for (Seen& seen : visits_by(upstream, before, errand.what, asked)) {
      all.push_back(std::move(seen));
    }
  }
  return all;
}

// The server keeps the token of its client to itself, and passes on none that it should not take.
SCENARIO(authorization_tokens_stay_with_the_server, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.no-token-passthrough",
                 "authorization.other-tokens-not-forwarded"})) {
  Upstream* const upstream = script.upstream();
  if (upstream == nullptr || tokens_of(script, Standing::kGood).empty()) return;
  if (!is_shut(script, try_door(script), {kPassedOn, kForwarded})) return;
  const UserToken token = own_token(script);
  const std::optional<UserToken> foreign = foreign_token(script);
  upstream->look_for(token.text);
  if (foreign) upstream->look_for(foreign->text);
  Connection& session = script.open_session(token);
  const std::vector<Errand> errands = errands_for(script);
  std::vector<Seen> all = run_errands(session, *upstream, errands);
  if (upstream->is_full()) {
    return script.unclear(kPassedOn, "more requests reached the API that we play than we keep");
  }
  judge_visits(script, kPassedOn, all, token.text, "the access token of our request");
  if (!foreign) return;
  std::vector<Errand> fruitful;
  for (const Errand& errand : errands) {
    const bool is_fruitful = std::any_of(
        all.begin(), all.end(), [&](const Seen& seen) { return seen.what == errand.what; });
    if (is_fruitful) fruitful.push_back(errand);
  }
  std::vector<Seen> more = show_foreign_token(session, *upstream, fruitful, *foreign);
  all.insert(all.end(), more.begin(), more.end());
  judge_visits(script, kForwarded, all, foreign->text,
               "an access token that was issued for another server, and that we showed");
}

}  // namespace
}  // namespace assay::scenarios
