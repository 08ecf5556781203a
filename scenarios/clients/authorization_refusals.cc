// Where a client may not go on: no PKCE, another issuer, another state.
//
// Specification: basic/authorization, "Authorization Code Protection", "Open Redirection"
// (2025-06-18 and later); 2026-07-28: "Authorization Response Validation", and
// basic/authorization/authorization-server-discovery.
#include <memory>
#include <utility>

#include "scenarios/clients/refusal_plays.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

enum class Documents { kOauth, kOpenid, kNone };

// What told the client of the authorization server, or that this has no metadata; null if nothing
// did.
const LoginStep* last_known(const LoginReview& login, Documents documents) {
  const LoginStep* known = nullptr;
  for (const LoginStep* step : login.all(Kind::kServerMetadata)) {
    if (!step->is_at_office) continue;
    if (step->status() == 200) return step;
    if (documents == Documents::kNone && step->response != nullptr) known = step;
  }
  return known;
}

// No metadata say that the authorization server supports PKCE, be there any or none.
class PkcePlay : public LoginPlay {
 public:
  explicit PkcePlay(Documents documents) : LoginPlay({}), documents_(documents) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.challenge_methods.clear();
    knobs.has_oauth_metadata = documents_ == Documents::kOauth;
    knobs.has_openid_metadata = documents_ == Documents::kOpenid;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* known = last_known(login, documents_);
    if (known == nullptr) return;
    const bool is_none = documents_ == Documents::kNone;
    login.check_refused(rules(), *known, login.first(Kind::kAuthorize),
                        is_none ? "the authorization server has no metadata that say that it "
                                  "supports PKCE, and the client went on"
                                : "the metadata of the authorization server do not say that it "
                                  "supports PKCE, and the client went on");
  }

 private:
  std::vector<catalogue::RequirementId> rules() const {
    std::vector<catalogue::RequirementId> rules = {"authorization.pkce-support-verified",
                                                   "authorization.pkce-support-from-metadata"};
    if (documents_ == Documents::kOauth) {
      rules.push_back("authorization.pkce-unsupported-oauth-refused");
    }
    if (documents_ == Documents::kOpenid) {
      rules.insert(rules.end(), {"authorization.pkce-openid-verified",
                                 "authorization.pkce-unsupported-openid-refused"});
    }
    return rules;
  }

  const Documents documents_;
};

// What a client has to take.
class AcceptedPlay : public LoginPlay {
 public:
  explicit AcceptedPlay(bool sends_issuer) : LoginPlay({}), sends_issuer_(sends_issuer) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    knobs.says_that_it_sends_issuer = sends_issuer_;
    if (sends_issuer_) knobs.sent_issuer = origin;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* request = answered_request(login);
    if (request == nullptr || sends_issuer_) return;
    login.check_came(
        "authorization.unadvertised-issuer-missing-accepted", login.has_redeemed_code(),
        "no issuer is announced and none came, and the client did not go on", *request);
  }

 private:
  const bool sends_issuer_;
};

std::unique_ptr<Play> make_pkce_oauth() {
  return std::make_unique<PkcePlay>(Documents::kOauth);
}
std::unique_ptr<Play> make_pkce_openid() {
  return std::make_unique<PkcePlay>(Documents::kOpenid);
}
std::unique_ptr<Play> make_pkce_without_metadata() {
  return std::make_unique<PkcePlay>(Documents::kNone);
}
std::unique_ptr<Play> make_state_mismatch() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.state-verified"},
      "the response came with another state, and its code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.sent_state = "another-state"; });
}
std::unique_ptr<Play> make_issuer_missing() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.advertised-issuer-missing-rejected",
                                            "authorization.issuer-validated"},
      "an issuer is announced and none came, and the code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.says_that_it_sends_issuer = true; });
}
std::unique_ptr<Play> make_issuer_wrong() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.advertised-issuer-compared",
                                            "authorization.issuer-validated"},
      "the response names another issuer, and its code was redeemed",
      [](Knobs& knobs, const std::string&) {
        knobs.says_that_it_sends_issuer = true;
        knobs.sent_issuer = "https://attacker.example";
      });
}
std::unique_ptr<Play> make_issuer_unexpected() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.unadvertised-issuer-compared",
                                            "authorization.issuer-validated"},
      "the response names another issuer, and its code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.sent_issuer = "https://attacker.example"; });
}
std::unique_ptr<Play> make_issuer_normalized() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.issuer-not-normalized",
                                            "authorization.advertised-issuer-compared"},
      "the response names the issuer with a slash at its end, and its code was redeemed",
      [](Knobs& knobs, const std::string& origin) {
        knobs.says_that_it_sends_issuer = true;
        knobs.sent_issuer = origin + "/";
      });
}
std::unique_ptr<Play> make_issuer_supported() {
  return std::make_unique<AcceptedPlay>(true);
}
std::unique_ptr<Play> make_issuer_not_advertised() {
  return std::make_unique<AcceptedPlay>(false);
}
constexpr std::string_view kStops = "begins to log in, and does not go on";
constexpr std::string_view kGoesOn = "logs in and calls test-tool";

const ClientScenarioRegistration kPkceOauth(login_scenario(
    "auth/pkce-not-advertised", kStops, make_pkce_oauth, &model::Revision::has_pkce_in_metadata,
    {"authorization.pkce-support-from-metadata", "authorization.pkce-support-verified",
     "authorization.pkce-unsupported-oauth-refused"}));
const ClientScenarioRegistration kPkceOpenid(login_scenario(
    "auth/pkce-not-advertised-openid", kStops, make_pkce_openid,
    &model::Revision::has_pkce_in_metadata,
    {"authorization.pkce-openid-verified", "authorization.pkce-support-from-metadata",
     "authorization.pkce-support-verified", "authorization.pkce-unsupported-openid-refused"}));
const ClientScenarioRegistration kPkceWithoutMetadata(login_scenario(
    "auth/pkce-without-metadata", kStops, make_pkce_without_metadata,
    &model::Revision::has_pkce_in_metadata,
    {"authorization.pkce-support-from-metadata", "authorization.pkce-support-verified"}));
const ClientScenarioRegistration kStateMismatch(login_scenario(
    "auth/state-mismatch", kStops, make_state_mismatch, &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kIssuerSupported(login_scenario(
    "auth/iss-supported", kGoesOn, make_issuer_supported, &model::Revision::has_issuer_validation));
const ClientScenarioRegistration kIssuerNotAdvertised(
    login_scenario("auth/iss-not-advertised", kGoesOn, make_issuer_not_advertised,
                   &model::Revision::has_issuer_validation,
                   {"authorization.unadvertised-issuer-missing-accepted"}));
const ClientScenarioRegistration kIssuerMissing(login_scenario(
    "auth/iss-supported-missing", kStops, make_issuer_missing,
    &model::Revision::has_issuer_validation,
    {"authorization.advertised-issuer-missing-rejected", "authorization.issuer-validated"}));
const ClientScenarioRegistration kIssuerWrong(login_scenario(
    "auth/iss-wrong-issuer", kStops, make_issuer_wrong, &model::Revision::has_issuer_validation,
    {"authorization.advertised-issuer-compared", "authorization.issuer-validated"}));
const ClientScenarioRegistration kIssuerUnexpected(login_scenario(
    "auth/iss-unexpected", kStops, make_issuer_unexpected, &model::Revision::has_issuer_validation,
    {"authorization.issuer-validated", "authorization.unadvertised-issuer-compared"}));
const ClientScenarioRegistration kIssuerNormalized(login_scenario(
    "auth/iss-normalized", kStops, make_issuer_normalized, &model::Revision::has_issuer_validation,
    {"authorization.advertised-issuer-compared", "authorization.issuer-not-normalized"}));

}  // namespace
}  // namespace assay::scenarios
