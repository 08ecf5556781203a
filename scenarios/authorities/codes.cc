// Scenarios about codes: to whom an authorization server gives one, where it sends it, and what it
// asks of who brings it back.
//
// Specification: basic/authorization, 2025-06-18 and later, "Overview" (OAuth 2.1, sections 4.1 and
// 7.5), "Open Redirection", and "Authorization Response Validation" of 2026-07-28.
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/authority/authority_script.h"
#include "harness/runner/authority_scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/pkce.h"
#include "scenarios/authorities/redirects.h"
#include "scenarios/authorities/rules.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// What is refused tells something only where the request as it should be is not. Says so of the
// rules.
bool is_taken_as_it_should_be(AuthorityScript& script, const CodeRequest& request,
                              std::initializer_list<catalogue::RequirementId> rules) {
  const CodeResponse right = script.ask_for_code(request);
  // A page may ask a person to log in; a limit of rate or a breakdown is no such thing.
  const int kind = right.answer.status / 100;
  if (!right.is_refused() && (right.result || kind == 2 || kind == 3)) return true;
  for (const catalogue::RequirementId rule : rules) {
    script.unclear(
        rule, fmt::format("an authorization request as it should be came to: {}", right.describe()),
        right.answer.events);
  }
  return false;
}

// A public client without a code_challenge gets no code.
const AuthorityScenarioRegistration kDemandsChallenge({
    .name = "authority_demands_a_challenge",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityOauth21})) return;
          if (!script.client().is_public()) {
            return script.not_exercised(kAuthorityOauth21,
                                        "the client has a secret, and may go without PKCE");
          }
          CodeRequest request = script.code_request();
          if (!is_taken_as_it_should_be(script, request, {kAuthorityOauth21})) return;
          request.verifier.clear();
          const CodeResponse response = script.ask_for_code(request);
          // Whom a user registered may have a secret that we were not given: then no token comes.
          const bool is_registered_by_us = script.client().registration.status != 0;
          if (response.has_code() && !is_registered_by_us &&
              !script.exchange_code(response, request, "").is_success()) {
            return script.unclear(kAuthorityOauth21,
                                  "a code was given without a code_challenge, and no token for it: "
                                  "the client of --client-id may have a secret "
                                  "(MCP_ASSAY_CLIENT_SECRET)",
                                  response.answer.events);
          }
          if (response.has_code() || response.is_refused()) {
            return script.check(kAuthorityOauth21, !response.has_code(), response.answer.events,
                                "a public client was given a code without a code_challenge (PKCE)");
          }
          script.unclear(
              kAuthorityOauth21,
              fmt::format("an authorization request without a code_challenge came to: {}",
                          response.describe()),
              response.answer.events);
        },
});

// A code that was asked for with a challenge is exchanged for the verifier and for nothing else.
class VerifierTrial {
 public:
  explicit VerifierTrial(AuthorityScript& script) : script_(script) {}

  // Says why not, where the right one gets no token.
  bool is_right_one_taken() {
    const CodeRequest request = script_.code_request();
    const CodeResponse response = script_.ask_for_code(request, true);
    if (response.has_other_state) {
      script_.check(kAuthorityOauth21, false, response.answer.events,
                    "the authorization response has another state than the request");
      return false;
    }
    if (!response.has_code())
      return stop("an authorization request", response.describe(), response.answer);
    const AuthorityAnswer token = script_.exchange_code(response, request, request.verifier);
    if (!has_token(token)) return stop("a token request", token.describe(), token);
    return true;
  }

  // With this in place of the verifier; empty: with none.
  void offer(const std::string& verifier, const char* what) {
    offer(script_.code_request(), verifier, what);
  }
  // With what a passer-by sees of the request.
  void offer_challenge() {
    const CodeRequest request = script_.code_request();
    offer(request, wire::s256_challenge(request.verifier),
          "with the code_challenge itself as its code_verifier (PKCE)");
  }

 private:
  void offer(const CodeRequest& request, const std::string& verifier, const char* what) {
    const CodeResponse response = script_.ask_for_code(request, true);
    if (!response.has_code()) {
      stop("an authorization request", response.describe(), response.answer);
      return;
    }
    const AuthorityAnswer token = script_.exchange_code(response, request, verifier);
    if (has_token(token) || token.is_refusal()) {
      return script_.check(kAuthorityOauth21, !has_token(token), token.events,
                           fmt::format("a code that was asked for with a code_challenge was "
                                       "exchanged for a token {}",
                                       what));
    }
    stop("a token request", token.describe(), token);
  }

  static bool has_token(const AuthorityAnswer& answer) {
    return answer.is_success() && !text_member(answer.json, "access_token").empty();
  }
  bool stop(const char* request, const std::string& came, const AuthorityAnswer& answer) {
    script_.unclear(kAuthorityOauth21, fmt::format("{} came to: {}", request, came), answer.events);
    return false;
  }

  AuthorityScript& script_;
};

const AuthorityScenarioRegistration kChecksVerifier({
    .name = "authority_checks_the_verifier",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityOauth21})) return;
          VerifierTrial trial(script);
          if (!trial.is_right_one_taken()) return;
          trial.offer("", "without a code_verifier (PKCE)");
          trial.offer("assay-another-verifier-than-that-of-the-challenge-0123456789",
                      "with another code_verifier than that of the challenge (PKCE)");
          trial.offer_challenge();
        },
});

// --- Where codes go ---

constexpr std::string_view kUnregistered = "is not registered";

void judge_other_redirect(AuthorityScript& script, const std::string& uri,
                          const std::vector<catalogue::RequirementId>& rules,
                          std::string client_id) {
  CodeRequest request = script.code_request();
  if (!client_id.empty()) request.client_id = std::move(client_id);
  request.redirect_uri = uri;
  judge_wrong_redirect(script, request, uri, kUnregistered, rules);
}

// What is wrong besides is told to nobody whom nobody has registered; and who names two places is
// sent to none that is not registered.
void judge_wrong_requests(AuthorityScript& script,
                          const std::vector<catalogue::RequirementId>& rules) {
  const std::string around = std::string(kAttackersCallback) + "?next=" + script.redirect_uri();
  judge_other_redirect(script, around, rules, "");
  CodeRequest odd = script.code_request();
  odd.redirect_uri = kAttackersCallback;
  odd.response_type = "assay-no-such-type";
  judge_wrong_redirect(script, odd, kAttackersCallback, kUnregistered, rules);
  CodeRequest bare = script.code_request();
  bare.redirect_uri = kAttackersCallback;
  bare.verifier.clear();
  judge_wrong_redirect(script, bare, kAttackersCallback, kUnregistered, rules);
  CodeRequest two = script.code_request();
  two.second_redirect = kAttackersCallback;
  const CodeResponse response = script.ask_for_code(two);
  const bool leads_there = leads_to(response.location, kAttackersCallback);
  if (!leads_there && !response.answer.is_refusal()) return;
  for (const catalogue::RequirementId rule : rules) {
    script.check(rule, !leads_there, response.answer.events,
                 fmt::format("a browser was sent to {}, which was named after a redirect_uri that "
                             "is registered, and is not",
                             kAttackersCallback));
  }
}

const AuthorityScenarioRegistration kRedirectsAreExact({
    .name = "authority_redirects_exactly",
    .requirements = {kAuthorityExactRedirects, kAuthorityUntrusted, kAuthorityTrustedOnly},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means(
                  {kAuthorityExactRedirects, kAuthorityUntrusted, kAuthorityTrustedOnly})) {
            return;
          }
          if (!is_taken_as_it_should_be(
                  script, script.code_request(),
                  {kAuthorityExactRedirects, kAuthorityUntrusted, kAuthorityTrustedOnly})) {
            return;
          }
          for (const std::string& uri : near_misses(script.redirect_uri())) {
            judge_other_redirect(script, uri, {kAuthorityExactRedirects}, "");
          }
          judge_other_redirect(
              script, kAttackersCallback,
              {kAuthorityExactRedirects, kAuthorityUntrusted, kAuthorityTrustedOnly}, "");
          judge_wrong_requests(
              script, {kAuthorityExactRedirects, kAuthorityUntrusted, kAuthorityTrustedOnly});
          judge_other_redirect(script, kAttackersCallback,
                               {kAuthorityUntrusted, kAuthorityTrustedOnly},
                               "assay-no-such-client");
        },
});

// --- Who says that it answered ---

void judge_issuer(AuthorityScript& script, const CodeResponse& response, const char* kind) {
  if (!response.result) {
    for (const auto rule : {kAuthorityIssuer, kAuthorityIssuerSaid}) {
      script.unclear(rule, fmt::format("the request for {} came to: {}", kind, response.describe()),
                     response.answer.events);
    }
    return;
  }
  const std::string issuer = response.value("iss");
  const std::vector<EventPtr>& events = response.answer.events;
  // What its metadata call it counts, where that is another name for what was asked.
  const bool is_its_own =
      issuer == script.facts().issuer || issuer == text_member(script.facts().metadata, "issuer");
  script.check(kAuthorityIssuer, !issuer.empty() && is_its_own, events,
               issuer.empty() ? fmt::format("{} has no iss", kind)
                              : fmt::format("{} has the iss {}, and the issuer is {}", kind, issuer,
                                            script.facts().issuer));
  if (issuer.empty()) return;
  script.check(kAuthorityIssuerSaid, script.says("authorization_response_iss_parameter_supported"),
               events,
               fmt::format("{} has an iss, and its metadata do not say "
                           "authorization_response_iss_parameter_supported: true",
                           kind));
}

const AuthorityScenarioRegistration kNamesIssuer({
    .name = "authority_names_itself_in_responses",
    .requirements = {kAuthorityIssuer, kAuthorityIssuerSaid},
    .concerns = &model::Revision::has_issuer_validation,
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityIssuer, kAuthorityIssuerSaid})) return;
          judge_issuer(script, script.ask_for_code(script.code_request(), true),
                       "an authorization response");
          CodeRequest wrong = script.code_request();
          wrong.response_type = "assay-no-such-type";
          const CodeResponse refused = script.ask_for_code(wrong);
          // A page that says the same to a person is no response.
          if (refused.result) judge_issuer(script, refused, "an error response");
          if (!script.has_spoken_of(kAuthorityIssuerSaid)) {
            script.not_applicable(kAuthorityIssuerSaid, "it gives no iss in its responses");
          }
        },
});

}  // namespace
}  // namespace assay::scenarios
