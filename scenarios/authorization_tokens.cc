// Scenarios about what a token is good for: for this server and no other, and for its time. They
// take tokens of these kinds.
//
// Specification: basic/authorization, "Token Handling", "Error Handling", "Access Token Privilege
// Restriction".
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

// --- Tokens that are to be refused ---

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
  constexpr RequirementId kOwnTokens("authorization.own-tokens-only");
  if (catalogue::holds(kOwnTokens, revision)) rules.push_back(kOwnTokens);
  if (!has_token(script, Standing::kForeign, "for another server",
                 {"authorization.audience-validated", "authorization.intended-tokens-only",
                  "authorization.wrong-audience-rejected", "authorization.own-tokens-only"})) {
    return;
  }
  for (const UserToken& token : tokens_of(script, Standing::kForeign)) {
    const HttpAnswer answer = knock(script, shown(token));
    const std::string detail = fmt::format(
        "a first request with a token that was issued for another server was answered "
        "with {}",
        answer.describe());
    if (says_nothing(answer) || may_be_valid(revision, answer)) {
      script.unclear(kInvalidToken401, detail, answer.events);
      continue;
    }
    for (const RequirementId rule : rules) {
      script.check(rule, !is_let_in(answer), answer.events, detail);
    }
    script.check(kInvalidToken401, answer.status == kUnauthorized, answer.events, detail);
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
    const HttpAnswer answer = knock(script, shown(token));
    const std::string detail = fmt::format(
        "a first request with a token that has expired was answered with {}", answer.describe());
    if (says_nothing(answer)) {
      script.unclear(kInvalidToken401, detail, answer.events);
      continue;
    }
    script.check("authorization.token-validated", !is_let_in(answer), answer.events, detail);
    if (!script.revision().has_resource_metadata()) {
      script.check("authorization.token-expiration", !is_let_in(answer), answer.events, detail);
    }
    script.check(kInvalidToken401, answer.status == kUnauthorized, answer.events, detail);
  }
}

}  // namespace
}  // namespace assay::scenarios
