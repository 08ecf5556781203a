// What a client does when its token has expired: whatever it asks next, the server brings that
// about.
//
// Specification: basic/authorization, "Refresh Tokens", and what holds of each login.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "harness/script/json_member.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::array_member;
using harness::ClientScenarioRegistration;
using harness::text_member;
using Kind = LoginStep::Kind;

// After the first request that is let in, and once more: even a client that does little comes to
// need another token, and then the one after that.
bool is_last_of_token(int admitted) {
  return admitted == 1 || admitted == 3;
}

// What was under way when the token was refused has come by then.
constexpr std::chrono::milliseconds kUnderWay{300};

bool shows_again(LoginReview& login, const LoginStep& refused) {
  const auto token = LoginReview::bearer_of(refused);
  const auto asked = login.all(Kind::kProtected);
  return std::any_of(asked.begin(), asked.end(), [&](const LoginStep* step) {
    return step->head().method == "POST" && LoginReview::bearer_of(*step) == token &&
           step->request->at - refused.request->at >= kUnderWay;
  });
}

// The client was let in, came back with a token that held no more, and did nothing about it. Where
// it cannot renew the token itself, its user may choose to log in when it is started the next time.
void judge_expiry(LoginReview& login, bool can_renew) {
  constexpr catalogue::RequirementId kRule = "authorization.client-responds-to-401";
  const LoginStep* refused = nullptr;
  for (const LoginStep& step : login.steps()) {
    const bool is_post = step.kind == Kind::kProtected && step.head().method == "POST";
    if (is_post && step.status() == 401 && LoginReview::bearer_of(step) && refused == nullptr) {
      const std::vector<std::string>& given = login.access_tokens_given();
      const auto shown = std::find(given.begin(), given.end(), LoginReview::bearer_of(step));
      if (shown != given.end()) refused = &step;
    }
    const bool goes_on = refused != nullptr && step.request->at > refused->request->at &&
                         step.kind != Kind::kProtected && step.kind != Kind::kOther;
    if (goes_on) return login.check_came(kRule, true, "", *refused);
  }
  if (refused == nullptr) return;
  if (!can_renew && !shows_again(login, *refused)) {
    return login.review().unclear(
        kRule, "the client left when its token, which it could not renew, had expired",
        refused->events());
  }
  login.check_came(kRule, false,
                   "the client logged in when its first request was refused with 401, and did "
                   "nothing when its token had expired",
                   *refused);
}

std::string label_in(const LoginStep& answered, std::string_view name) {
  const Json answer = answered.received_json();
  return std::string(text_member(answer, name));
}

bool was_shown_before(LoginReview& login, const std::string& token, const LoginStep& step) {
  const auto asked = login.all(Kind::kProtected);
  return std::any_of(asked.begin(), asked.end(), [&](const LoginStep* each) {
    return each->request->at < step.request->at && LoginReview::bearer_of(*each) == token;
  });
}

// OAuth 2.1, section 4.3: a client discards a refresh token for which it was given another one.
// Several of its sessions may renew at the same time: late is what it shows after it has used the
// access token that came with the newer one.
void judge_replaced(LoginReview& login, const std::vector<const LoginStep*>& renewals) {
  for (const LoginStep* first : renewals) {
    const std::string access = label_in(*first, "access_token");
    if (access.empty() || label_in(*first, "refresh_token").empty()) continue;
    for (const LoginStep* next : renewals) {
      const bool is_same = next->value("refresh_token") == first->value("refresh_token");
      const bool is_late = next->request->at > first->request->at;
      if (!is_same || !is_late || !was_shown_before(login, access, *next)) continue;
      return login.check_order("authorization.oauth21-implemented", false,
                               "the client renews its token with a refresh token that was replaced",
                               {first->request, first->body, next->request});
    }
  }
}

class RefreshPlay : public LoginPlay {
 public:
  explicit RefreshPlay(bool is_own_office) : LoginPlay(the_terms(is_own_office)) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.gives_refresh_tokens = true;
    return knobs;
  }
  void on_admitted(int count, authorization::Server& server) override {
    if (is_last_of_token(count)) server.expire_all();
  }
  void judge(LoginReview& login) override {
    judge_expiry(login, true);
    std::vector<const LoginStep*> renewals = login.all(Kind::kToken);
    std::erase_if(renewals, [](const LoginStep* step) {
      return step->value("grant_type") != "refresh_token";
    });
    if (login.is_own_office()) judge_replaced(login, renewals);
    const LoginStep* registration = login.first(Kind::kRegister);
    if (renewals.empty() || registration == nullptr) return;
    const Json metadata = registration->sent_json();
    const Json& grants = array_member(metadata, "grant_types");
    const bool is_listed = std::find(grants.begin(), grants.end(), "refresh_token") != grants.end();
    login.check("authorization.refresh-grant-type-listed", is_listed,
                "the client renews its token, and did not list refresh_token in grant_types",
                {registration->request, renewals.back()->request});
  }

 private:
  static LoginTerms the_terms(bool is_own_office) {
    LoginTerms terms;
    terms.is_own_office = is_own_office;
    return terms;
  }
};

class ExpiredPlay : public LoginPlay {
 public:
  explicit ExpiredPlay(LoginTerms terms) : LoginPlay(std::move(terms)) {}

 protected:
  void on_admitted(int count, authorization::Server& server) override {
    if (is_last_of_token(count)) server.expire_all();
  }
  void judge(LoginReview& login) override { judge_expiry(login, false); }
};

std::unique_ptr<harness::Play> make_expired() {
  return std::make_unique<ExpiredPlay>(LoginTerms{});
}
std::unique_ptr<harness::Play> make_own_expired() {
  LoginTerms terms;
  terms.is_own_office = true;
  return std::make_unique<ExpiredPlay>(std::move(terms));
}
std::unique_ptr<harness::Play> make_refresh() {
  return std::make_unique<RefreshPlay>(false);
}
std::unique_ptr<harness::Play> make_own_refresh() {
  return std::make_unique<RefreshPlay>(true);
}

constexpr std::string_view kRenews =
    "logs in, and renews its token, or logs in again, when that has expired";

const ClientScenarioRegistration kExpired(
    login_scenario("auth/token-expired",
                   "logs in, and logs in again when its token, which it cannot renew, has "
                   "expired",
                   make_expired, &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kRefresh(login_scenario(
    "auth/token-refresh", kRenews, make_refresh, &model::Revision::has_resource_metadata,
    {"authorization.refresh-grant-type-listed"}));
const ClientScenarioRegistration kOwnExpired(
    login_scenario("auth/token-expired-at-server",
                   "logs in, and logs in again when its token, which it cannot renew, has expired",
                   make_own_expired, &model::Revision::has_own_authorization_server));
const ClientScenarioRegistration kOwnRefresh(
    login_scenario("auth/token-refresh-at-server", kRenews, make_own_refresh,
                   &model::Revision::has_own_authorization_server));

}  // namespace
}  // namespace assay::scenarios
