// Scenarios about the tokens that an authorization server gives.
//
// Specification: basic/authorization, 2025-06-18 and later, "Overview" (OAuth 2.1, sections 3.2,
// 4.1.3 and 4.3) and "Token Theft" (OAuth 2.1, section 4.3.1).
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/authority/authority_script.h"
#include "harness/runner/authority_scenario.h"
#include "harness/script/json_member.h"
#include "reference/transport/observer.h"
#include "scenarios/authorities/assertions.h"
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

// --- Who may exchange what ---

// Refused, or a token; anything else tells nothing.
void judge_exchange(AuthorityScript& script, const AuthorityAnswer& answer, const char* what) {
  if (gives_any_token(answer) || answer.is_refusal()) {
    return script.check(kAuthorityOauth21, !gives_any_token(answer), answer.events,
                        fmt::format("{} was exchanged for a token", what));
  }
  script.unclear(kAuthorityOauth21, fmt::format("{} came to: {}", what, answer.describe()),
                 answer.events);
}

// What is in the answers of the token endpoint is kept by nobody on the way (OAuth 2.1, section
// 3.2.3).
void judge_caching(AuthorityScript& script, const AuthorityAnswer& token) {
  const auto field = transport::find_header(token.headers, "Cache-Control");
  const bool is_kept_out =
      transport::lower_case(field.value_or("")).find("no-store") != std::string::npos;
  script.check(kAuthorityOauth21, is_kept_out, token.events,
               fmt::format("a token came with Cache-Control: {}, and without no-store",
                           field.value_or("(none)")));
}

// What a token comes in, and what has to be said of it (OAuth 2.1, section 3.2.3).
void judge_token_form(AuthorityScript& script, const AuthorityAnswer& token) {
  std::string defect;
  const auto is_odd = [&](const char* name, bool has_form) {
    return !member(token.json, name).is_null() && !has_form;
  };
  if (!transport::has_media_type(token.headers, "application/json")) {
    defect = fmt::format("a token came with the Content-Type \"{}\", and not application/json",
                         transport::media_type(token.headers));
  } else if (!member(token.json, "token_type").is_string()) {
    defect = "a token came without its token_type";
  } else if (is_odd("expires_in", member(token.json, "expires_in").is_number())) {
    defect = "a token came with an expires_in that is not a number";
  } else if (is_odd("scope", member(token.json, "scope").is_string())) {
    defect = "a token came with a scope that is not a string";
  }
  script.check(kAuthorityOauth21, defect.empty(), token.events, defect);
}

// A refusal says so by its status, and why by its error (OAuth 2.1, section 3.2.4).
void judge_refusal_form(AuthorityScript& script, const AuthorityAnswer& answer) {
  if (answer.status == 0 || gives_any_token(answer) || answer.status / 100 == 5) return;
  const bool is_said = answer.is_refusal() && !text_member(answer.json, "error").empty();
  script.check(kAuthorityOauth21, is_said, answer.events,
               fmt::format("a token request with a code that was never given was answered with {}, "
                           "and not with HTTP 400 and an error",
                           answer.describe()));
}

// A code is good for its client, once; and so is a refresh token for its client.
const AuthorityScenarioRegistration kExchangesOnce({
    .name = "authority_exchanges_codes_once",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityOauth21})) return;
          const CodeRequest request = script.code_request();
          const CodeResponse code = script.ask_for_code(request, true);
          if (!code.has_code()) {
            return script.unclear(
                kAuthorityOauth21,
                fmt::format("an authorization request came to: {}", code.describe()),
                code.answer.events);
          }
          const AuthorityAnswer token = script.exchange_code(code, request, request.verifier);
          if (!gives_any_token(token)) {
            return script.unclear(kAuthorityOauth21,
                                  fmt::format("a token request came to: {}", token.describe()),
                                  token.events);
          }
          judge_caching(script, token);
          judge_token_form(script, token);
          judge_exchange(script, script.exchange_code(code, request, request.verifier),
                         "a code that had been exchanged before");
          judge_refusal_form(script, script.ask_for_token({{"grant_type", "authorization_code"},
                                                           {"code", "assay-code-never-given"},
                                                           {"redirect_uri", request.redirect_uri},
                                                           {"code_verifier", request.verifier}}));
        },
});

// A code is for one client: who does not say which it is has to show it in another way.
void judge_nobody(AuthorityScript& script) {
  if (!script.client().is_public()) return;
  const CodeRequest request = script.code_request();
  const CodeResponse code = script.ask_for_code(request, true);
  if (!code.has_code()) return;
  judge_exchange(script, script.exchange_code_as({}, code, request, request.verifier),
                 "a code without a client_id");
}

const AuthorityScenarioRegistration kBindsToClients({
    .name = "authority_binds_codes_to_clients",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityOauth21})) return;
          const AuthorityClient other = script.another_client();
          if (!other.is_known()) {
            return script.not_exercised(kAuthorityOauth21, "it takes two clients",
                                        "let it register clients (RFC 7591)");
          }
          const CodeRequest request = script.code_request();
          const CodeResponse code = script.ask_for_code(request, true);
          if (!code.has_code()) return;
          judge_exchange(script, script.exchange_code_as(other, code, request, request.verifier),
                         "a code of another client");
          judge_nobody(script);
          const CodeRequest again = script.code_request();
          const CodeResponse second = script.ask_for_code(again, true);
          if (!second.has_code()) return;
          const AuthorityAnswer token = script.exchange_code(second, again, again.verifier);
          const std::string refresh(text_member(token.json, "refresh_token"));
          if (refresh.empty()) return;
          judge_exchange(script,
                         script.ask_for_token_as(
                             other, {{"grant_type", "refresh_token"}, {"refresh_token", refresh}}),
                         "a refresh token of another client");
        },
});

// A renewal gives no scope that the login did not.
const AuthorityScenarioRegistration kKeepsScopes({
    .name = "authority_renews_what_was_granted",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          constexpr std::string_view kWider = "assay:never-granted";
          if (script.lacks_means({kAuthorityOauth21})) return;
          const CodeRequest request = script.code_request();
          const CodeResponse code = script.ask_for_code(request, true);
          if (!code.has_code()) return;
          const AuthorityAnswer token = script.exchange_code(code, request, request.verifier);
          const std::string refresh(text_member(token.json, "refresh_token"));
          if (refresh.empty()) return;
          const AuthorityAnswer renewal = script.ask_for_token({{"grant_type", "refresh_token"},
                                                                {"refresh_token", refresh},
                                                                {"scope", std::string(kWider)}});
          if (!gives_any_token(renewal) && !renewal.is_refusal()) return;
          // A refusal may name the scope that it refuses.
          const bool is_wider =
              gives_any_token(renewal) &&
              text_member(renewal.json, "scope").find(kWider) != std::string_view::npos;
          script.check(
              kAuthorityOauth21, !is_wider, renewal.events,
              fmt::format("a renewal gave the scope {}, which was not granted before", kWider));
        },
});

}  // namespace
}  // namespace assay::scenarios
