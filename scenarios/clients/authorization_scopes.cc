// Which scopes a client asks for.
//
// Specification: basic/authorization, "Scope Selection Strategy" (2025-11-25 and later).
#include <algorithm>
#include <memory>
#include <utility>

#include "harness/script/json_member.h"
#include "scenarios/clients/asked_scopes.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

// The challenge names a scope, and the metadata others.
class ChallengedScopePlay : public LoginPlay {
 public:
  ChallengedScopePlay() : LoginPlay(the_terms()) {}

 protected:
  void judge(LoginReview& login) override {
    const LoginStep* step = login.first(Kind::kAuthorize);
    if (step == nullptr) return;
    const Words asked = scopes_asked(*step);
    const bool has_it = asked.contains(kBasic);
    login.check("authorization.scope-from-challenge", asked == Words{kBasic},
                "the challenge names mcp:basic, and the client asked for other scopes", *step);
    login.check("authorization.challenge-scope-authoritative", has_it,
                "the challenge names mcp:basic, and the client did not ask for it", *step);
    login.check("authorization.least-privilege", has_it ? asked.size() == 1 : asked.empty(),
                "the client asked for scopes that are not needed here", *step);
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scope = kBasic;
    terms.scopes = {"mcp:read", kWrite};
    return terms;
  }
};

// The challenge names one scope that the metadata list, and one that they do not.
class OtherScopePlay : public LoginPlay {
 public:
  OtherScopePlay() : LoginPlay(the_terms()) {}

 protected:
  // Who leaves out just what the metadata do not list takes them for all there is. Who asks for
  // others makes something else of the challenge.
  void judge(LoginReview& login) override {
    const LoginStep* step = login.first(Kind::kAuthorize);
    if (step == nullptr) return;
    const Words asked = scopes_asked(*step);
    const bool has_all = asked.contains(kBasic) && asked.contains(kRead);
    const bool has_listed_ones = asked == Words{kRead};
    if (has_all || has_listed_ones) {
      login.check("authorization.no-scope-relation-assumed", has_all,
                  "the challenge names mcp:basic and mcp:read, scopes_supported lists mcp:read and "
                  "mcp:write, and the client asked for nothing but what both of them name",
                  *step);
    }
    login.check("authorization.challenge-scope-authoritative", has_all,
                "the challenge names mcp:basic and mcp:read, and the client did not ask for both",
                *step);
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scope = std::string(kBasic) + " " + kRead;
    terms.scopes = {kRead, kWrite};
    return terms;
  }
};

class MetadataScopePlay : public LoginPlay {
 public:
  MetadataScopePlay() : LoginPlay(the_terms()) {}

 protected:
  void judge(LoginReview& login) override {
    const LoginStep* step = login.first(Kind::kAuthorize);
    if (step == nullptr) return;
    const bool has_all = scopes_asked(*step) == Words{kBasic, "mcp:read", kWrite};
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.scope-from-metadata"),
          catalogue::RequirementId("authorization.scope-fallback")}) {
      login.check(rule, has_all,
                  "the challenge names no scope, and the client did not ask for scopes_supported",
                  *step);
    }
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scopes = {kBasic, "mcp:read", kWrite};
    return terms;
  }
};

class NoScopePlay : public LoginPlay {
 public:
  NoScopePlay() : LoginPlay({}) {}

 protected:
  void judge(LoginReview& login) override {
    const LoginStep* step = login.first(Kind::kAuthorize);
    if (step == nullptr) return;
    // RFC 6749, section 3.1: "Parameters sent without a value MUST be treated as if they were
    // omitted".
    const bool is_empty = step->has("scope") && step->value("scope").empty();
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.scope-left-out"),
          catalogue::RequirementId("authorization.scope-fallback")}) {
      if (is_empty) {
        login.review().unclear(rule,
                               "no server names a scope, and the client sent a scope parameter "
                               "without a value, which counts as none",
                               step->events());
        continue;
      }
      login.check(rule, scopes_asked(*step).empty(),
                  "no server names a scope, and the client asked for one", *step);
    }
  }
};

// The authorization server lists offline_access, or lists others, and the challenge names one
// scope of the resource. To ask for refresh tokens is a client's own affair; who asks shows that it
// wants them. That it is listed nowhere is no ban in the text.
class OfflineAccessPlay : public LoginPlay {
 public:
  explicit OfflineAccessPlay(bool is_listed) : LoginPlay(the_terms()), is_listed_(is_listed) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.gives_refresh_tokens = true;
    knobs.scopes = {kBasic, is_listed_ ? kOfflineAccess : kRead};
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* step = login.first(Kind::kAuthorize);
    if (step == nullptr) return;
    const std::vector<std::string> asked = authorization::Server::words_in(step->value("scope"));
    if (std::find(asked.begin(), asked.end(), kOfflineAccess) == asked.end()) return;
    constexpr catalogue::RequirementId kAsks = "authorization.offline-access-requested";
    if (!is_listed_) {
      return login.review().unclear(
          kAsks,
          "the client asked for offline_access, which the authorization server does not list in "
          "scopes_supported: the text allows that where it is listed, and forbids it nowhere",
          step->events());
    }
    login.check(kAsks, true, "", *step);
    judge_grant_types(login, *step);
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scope = kBasic;
    terms.scopes = {kBasic};
    return terms;
  }
  // Where it registered for this.
  static void judge_grant_types(LoginReview& login, const LoginStep& step) {
    for (const LoginStep* registration : login.all(Kind::kRegister)) {
      const Json made = registration->received_json();
      if (harness::text_member(made, "client_id") != step.value("client_id")) continue;
      const Json sent = registration->sent_json();
      const Json& grants = harness::array_member(sent, "grant_types");
      const bool is_listed =
          std::find(grants.begin(), grants.end(), "refresh_token") != grants.end();
      login.check("authorization.refresh-grant-type-listed", is_listed,
                  "the client asks for offline_access, and did not list refresh_token in "
                  "grant_types",
                  {registration->request, step.request});
    }
  }

  const bool is_listed_;
};

std::unique_ptr<Play> make_offline_access() {
  return std::make_unique<OfflineAccessPlay>(true);
}
std::unique_ptr<Play> make_no_offline_access() {
  return std::make_unique<OfflineAccessPlay>(false);
}
constexpr std::string_view kCallsTool = "logs in and calls test-tool";

const ClientScenarioRegistration kChallengedScope(
    login_scenario("auth/scope-from-www-authenticate", kCallsTool,
                   harness::make_play<ChallengedScopePlay>, &model::Revision::has_scope_challenges,
                   {"authorization.challenge-scope-authoritative", "authorization.least-privilege",
                    "authorization.scope-from-challenge"}));
const ClientScenarioRegistration kOtherScope(login_scenario(
    "auth/scope-beside-scopes-supported", kCallsTool, harness::make_play<OtherScopePlay>,
    &model::Revision::has_scope_challenges,
    {"authorization.challenge-scope-authoritative", "authorization.no-scope-relation-assumed"}));
const ClientScenarioRegistration kMetadataScope(
    login_scenario("auth/scope-from-scopes-supported", kCallsTool,
                   harness::make_play<MetadataScopePlay>, &model::Revision::has_scope_challenges,
                   {"authorization.scope-fallback", "authorization.scope-from-metadata"}));
const ClientScenarioRegistration kNoScope(
    login_scenario("auth/scope-omitted-when-undefined", kCallsTool, harness::make_play<NoScopePlay>,
                   &model::Revision::has_scope_challenges,
                   {"authorization.scope-fallback", "authorization.scope-left-out"}));
// The revision that has the rules about issuers has those about refresh tokens.
const ClientScenarioRegistration kOfflineAccessListed(login_scenario(
    "auth/offline-access-scope", kCallsTool, make_offline_access,
    &model::Revision::has_issuer_validation,
    {"authorization.offline-access-requested", "authorization.refresh-grant-type-listed"}));
const ClientScenarioRegistration kOfflineAccessUnlisted(login_scenario(
    "auth/offline-access-not-supported", kCallsTool, make_no_offline_access,
    &model::Revision::has_issuer_validation, {"authorization.offline-access-requested"}));

}  // namespace
}  // namespace assay::scenarios
