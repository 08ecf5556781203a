// Scenarios about a server that trusts an authorization server of ours (--auth-server): it takes a
// good token of it, and refuses what is forged, and what is good and for somebody else.
//
// Each begins and ends with a good token: where that is refused, the server goes by something that
// we do not know, and what it refuses besides proves nothing.
//
// Specification: basic/authorization, "Token Handling", "Access Token Privilege Restriction";
// basic/security_best_practices, "Token Passthrough".
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "reference/wire/compose.h"
#include "scenarios/forged_tokens.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;

transport::Headers bearing(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

// What became of a token.
struct Shown {
  std::string what;
  HttpAnswer answer;
  std::vector<RequirementId> rules;
  Credential as = Credential::kWrong;
};

std::string words_about(const Shown& shown) {
  return fmt::format("a request with {} was answered with {}", shown.what, shown.answer.describe());
}

// The first request of a client with our own token is served.
bool takes_good_tokens(Script& script) {
  return is_let_in(knock(script, {}));
}

void judge_shown_tokens(Script& script, const std::vector<Shown>& all) {
  for (const Shown& shown : all) {
    if (says_nothing(shown.answer)) {
      script.unclear(kInvalidToken401, words_about(shown), shown.answer.events);
      continue;
    }
    for (const RequirementId rule : shown.rules) {
      script.check(rule, !is_let_in(shown.answer), shown.answer.events, words_about(shown));
    }
    script.check(kInvalidToken401, shown.answer.status == kUnauthorized, shown.answer.events,
                 words_about(shown));
    judge_challenge(script, shown.answer, fmt::format("a request with {}", shown.what), shown.as);
  }
}

void say_untrusted(Script& script, const std::vector<RequirementId>& rules) {
  for (const RequirementId rule : rules) {
    script.unclear(rule,
                   "the server refused a good token of our authorization server: it was not told "
                   "to trust it, or wants something of tokens that we do not know");
  }
}

// Access tokens are of the type at+jwt (RFC 9068) or of no certain one. Who refuses JWT for its
// type holds to the former, and then tokens of other types are for other purposes.
void show_other_types(Script& script, const std::vector<RequirementId>& rules,
                      std::vector<Shown>& all) {
  const TokenIssuer& issuer = *script.issuer();
  if (issuer.token_type() != "at+jwt") return;
  const HttpAnswer plain = knock(script, bearing(token_of_type(issuer, "JWT")));
  if (plain.status != kUnauthorized) return;
  for (const char* type : {"logout+jwt", "secevent+jwt"}) {
    all.push_back({fmt::format("a token of the type {}, where JWT is refused,", type),
                   knock(script, bearing(token_of_type(issuer, type))), rules});
  }
}

// What is forged, or not of this time, opens nothing.
SCENARIO(authorization_forged_tokens_are_refused, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.token-expiration", "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing"}),
         judges_challenges()) {
  if (script.issuer() == nullptr) return;
  const std::vector<RequirementId> rules = rules_about_wrong_tokens(script.revision());
  if (!is_shut(script, try_door(script), rules)) return;
  if (!takes_good_tokens(script)) return say_untrusted(script, rules);
  std::vector<Shown> all;
  for (const ForgedToken& token : invalid_tokens(*script.issuer())) {
    all.push_back({token.what, knock(script, bearing(token.text)), rules});
    if (token.is_expired && !script.revision().has_resource_metadata()) {
      all.back().rules.push_back("authorization.token-expiration");
    }
  }
  show_other_types(script, rules, all);
  if (!takes_good_tokens(script)) return say_untrusted(script, rules);
  judge_shown_tokens(script, all);
}

// --- Tokens that end while they are used ---

constexpr std::int64_t kShortLife = 2;  // seconds
constexpr std::chrono::milliseconds kBetweenLooks{250};
constexpr std::chrono::seconds kLongestWait{6};

// Waits until a token that ends at that time, and was never shown, is refused. A server may be
// lenient for a while after the end of tokens; false where it is for longer than we wait.
bool is_time_over(Script& script, std::int64_t end) {
  const auto until = Clock::now() + std::chrono::seconds(kShortLife) + kLongestWait;
  Connection& connection = script.open_connection();
  while (Clock::now() < until) {
    connection.wait_for(
        connection.mark(), [](const Event&) { return false; }, kBetweenLooks);
    if (TokenIssuer::now() <= end) continue;
    const std::string unused = token_until(*script.issuer(), end);
    if (knock(script, bearing(unused)).status == kUnauthorized) return true;
  }
  return false;
}

// A token that was good is not good for ever: when another one that ends at the same time is
// refused, so is the one that was used meanwhile, where a client begins and in its session.
SCENARIO(authorization_tokens_end_while_they_are_used, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.token-expiration", "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing"}),
         judges_challenges()) {
  if (script.issuer() == nullptr || try_door(script).state != Door::State::kShut) return;
  if (!takes_good_tokens(script)) return;
  const std::int64_t end = TokenIssuer::now() + kShortLife;
  const std::string token = token_until(*script.issuer(), end);
  Connection& session = script.open_session({"alice", token});
  if (!post_probe(session).is_served() || !is_time_over(script, end)) return;
  std::vector<RequirementId> rules = rules_about_wrong_tokens(script.revision());
  if (!script.revision().has_resource_metadata()) {
    rules.push_back("authorization.token-expiration");
  }
  const std::vector<Shown> all = {
      {"a token that was good before, and has expired since,", knock(script, bearing(token)),
       rules},
      {"a token that has expired since the session began, in that session,", post_probe(session),
       rules}};
  if (takes_good_tokens(script)) judge_shown_tokens(script, all);
}

// --- Tokens for others ---

std::vector<RequirementId> rules_of_audience(Revision revision, bool is_for_nobody) {
  std::vector<RequirementId> rules = {"authorization.audience-validated",
                                      "authorization.wrong-audience-rejected"};
  if (is_for_nobody) return rules;
  for (const RequirementId rule : {RequirementId("authorization.intended-tokens-only"),
                                   RequirementId("authorization.other-tokens-not-accepted"),
                                   RequirementId("authorization.validated-before-processing")}) {
    rules.push_back(rule);
  }
  constexpr RequirementId kOwnTokens("authorization.own-tokens-only");
  if (catalogue::holds(kOwnTokens, revision)) rules.push_back(kOwnTokens);
  return rules;
}

// Nobody is there: with a good token there is nothing but 404 at that path.
bool is_nobodys(Script& script, const std::string& path) {
  Connection& connection = script.open_connection();
  const Json opening = opening_request(connection);
  transport::HttpRequest request;
  request.target = path;
  request.headers = connection.fields_of(opening);
  request.body = wire::encode(opening);
  constexpr int kNotFound = 404;
  return exchange(connection, std::move(request)).status == kNotFound;
}

// A good token for somebody else opens nothing, be the other's name ever so near to the server's.
SCENARIO(authorization_near_audiences_are_refused, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.audience-validated", "authorization.wrong-audience-rejected",
                 "authorization.intended-tokens-only", "authorization.own-tokens-only",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.invalid-token-401"}),
         judges_challenges()) {
  if (script.issuer() == nullptr) return;
  const std::vector<RequirementId> rules = rules_of_audience(script.revision(), false);
  if (!is_shut(script, try_door(script), rules)) return;
  if (!takes_good_tokens(script)) return say_untrusted(script, rules);
  std::vector<Shown> all;
  const std::string path = url_of(script.open_connection()).target;
  for (const ForeignToken& foreign : foreign_tokens(*script.issuer(), path)) {
    if (!foreign.path.empty() && !is_nobodys(script, foreign.path)) continue;
    all.push_back({foreign.token.what, knock(script, bearing(foreign.token.text)),
                   rules_of_audience(script.revision(), foreign.is_for_nobody),
                   Credential::kForeign});
  }
  if (!takes_good_tokens(script)) return say_untrusted(script, rules);
  judge_shown_tokens(script, all);
}

// A key that is published no longer signs nothing that a server may take, once the server has read
// the keys anew: as it has where it takes what the next key signed. When it reads them is its own
// affair.
SCENARIO(authorization_withdrawn_keys_are_forgotten, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing"}),
         judges_challenges()) {
  TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr) return;
  const std::vector<RequirementId> rules = rules_about_wrong_tokens(script.revision());
  if (try_door(script).state != Door::State::kShut || !takes_good_tokens(script)) return;
  const auto old_key = issuer->take_spare_key();
  if (!is_let_in(knock(script, bearing(token_by(*issuer, *old_key))))) return;
  const auto new_key = issuer->replace_key(*old_key);
  if (!is_let_in(knock(script, bearing(token_by(*issuer, *new_key))))) return;
  const std::vector<Shown> all = {
      {"a token signed, after the keys were read anew, by a key that is published no longer",
       knock(script, bearing(token_by(*issuer, *old_key))), rules}};
  if (takes_good_tokens(script)) judge_shown_tokens(script, all);
}

// Who shows a token whose scopes do not suffice is told so.
SCENARIO(
    authorization_unheard_scopes_do_not_suffice, in_both_eras(), own_session(), over_http(),
    in_revisions(&Revision::has_authorization),
    judges({"authorization.insufficient-permission-403", "authorization.insufficient-scope-403",
            "authorization.insufficient-scope-challenge", "authorization.insufficient-scope-error",
            "authorization.insufficient-scope-scopes", "authorization.insufficient-scope-metadata",
            "authorization.offline-access-not-in-challenge"})) {
  if (script.issuer() == nullptr || try_door(script).state != Door::State::kShut) return;
  if (!takes_good_tokens(script)) return;
  const HttpAnswer answer = knock(script, bearing(token_of_other_scope(*script.issuer())));
  if (!takes_good_tokens(script)) return;
  // Who needs no scope for a beginning serves it; who asks for a stronger login says 401.
  judge_scope_refusal(script, answer, "a first request", true);
}

}  // namespace
}  // namespace assay::scenarios
