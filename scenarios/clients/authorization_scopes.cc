// Which scopes a client asks for, and what it does where they are not enough.
//
// Specification: basic/authorization, "Scope Selection Strategy" and "Scope Challenge Handling"
// (2025-11-25 and later).
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/script/json_member.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Grant;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;
using Words = std::set<std::string>;

constexpr const char* kBasic = "mcp:basic";
constexpr const char* kRead = "mcp:read";
constexpr const char* kWrite = "mcp:write";
constexpr const char* kAudit = "mcp:audit";
constexpr const char* kAdmin = "mcp:admin";
constexpr const char* kOfflineAccess = "offline_access";
// So many authorizations for one operation are no "few times" to anybody.
constexpr std::size_t kFewTimes = 10;

// A client may always ask for a refresh token, and OpenID's scope is none of the resource's.
Words scopes_asked(const LoginStep& step) {
  Words words;
  for (std::string& word : authorization::Server::words_in(step.value("scope"))) {
    if (word != kOfflineAccess && word != "openid") words.insert(std::move(word));
  }
  return words;
}

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
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.scope-left-out"),
          catalogue::RequirementId("authorization.scope-fallback")}) {
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

// A call needs more than the first token has; where `always`, more than any has.
class StepUpPlay : public LoginPlay {
 public:
  explicit StepUpPlay(bool always) : LoginPlay(the_terms()), always_(always) {}

 protected:
  std::string lacking(const Grant& grant, std::string_view body) override {
    if (!calls_login_tool(body)) return "";
    const bool has_it =
        std::find(grant.scopes.begin(), grant.scopes.end(), kWrite) != grant.scopes.end();
    return always_ || !has_it ? kWrite : "";
  }
  void judge(LoginReview& login) override {
    const LoginStep* refused = nullptr;
    for (const LoginStep* step : login.all(Kind::kProtected)) {
      if (step->status() == 403 && refused == nullptr) refused = step;
    }
    if (refused == nullptr) return;
    std::vector<const LoginStep*> again = login.all(Kind::kAuthorize);
    std::erase_if(again,
                  [&](const LoginStep* step) { return step->request->at < refused->request->at; });
    if (always_) {
      judge_limit(login, *refused, again);
    } else {
      judge_step_up(login, *refused, again);
    }
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scope = kBasic;
    terms.scopes = {kBasic, kWrite, kAdmin};
    return terms;
  }
  // The same call with a token that was refused for it.
  static void judge_repetition(LoginReview& login, const LoginStep& refused) {
    std::map<std::string, std::size_t> calls;
    for (const LoginStep* step : login.all(Kind::kProtected)) {
      const std::string token = LoginReview::bearer_of(*step).value_or("");
      if (step->status() != 403 || ++calls[token] <= kFewTimes) continue;
      for (const catalogue::RequirementId rule :
           {catalogue::RequirementId("authorization.step-up-retry-limit"),
            catalogue::RequirementId("authorization.step-up-attempts-tracked")}) {
        login.check(rule, false,
                    "the token was refused because a scope was missing, and the client showed it "
                    "more than ten times",
                    {refused.request, refused.response, step->request});
      }
      return;
    }
  }
  static void judge_limit(LoginReview& login, const LoginStep& refused,
                          const std::vector<const LoginStep*>& again) {
    judge_repetition(login, refused);
    if (again.empty()) return;
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.step-up-retry-limit"),
          catalogue::RequirementId("authorization.step-up-attempts-tracked")}) {
      std::vector<harness::EventPtr> events = refused.events();
      events.push_back(again.back()->request);
      login.check(rule, again.size() <= kFewTimes,
                  "each token was refused for the same call, and the client went on to ask for "
                  "more than ten others",
                  std::move(events));
    }
  }
  static void judge_step_up(LoginReview& login, const LoginStep& refused,
                            const std::vector<const LoginStep*>& again) {
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.step-up-for-user"),
          catalogue::RequirementId("authorization.scope-error-answered")}) {
      login.check_came(
          rule, !again.empty(),
          "a call was refused because a scope was missing, and the client did not ask for a "
          "token with it",
          refused);
    }
    if (again.empty()) return;
    const Words asked = scopes_asked(*again.front());
    const std::vector<harness::EventPtr> events = {refused.request, refused.response,
                                                   again.front()->request};
    login.check("authorization.challenge-scope-authoritative", asked.contains(kWrite),
                "the challenge names mcp:write, and the client did not ask for it", events);
    login.check("authorization.granted-scopes-kept", asked.contains(kBasic),
                "the client had mcp:basic, and did not ask for it again", events);
    if (!asked.contains(kAdmin)) return;
    login.check("authorization.least-privilege", false,
                "the challenge names mcp:write, and the client asked for mcp:admin as well",
                events);
  }

  const bool always_;
};

// A call needs two more scopes than the first token has, and the server names one at a time.
class TwoStepsPlay : public LoginPlay {
 public:
  TwoStepsPlay() : LoginPlay(the_terms()) {}

 protected:
  std::string lacking(const Grant& grant, std::string_view body) override {
    if (!calls_login_tool(body)) return "";
    for (const char* scope : {kWrite, kAudit}) {
      const auto& all = grant.scopes;
      if (std::find(all.begin(), all.end(), scope) == all.end()) return scope;
    }
    return "";
  }
  // The union of what the client has asked for, and of what the challenge names.
  void judge(LoginReview& login) override {
    Words before;
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      const Words asked = scopes_asked(*step);
      const bool is_last_step = asked.contains(kAudit) && before.contains(kWrite);
      before.insert(asked.begin(), asked.end());
      if (!is_last_step) continue;
      return login.check("authorization.granted-scopes-kept", asked == before,
                         "the client asked for another scope, and not again for all that it had "
                         "asked for before",
                         *step);
    }
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.scope = kBasic;
    terms.scopes = {kBasic, kWrite, kAudit};
    return terms;
  }
};

std::unique_ptr<Play> make_offline_access() {
  return std::make_unique<OfflineAccessPlay>(true);
}
std::unique_ptr<Play> make_no_offline_access() {
  return std::make_unique<OfflineAccessPlay>(false);
}
std::unique_ptr<Play> make_step_up() {
  return std::make_unique<StepUpPlay>(false);
}
std::unique_ptr<Play> make_step_up_without_end() {
  return std::make_unique<StepUpPlay>(true);
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
// The revision that has the rules about issuers has those about refresh tokens, and the one about
// the scopes that were granted before.
const ClientScenarioRegistration kOfflineAccessListed(login_scenario(
    "auth/offline-access-scope", kCallsTool, make_offline_access,
    &model::Revision::has_issuer_validation,
    {"authorization.offline-access-requested", "authorization.refresh-grant-type-listed"}));
const ClientScenarioRegistration kOfflineAccessUnlisted(login_scenario(
    "auth/offline-access-not-supported", kCallsTool, make_no_offline_access,
    &model::Revision::has_issuer_validation, {"authorization.offline-access-requested"}));
const ClientScenarioRegistration kStepUp(login_scenario(
    "auth/scope-step-up", "logs in, calls test-tool, and asks for the scope that this needs",
    make_step_up, &model::Revision::has_scope_challenges,
    {"authorization.challenge-scope-authoritative", "authorization.granted-scopes-kept",
     "authorization.least-privilege", "authorization.scope-error-answered",
     "authorization.step-up-for-user"}));
const ClientScenarioRegistration kTwoSteps(login_scenario(
    "auth/scope-step-up-twice",
    "logs in, calls test-tool, and asks for each scope that this needs, one after the other",
    harness::make_play<TwoStepsPlay>, &model::Revision::has_issuer_validation,
    {"authorization.granted-scopes-kept"}));
const ClientScenarioRegistration kStepUpWithoutEnd(login_scenario(
    "auth/scope-retry-limit",
    "logs in, calls test-tool, which no token is enough for, and gives up",
    make_step_up_without_end, &model::Revision::has_scope_challenges,
    {"authorization.step-up-attempts-tracked", "authorization.step-up-retry-limit"}));

}  // namespace
}  // namespace assay::scenarios
