// Where a client may not go on: no PKCE, another issuer, another state.
//
// Specification: basic/authorization, "Authorization Code Protection", "Open Redirection"
// (2025-06-18 and later); 2026-07-28: "Authorization Response Validation", and
// basic/authorization/authorization-server-discovery.
#include <memory>
#include <utility>

#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

// The authorization request was answered with a code.
const LoginStep* answered_request(const LoginReview& login) {
  for (const LoginStep* step : login.all(Kind::kAuthorize)) {
    if (step->status() == 302) return step;
  }
  return nullptr;
}

const LoginStep* metadata_read(const LoginReview& login) {
  for (const LoginStep* step : login.all(Kind::kServerMetadata)) {
    if (step->is_at_office && step->status() == 200) return step;
  }
  return nullptr;
}

class PkcePlay : public LoginPlay {
 public:
  explicit PkcePlay(bool is_openid) : LoginPlay({}), is_openid_(is_openid) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.challenge_methods.clear();
    knobs.has_oauth_metadata = !is_openid_;
    knobs.has_openid_metadata = is_openid_;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* metadata = metadata_read(login);
    if (metadata == nullptr) return;
    std::vector<catalogue::RequirementId> rules = {"authorization.pkce-support-verified",
                                                   "authorization.pkce-support-from-metadata"};
    if (is_openid_) {
      rules.insert(rules.end(), {"authorization.pkce-openid-verified",
                                 "authorization.pkce-unsupported-openid-refused"});
    } else {
      rules.push_back("authorization.pkce-unsupported-oauth-refused");
    }
    login.check_refused(rules, *metadata, login.first(Kind::kAuthorize),
                        "the metadata of the authorization server do not say that it supports "
                        "PKCE, and the client went on");
  }

 private:
  const bool is_openid_;
};

// What an authorization response says that a client must not take for an answer to its request.
class ResponsePlay : public LoginPlay {
 public:
  ResponsePlay(std::vector<catalogue::RequirementId> rules, std::string detail,
               void (*change)(Knobs&, const std::string& origin))
      : LoginPlay({}), rules_(std::move(rules)), detail_(std::move(detail)), change_(change) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    change_(knobs, origin);
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* request = answered_request(login);
    if (request == nullptr) return;
    const LoginStep* redeemed = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      if (step->has("code")) redeemed = step;
    }
    login.check_refused(rules_, *request, redeemed, detail_);
  }

 private:
  const std::vector<catalogue::RequirementId> rules_;
  const std::string detail_;
  void (*const change_)(Knobs&, const std::string& origin);
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

// Near misses of an issuer. The path that it has in these plays.
constexpr const char* kIssuerPath = "/tenant1";

std::string with_loud_scheme(const std::string& origin) {
  return "HTTP" + origin.substr(origin.find(':'));
}
std::string without_port(const std::string& origin) {
  return origin.substr(0, origin.rfind(':'));
}

// The metadata do not name the issuer that they were fetched for.
class OtherIssuerPlay : public LoginPlay {
 public:
  // What they name in its place, at the authorization server at that origin; empty: none.
  using Said = std::string (*)(const std::string& origin);
  OtherIssuerPlay(Said said, bool is_on_another_host)
      : LoginPlay({}), said_(said), is_on_another_host_(is_on_another_host) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    knobs.issuer_path = kIssuerPath;
    knobs.said_issuer = said_(origin);
    if (!knobs.said_issuer->empty()) return knobs;
    knobs.conduct.metadata = [](Json& metadata, bool) { metadata.erase("issuer"); };
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* metadata = metadata_read(login);
    if (metadata == nullptr) return;
    const LoginStep* next = nullptr;
    for (const Kind kind : {Kind::kToken, Kind::kAuthorize, Kind::kRegister}) {
      if (const LoginStep* step = login.first(kind)) next = step;
    }
    std::vector<catalogue::RequirementId> rules = {"authorization.metadata-issuer-identical",
                                                   "authorization.metadata-of-other-issuer-unused",
                                                   "authorization.metadata-validated"};
    if (is_on_another_host_) rules.push_back("authorization.metadata-of-other-issuer-rejected");
    login.check_refused(rules, *metadata, next,
                        "the metadata do not name the issuer that they were fetched for, and the "
                        "client used them");
  }

 private:
  const Said said_;
  const bool is_on_another_host_;
};

// Registers a play in which the metadata name that instead.
harness::ClientScenario other_issuer(std::string_view name, std::unique_ptr<Play> (*make)(),
                                     bool is_on_another_host = false) {
  std::vector<catalogue::RequirementId> rules = {"authorization.metadata-issuer-identical",
                                                 "authorization.metadata-of-other-issuer-unused",
                                                 "authorization.metadata-validated"};
  if (is_on_another_host) rules.push_back("authorization.metadata-of-other-issuer-rejected");
  return login_scenario(name, "begins to log in, and does not go on", make,
                        &model::Revision::has_issuer_validation, std::move(rules));
}

std::unique_ptr<Play> make_issuer_of_another_host() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string&) { return std::string("https://honest.example"); }, true);
}
std::unique_ptr<Play> make_issuer_in_upper_case() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return with_loud_scheme(origin) + kIssuerPath; }, false);
}
std::unique_ptr<Play> make_issuer_with_slash() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return origin + kIssuerPath + "/"; }, false);
}
std::unique_ptr<Play> make_issuer_prolonged() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return origin + kIssuerPath + "/other"; }, false);
}
std::unique_ptr<Play> make_issuer_without_port() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return without_port(origin) + kIssuerPath; }, false);
}
std::unique_ptr<Play> make_issuer_unnamed() {
  return std::make_unique<OtherIssuerPlay>([](const std::string&) { return std::string(); }, false);
}

// An issuer is announced, and the response names nearly the same one.
std::unique_ptr<Play> near_response(std::vector<catalogue::RequirementId> rules,
                                    void (*change)(Knobs&, const std::string& origin)) {
  return std::make_unique<ResponsePlay>(
      std::move(rules), "the response names nearly the same issuer, and its code was redeemed",
      change);
}
std::vector<catalogue::RequirementId> normalized_rules() {
  return {"authorization.issuer-not-normalized", "authorization.advertised-issuer-compared"};
}
std::vector<catalogue::RequirementId> compared_rules() {
  return {"authorization.advertised-issuer-compared", "authorization.issuer-validated"};
}
std::unique_ptr<Play> make_response_in_upper_case() {
  return near_response(normalized_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = with_loud_scheme(origin);
  });
}
std::unique_ptr<Play> make_response_encoded() {
  return near_response(normalized_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.issuer_path = kIssuerPath;
    knobs.sent_issuer = origin + "/tenant%31";
  });
}
std::unique_ptr<Play> make_response_prolonged() {
  return near_response(compared_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = origin + "/other";
  });
}

std::unique_ptr<Play> make_pkce_oauth() {
  return std::make_unique<PkcePlay>(false);
}
std::unique_ptr<Play> make_pkce_openid() {
  return std::make_unique<PkcePlay>(true);
}
std::unique_ptr<Play> make_state_mismatch() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.state-verified"},
      "the response came with another state, and its code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.sent_state = "another-state"; });
}
std::unique_ptr<Play> make_state_missing() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.state-verified"},
      "the response came without a state, and its code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.sends_state = false; });
}
std::unique_ptr<Play> make_state_prolonged() {
  return std::make_unique<ResponsePlay>(
      std::vector<catalogue::RequirementId>{"authorization.state-verified"},
      "the response came with more after the state, and its code was redeemed",
      [](Knobs& knobs, const std::string&) { knobs.added_to_state = "-1"; });
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
const ClientScenarioRegistration kStateMismatch(login_scenario(
    "auth/state-mismatch", kStops, make_state_mismatch, &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kStateMissing(login_scenario(
    "auth/state-missing", kStops, make_state_missing, &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kStateProlonged(login_scenario(
    "auth/state-prolonged", kStops, make_state_prolonged, &model::Revision::has_resource_metadata));
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
const ClientScenarioRegistration kResponseInUpperCase(
    login_scenario("auth/iss-in-upper-case", kStops, make_response_in_upper_case,
                   &model::Revision::has_issuer_validation, normalized_rules()));
const ClientScenarioRegistration kResponseEncoded(
    login_scenario("auth/iss-percent-encoded", kStops, make_response_encoded,
                   &model::Revision::has_issuer_validation, normalized_rules()));
const ClientScenarioRegistration kResponseProlonged(
    login_scenario("auth/iss-prolonged", kStops, make_response_prolonged,
                   &model::Revision::has_issuer_validation, compared_rules()));
const ClientScenarioRegistration kIssuerOfMetadata(other_issuer("auth/metadata-issuer-mismatch",
                                                                make_issuer_of_another_host, true));
const ClientScenarioRegistration kIssuerInUpperCase(
    other_issuer("auth/metadata-issuer-in-upper-case", make_issuer_in_upper_case));
const ClientScenarioRegistration kIssuerWithSlash(other_issuer("auth/metadata-issuer-with-slash",
                                                               make_issuer_with_slash));
const ClientScenarioRegistration kIssuerProlonged(other_issuer("auth/metadata-issuer-prolonged",
                                                               make_issuer_prolonged));
const ClientScenarioRegistration kIssuerWithoutPort(
    other_issuer("auth/metadata-issuer-without-port", make_issuer_without_port));
const ClientScenarioRegistration kIssuerUnnamed(other_issuer("auth/metadata-issuer-unnamed",
                                                             make_issuer_unnamed));

}  // namespace
}  // namespace assay::scenarios
