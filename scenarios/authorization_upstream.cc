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
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"
#include "scenarios/upstream_errands.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

constexpr RequirementId kPassedOn("authorization.no-token-passthrough");
constexpr RequirementId kForwarded("authorization.other-tokens-not-forwarded");
constexpr const char* kHint =
    "let a tool that may be called (--tools) ask an API whose URL replaces {upstream} in its "
    "command, or is in MCP_CONFORMANCE_UPSTREAM_URL";

std::vector<EventPtr> proof_of(const Seen& seen) {
  std::vector<EventPtr> events = seen.asked;
  events.push_back(seen.visit.event);
  return events;
}

const Seen* showing_of(const std::string& token, const std::vector<Seen>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Seen& seen) {
    return seen.visit.token == token && seen.is_plain_showing();
  });
  return found == all.end() ? nullptr : &*found;
}

std::string detail_of(const Seen& seen, std::string_view whose) {
  return fmt::format("during {}, a request to the API that we play carried {} in {}",
                     seen.errand->what, whose, seen.visit.place);
}

// Where no errand had the token shown plainly. `idle` is what showed it so though nothing needed
// the API: that may be a check of it, and no proof that it stays with the server.
void judge_the_rest(Script& script, RequirementId rule, const std::vector<Seen>& all,
                    const std::vector<Seen>& idle, const std::string& token,
                    std::string_view whose) {
  const auto first = [&](const std::string& text) {
    return std::find_if(all.begin(), all.end(), [&](const Seen& seen) {
      return seen.visit.token == text && (!text.empty() || seen.is_plain_showing());
    });
  };
  if (const auto seen = first(token); seen != all.end()) {
    return script.unclear(
        rule,
        detail_of(*seen, whose) +
            (seen->visit.is_about_tokens
                 ? "; it reads like one to an authorization server, which "
                   "may be shown a token"
                 : "; a service that checks or exchanges tokens may receive one this way"),
        proof_of(*seen));
  }
  if (!idle.empty()) {
    return script.unclear(rule,
                          detail_of(idle.front(), whose) +
                              "; nothing there needs the API, so it may be a check of the token",
                          proof_of(idle.front()));
  }
  const auto plain = std::find_if(all.begin(), all.end(), [](const Seen& seen) {
    return seen.visit.token.empty() && seen.is_plain_showing() && seen.is_repeated;
  });
  if (plain != all.end()) return script.check(rule, true, proof_of(*plain), "");
  if (const auto once = first(""); once != all.end()) {
    return script.unclear(rule,
                          fmt::format("during {}, a request reached the API that we play, and none "
                                      "when the same was done again: whose it was is not clear",
                                      once->errand->what),
                          proof_of(*once));
  }
  script.not_exercised(rule,
                       all.empty() ? "no request reached the API that we play"
                                   : "each request that reached the API that we play carried "
                                     "another token of ours, or was about tokens",
                       kHint);
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
  if (script.issuer() != nullptr) return script.issuer()->foreign_token();
  const std::vector<UserToken> given = tokens_of(script, Standing::kForeign);
  return given.empty() ? std::nullopt : std::optional(given.front());
}

// Another token that the server takes, if possible of another user.
std::optional<UserToken> second_token(const Script& script, const UserToken& first) {
  std::optional<UserToken> second;
  for (UserToken& token : tokens_of(script, Standing::kGood)) {
    if (token.text == first.text) continue;
    if (token.user != first.user) return std::move(token);
    if (!second) second = std::move(token);
  }
  return second;
}

// A token of ours reaches the API only from its client. One that was given may also be what the
// server itself asks the API with, whoever its client is: nobody is blamed for that unless another
// token arrives in its place when it is shown. Given tokens are shown by other scenarios too, so
// that is tried again while nothing else runs.
void judge_own(Script& script, Upstream& upstream, const std::vector<Seen>& all,
               const std::vector<Seen>& idle, const UserToken& token, Checks& checks) {
  constexpr std::string_view kWhose = "the access token of our request";
  const Seen* const seen = showing_of(token.text, all);
  if (seen == nullptr) return judge_the_rest(script, kPassedOn, all, idle, token.text, kWhose);
  const std::string detail = detail_of(*seen, kWhose);
  std::vector<EventPtr> proof = proof_of(*seen);
  if (script.issuer() != nullptr) return script.check(kPassedOn, false, proof, detail);
  const std::optional<UserToken> second = second_token(script, token);
  if (!second) {
    return script.unclear(kPassedOn,
                          detail +
                              "; it may be the server's own key as well, which the token of a "
                              "second user would tell (--auth-token bob=TOKEN)",
                          proof);
  }
  upstream.look_for(second->text);
  const CheckedSession checked = open_checked_session(script, upstream, *second, checks);
  std::vector<Seen> more = run_errands(checked.session, upstream, std::span(seen->errand, 1));
  checks.mark(more);
  const Seen* const in_turn = showing_of(second->text, more);
  if (in_turn == nullptr) {
    return script.unclear(kPassedOn,
                          detail +
                              "; it may be the server's own key as well: when we showed another "
                              "token, that one did not arrive",
                          proof);
  }
  const std::vector<EventPtr> further = proof_of(*in_turn);
  proof.insert(proof.end(), further.begin(), further.end());
  script.check(kPassedOn, false, proof, detail + ", and another token when we showed that",
               Crossed{});
}

// The requests that have made the server ask the API, with the token of somebody else's server: it
// has to go by our own session's, or refuse them.
std::vector<Seen> show_foreign_token(Connection& session, const Upstream& upstream,
                                     std::span<const Errand> errands, const UserToken& token) {
  const auto deadline = Clock::now() + kLongestCalls;
  std::size_t taken = upstream.count();
  std::vector<Seen> all;
  for (const Errand& errand : errands) {
    if (Clock::now() >= deadline) break;
    Json request = session.fence_request(session.next_id());
    request["method"] = errand.method;
    request["params"].update(errand.params);
    const HttpAnswer answer = post(session, request, shown(token), kLongestCall);
    taken += take_visits(upstream, taken, errand, answer.events, all);
  }
  return all;
}

bool is_full(Script& script, const Upstream& upstream, std::initializer_list<RequirementId> rules) {
  if (!upstream.is_full()) return false;
  for (const RequirementId rule : rules) {
    script.unclear(rule, "more requests reached the API that we play than we keep");
  }
  return true;
}

// `before` is what reached the API while we showed our own token.
void judge_foreign(Script& script, Connection& session, const Upstream& upstream,
                   std::span<const Errand> fruitful, const std::vector<Seen>& before,
                   const UserToken& token, Checks& checks) {
  constexpr std::string_view kWhose =
      "an access token that was issued for another server, and that we showed";
  const std::vector<Errand> idle = idle_errands(session);
  std::vector<Seen> shown;
  std::vector<std::vector<Seen>> rounds;
  while (rounds.size() < kIdleRounds) {
    rounds.push_back(show_foreign_token(session, upstream, idle, token));
    const std::vector<Seen> plain = plain_showings(rounds.back(), token.text);
    shown.insert(shown.end(), plain.begin(), plain.end());
    // No other scenario calls tools with this token: once is enough.
    checks.learn(rounds.back(), token.text);
  }
  checks.learn_repeated(rounds);
  std::vector<Seen> all = show_foreign_token(session, upstream, fruitful, token);
  checks.mark(all);
  if (is_full(script, upstream, {kForwarded})) return;
  const Seen* const seen = showing_of(token.text, all);
  if (seen == nullptr) {
    all.insert(all.end(), before.begin(), before.end());
    return judge_the_rest(script, kForwarded, all, shown, token.text, kWhose);
  }
  const bool came_before = std::any_of(before.begin(), before.end(), [&](const Seen& each) {
    return each.visit.token == token.text;
  });
  const std::string detail = detail_of(*seen, kWhose);
  if (came_before) {
    return script.unclear(kForwarded,
                          detail +
                              "; it may be the server's own key as well: it arrived before we "
                              "showed it, too",
                          proof_of(*seen));
  }
  if (script.issuer() != nullptr) return script.check(kForwarded, false, proof_of(*seen), detail);
  script.check(kForwarded, false, proof_of(*seen), detail, Crossed{});
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
  // What other scenarios show is no sign that the server keeps tokens to itself.
  for (const UserToken& each : tokens_of(script, Standing::kGood)) upstream->look_for(each.text);
  if (foreign) upstream->look_for(foreign->text);
  Checks checks;
  const CheckedSession checked = open_checked_session(script, *upstream, token, checks);
  Connection& session = checked.session;
  const std::vector<Errand> errands = errands_for(script);
  std::vector<Seen> all = run_errands(session, *upstream, errands, kQuiet);
  const std::vector<Errand> fruitful = fruitful_among(errands, all);
  const std::vector<Seen> again = run_errands(session, *upstream, fruitful, kQuiet);
  mark_repeated(all, again);
  all.insert(all.end(), again.begin(), again.end());
  checks.mark(all);
  if (is_full(script, *upstream, {kPassedOn, kForwarded})) return;
  if (foreign) judge_foreign(script, session, *upstream, fruitful, all, *foreign, checks);
  judge_own(script, *upstream, all, checked.shown, token, checks);
}

}  // namespace
}  // namespace assay::scenarios
