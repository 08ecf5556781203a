// Scenarios about what is nearly a token of the server's: what begins or ends like one, words that
// a careless lookup finds, and header fields that say of a client who he is. None of it is a token,
// and none opens anything. They need no authorization server of ours.
//
// Specification: basic/authorization, "Token Requirements", "Token Handling", "Error Handling".
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::Headers;

constexpr int kMalformed = 400;

// --- Near misses of a token ---

struct NearToken {
  std::string what;
  std::string field;
  // It cannot be a token at all (RFC 6750, section 2.1), so that 400 suits it as well.
  bool is_odd = false;
};

std::string in_other_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::islower(c) ? std::toupper(c) : std::tolower(c));
  });
  return text;
}

// A number in hexadecimal digits is the same number in other letters.
bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isxdigit(c) || c == '-'; });
}

// Those that are made of a good token are as secret as it is. None is among those that were given.
std::vector<NearToken> near_tokens(const UserToken& token, const std::vector<UserToken>& given,
                                   reports::Vault& vault) {
  const std::string& good = token.text;
  std::vector<std::pair<std::string, std::string>> of_good = {
      {"a good token with a letter more", good + "x"},
      {"a good token after a further letter", "x" + good}};
  if (good.size() > 1) {
    of_good.emplace_back("the first half of a good token", good.substr(0, good.size() / 2));
  }
  if (!is_number(good) && in_other_letters(good) != good) {
    of_good.emplace_back("a good token in other letters", in_other_letters(good));
  }
  std::vector<NearToken> all;
  for (auto& [what, text] : of_good) {
    vault.add(text);
    all.push_back({what, "Bearer " + text});
  }
  for (const char* word : {"constructor", "__proto__", "undefined", "null"}) {
    all.push_back({fmt::format("the token \"{}\"", word), fmt::format("Bearer {}", word)});
  }
  for (const char* word : {"x'OR'1'='1", "*", "%"}) {
    all.push_back({fmt::format("the token \"{}\"", word), fmt::format("Bearer {}", word), true});
  }
  all.push_back({"the word Bearer, and no token after it", "Bearer", true});
  std::erase_if(all, [&](const NearToken& near) {
    return std::any_of(given.begin(), given.end(),
                       [&](const UserToken& each) { return near.field == each.field(); });
  });
  return all;
}

void judge_near_token(Script& script, const NearToken& token, const HttpAnswer& answer) {
  constexpr RequirementId kValidated("authorization.token-validated");
  const std::string detail =
      fmt::format("a first request with {} was answered with {}", token.what, answer.describe());
  if (says_nothing(answer)) return script.unclear(kValidated, detail, answer.events);
  const bool is_served = is_let_in(answer);
  for (const RequirementId rule : rules_about_wrong_tokens(script.revision())) {
    script.check(rule, !is_served, answer.events, detail);
  }
  const bool may_be_malformed = token.is_odd && (answer.status == kMalformed || !is_served);
  if (may_be_malformed || token.field == "Bearer") return;
  script.check(kInvalidToken401, answer.status == kUnauthorized, answer.events, detail);
}

// Good tokens are words that stand for themselves: what only looks like one, or is found among them
// by a careless lookup, is none.
SCENARIO(authorization_near_tokens_are_refused, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing"})) {
  const std::vector<UserToken> good = tokens_of(script, UserToken::Standing::kGood);
  if (good.empty() || try_door(script).state != Door::State::kShut) return;
  if (!is_let_in(knock(script, {}))) return;
  std::vector<std::pair<NearToken, HttpAnswer>> all;
  for (NearToken& token :
       near_tokens(good.front(), script.tokens(), *script.open_connection().transcript().vault())) {
    HttpAnswer answer = knock(script, {{"Authorization", token.field}});
    all.emplace_back(std::move(token), std::move(answer));
  }
  if (!is_let_in(knock(script, {}))) return;
  for (const auto& [token, answer] : all) judge_near_token(script, token, answer);
}

// --- Header fields that are no tokens ---

struct Claim {
  std::string what;
  Headers headers;
};

// Of whom the server may think that he needs no token: its own machine, a user whom somebody else
// has let in, a browser that asks first, a probe of its health.
std::vector<Claim> claims_of_strangers() {
  return {{"X-Forwarded-For: 127.0.0.1",
           {{"X-Forwarded-For", "127.0.0.1"},
            {"X-Real-IP", "127.0.0.1"},
            {"Forwarded", "for=127.0.0.1"}}},
          {"X-Forwarded-User: admin",
           {{"X-Forwarded-User", "admin"},
            {"X-Auth-Request-User", "admin"},
            {"X-Remote-User", "admin"}}},
          {"X-Original-URL of the resource metadata",
           {{"X-Original-URL", kResourceMetadataPath}, {"X-Rewrite-URL", kResourceMetadataPath}}},
          {"Access-Control-Request-Method: POST",
           {{"Access-Control-Request-Method", "POST"},
            {"Access-Control-Request-Headers", "authorization"}}},
          {"User-Agent: kube-probe", {{"User-Agent", "kube-probe/1.30"}}}};
}

// A client without a token is a stranger, whatever else its header fields say.
SCENARIO(authorization_fields_are_no_tokens, in_both_eras(), own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_authorization),
         judges({"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"})) {
  if (try_door(script).state != Door::State::kShut) return;
  std::vector<Claim> claims = claims_of_strangers();
  for (Claim& claim : claims) {
    claim.headers.emplace_back("Authorization", "");
    const HttpAnswer answer = knock(script, claim.headers);
    if (says_nothing(answer)) continue;
    const std::string detail = fmt::format(
        "a first request without a token, but with {}, was "
        "answered with {}",
        claim.what, answer.describe());
    script.check("authorization.unauthenticated-401", !is_let_in(answer), answer.events, detail);
    if (!script.revision().has_audiences()) continue;
    script.check("authorization.no-data-to-unauthorized", !is_let_in(answer), answer.events,
                 detail);
  }
}

}  // namespace
}  // namespace assay::scenarios
