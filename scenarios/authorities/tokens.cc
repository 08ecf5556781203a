// Scenarios about the tokens that an authorization server gives.
//
// Specification: basic/authorization, 2025-06-18 and later, "Token Theft" (OAuth 2.1, section
// 4.3.1).
#include <fmt/format.h>

#include <string>

#include "harness/runner/authority_scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/authorities/rules.h"

namespace assay::scenarios {
namespace {

using namespace harness;

AuthorityAnswer renew(AuthorityScript& script, const std::string& refresh_token) {
  return script.ask_for_token({{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}});
}

// The refresh token of a login; empty where there is none, and then it is said why.
std::string refresh_token_of_login(AuthorityScript& script) {
  const CodeRequest request = script.code_request();
  const CodeResponse response = script.ask_for_code(request, true);
  if (!response.has_code()) {
    script.unclear(kAuthorityRotation,
                   fmt::format("an authorization request came to: {}", response.describe()),
                   response.answer.events);
    return "";
  }
  const AuthorityAnswer token = script.exchange_code(response, request, request.verifier);
  if (!token.is_success()) {
    script.unclear(kAuthorityRotation, fmt::format("a token request came to: {}", token.describe()),
                   token.events);
    return "";
  }
  std::string refresh(text_member(token.json, "refresh_token"));
  if (refresh.empty()) {
    script.not_applicable(kAuthorityRotation, "it gave the client no refresh token");
  }
  return refresh;
}

// A refresh token of a public client is good for one renewal, which gives the next. Some take the
// last one again for a moment, for who lost the answer: that accuses nobody.
const AuthorityScenarioRegistration kRotates({
    .name = "authority_rotates_refresh_tokens",
    .requirements = {kAuthorityRotation},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityRotation})) return;
          if (!script.client().is_public()) {
            return script.not_applicable(kAuthorityRotation,
                                         "the client has a secret: it is no public one");
          }
          const std::string first = refresh_token_of_login(script);
          if (first.empty()) return;
          const AuthorityAnswer renewal = renew(script, first);
          if (!renewal.is_success()) {
            return script.unclear(kAuthorityRotation,
                                  fmt::format("the first renewal came to: {}", renewal.describe()),
                                  renewal.events);
          }
          const std::string second(text_member(renewal.json, "refresh_token"));
          const AuthorityAnswer again = renew(script, first);
          if (again.is_refusal()) {
            return script.check(kAuthorityRotation, true, again.events, "");
          }
          if (!again.is_success()) {
            return script.unclear(kAuthorityRotation,
                                  fmt::format("the second renewal came to: {}", again.describe()),
                                  again.events);
          }
          if (second.empty() || second == first) {
            return script.check(kAuthorityRotation, false, again.events,
                                "a renewal gave no other refresh token, and the first one was "
                                "taken a second time");
          }
          script.unclear(kAuthorityRotation,
                         "a renewal gave another refresh token, and the first one was taken again "
                         "at once: some let that pass for a moment",
                         again.events);
        },
});

}  // namespace
}  // namespace assay::scenarios
