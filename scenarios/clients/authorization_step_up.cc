// What a client does where the scopes of its token are not enough.
//
// Specification: basic/authorization, "Scope Challenge Handling" (2025-11-25 and later).
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/clients/asked_scopes.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Grant;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;
using Rules = std::vector<catalogue::RequirementId>;

// So many authorizations for one operation are no "few times" to anybody.
constexpr std::size_t kFewTimes = 10;

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
  // The call that shows a token which was refused for want of a scope once too often; null if none.
  static const LoginStep* repeated_call(const LoginReview& login) {
    std::map<std::string, std::size_t> calls;
    for (const LoginStep* step : login.all(Kind::kProtected)) {
      const std::string token = LoginReview::bearer_of(*step).value_or("");
      if (step->status() == 403 && ++calls[token] > kFewTimes) return step;
    }
    return nullptr;
  }
  static void judge_repetition(LoginReview& login, const Rules& rules, const LoginStep& refused) {
    const LoginStep* call = repeated_call(login);
    if (call == nullptr) return;
    for (const catalogue::RequirementId rule : rules) {
      login.check(rule, false,
                  "the token was refused because a scope was missing, and the client showed it "
                  "more than ten times",
                  {refused.request, refused.response, call->request});
    }
  }
  static void judge_limit(LoginReview& login, const LoginStep& refused,
                          const std::vector<const LoginStep*>& again) {
    const Rules rules = {"authorization.step-up-retry-limit",
                         "authorization.step-up-attempts-tracked"};
    judge_repetition(login, rules, refused);
    if (again.empty()) return;
    for (const catalogue::RequirementId rule : rules) {
      std::vector<harness::EventPtr> events = refused.events();
      events.push_back(again.back()->request);
      login.check(rule, again.size() <= kFewTimes,
                  "each token was refused for the same call, and the client went on to ask for "
                  "more than ten others",
                  std::move(events));
    }
  }
  // "... or handle the errors in other, appropriate ways": a client may tell its user, which no
  // traffic shows.
  static void judge_answer(LoginReview& login, const LoginStep& refused, bool steps_up) {
    constexpr catalogue::RequirementId kRule = "authorization.scope-error-answered";
    if (steps_up) return login.check(kRule, true, "", refused);
    const std::string& crash = login.review().crash();
    if (!crash.empty()) {
      return login.review().crashed(
          kRule, "a call was refused because a scope was missing, and the client crashed: " + crash,
          refused.events());
    }
    if (repeated_call(login) != nullptr) return judge_repetition(login, {kRule}, refused);
    login.review().unclear(kRule,
                           "a call was refused because a scope was missing, and the client did not "
                           "ask for a token with it: it may have told its user",
                           refused.events());
  }
  static void judge_step_up(LoginReview& login, const LoginStep& refused,
                            const std::vector<const LoginStep*>& again) {
    judge_answer(login, refused, !again.empty());
    login.check_came("authorization.step-up-for-user", !again.empty(),
                     "a call was refused because a scope was missing, and the client did not ask "
                     "for a token with it",
                     refused);
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

std::unique_ptr<Play> make_step_up() {
  return std::make_unique<StepUpPlay>(false);
}
std::unique_ptr<Play> make_step_up_without_end() {
  return std::make_unique<StepUpPlay>(true);
}

const ClientScenarioRegistration kStepUp(login_scenario(
    "auth/scope-step-up", "logs in, calls test-tool, and asks for the scope that this needs",
    make_step_up, &model::Revision::has_scope_challenges,
    {"authorization.challenge-scope-authoritative", "authorization.granted-scopes-kept",
     "authorization.least-privilege", "authorization.scope-error-answered",
     "authorization.step-up-for-user"}));
// The rule about the scopes that were granted before is of the revision that has the rules about
// issuers.
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
