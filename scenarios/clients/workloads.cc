// A client that runs as a workload of a platform, and gets tokens by the JWT that the platform gave
// it.
//
// Extension workload-identity-federation; RFC 7523, section 2.1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/authorization/jws.h"
#include "reference/transport/random_id.h"
#include "scenarios/clients/login_play.h"
#include "scenarios/clients/token_requests.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using authorization::SigningKey;
using harness::ClientScenarioRegistration;
using Kind = LoginStep::Kind;

constexpr const char* kPlatform = "https://platform.assay.invalid";
constexpr const char* kWorkloadName = "workload-3a90";
constexpr const char* kElsewhere = "https://auth.assay.invalid/token";

constexpr catalogue::RequirementId kWorkloadBaseline(
    "ext-workload-identity-federation.baseline-conforms");
constexpr catalogue::RequirementId kWorkloadGrant(
    "ext-workload-identity-federation.jwt-bearer-grant");
constexpr catalogue::RequirementId kWorkloadSent("ext-workload-identity-federation.assertion-sent");
constexpr catalogue::RequirementId kWorkloadSigned("ext-workload-identity-federation.jwt-signed");
constexpr catalogue::RequirementId kWorkloadClaims("ext-workload-identity-federation.jwt-claims");
constexpr catalogue::RequirementId kWorkloadFor(
    "ext-workload-identity-federation.jwt-for-token-endpoint");
constexpr catalogue::RequirementId kWorkloadSecurity(
    "ext-workload-identity-federation.security-followed");

class WorkloadPlay : public LoginPlay {
 public:
  WorkloadPlay() : LoginPlay({}) {}

  std::optional<std::string> begin(const harness::Venue& venue) override {
    if (auto trouble = LoginPlay::begin(venue)) return trouble;
    constexpr std::int64_t kHour = 3600;
    token_endpoint_ =
        office(1).origin() + office(1).server().knobs().endpoints_path.value_or("") + "/token";
    jwts_ = {made_for(token_endpoint_, kHour), made_for(kElsewhere, kHour),
             made_for(token_endpoint_, -kHour)};
    for (const std::string& each : jwts_) venue.vault->add(each);
    return std::nullopt;
  }
  Json context() const override {
    return {{"name", "auth/wif-jwt-bearer"},
            {"client_id", kWorkloadName},
            {"valid_jwt", jwts_[0]},
            {"wrong_audience_jwt", jwts_[1]},
            {"expired_jwt", jwts_[2]}};
  }

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.registers = false;
    knobs.auth_methods = {authorization::kNoSecret};
    knobs.clients = {{kWorkloadName, "", authorization::kNoSecret, {}}};
    knobs.workload_issuers = {{kPlatform, authorization::VerifyingKey::read(key_.jwk())}};
    knobs.conduct.metadata = [](Json& metadata, bool) {
      metadata["grant_types_supported"] = Json::array({authorization::kJwtBearerGrant});
    };
    return knobs;
  }

  void judge(LoginReview& login) override {
    std::vector<std::string> labels;
    const LoginStep* last = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      const std::string shown = step->value("assertion");
      const bool is_given = is_one_of_ours(login.bare(shown));
      const bool is_bearer = step->value("grant_type") == authorization::kJwtBearerGrant;
      if (!is_form_request(*step) || (!is_bearer && !is_given)) continue;
      last = step;
      if (login.bare(shown) != shown) labels.push_back(shown);
      login.review().check(kWorkloadGrant, is_bearer,
                           "the JWT of the workload was shown by another grant_type than "
                           "jwt-bearer",
                           step->events());
      if (is_bearer) judge_request(login, *step);
    }
    if (last != nullptr) judge_secret_places(login, *last, kWorkloadSecurity, labels);
  }

 private:
  std::string made_for(const std::string& audience, std::int64_t life) const {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
    constexpr std::int64_t kAge = 7200;
    return key_.sign({{"iss", kPlatform},
                      {"sub", kWorkloadName},
                      {"aud", audience},
                      {"iat", now - kAge},
                      {"exp", now + life},
                      {"jti", transport::random_id()}},
                     "JWT");
  }
  bool is_one_of_ours(const std::string& jwt) const {
    return !jwt.empty() && std::find(jwts_.begin(), jwts_.end(), jwt) != jwts_.end();
  }

  void judge_request(LoginReview& login, const LoginStep& step) {
    harness::Review& review = login.review();
    judge_named_resource(login, step, kWorkloadBaseline);
    const std::string shown = step.value("assertion");
    review.check(kWorkloadSent, !shown.empty(), "the token request has no assertion",
                 step.events());
    if (shown.empty()) return;
    const auto parts = authorization::read_token(login.bare(shown));
    if (!parts) return review.unclear(kWorkloadSigned, "the JWT could not be read", step.events());
    judge_signature(review, step, *parts);
    judge_claims(review, step, parts->claims);
    judge_audience(review, step, harness::member(parts->claims, "aud"));
  }

  // The key of another issuer than ours is not known.
  void judge_signature(harness::Review& review, const LoginStep& step,
                       const authorization::TokenParts& parts) {
    const std::string_view algorithm = harness::text_member(parts.header, "alg");
    const bool is_signed = !parts.signature.empty() && algorithm != "none";
    if (is_signed && harness::text_member(parts.claims, "iss") != kPlatform) {
      return review.unclear(kWorkloadSigned, "the JWT is of another issuer than was given",
                            step.events());
    }
    const auto key = authorization::VerifyingKey::read(key_.jwk());
    review.check(
        kWorkloadSigned, is_signed && key->verifies(algorithm, parts.signed_part, parts.signature),
        is_signed ? "the JWT is not signed with the key of its issuer" : "the JWT is not signed",
        step.events());
  }

  static void judge_claims(harness::Review& review, const LoginStep& step, const Json& claims) {
    for (const char* name : {"iss", "sub", "aud", "exp", "iat", "jti"}) {
      if (!harness::member(claims, name).is_null()) continue;
      return review.check(kWorkloadClaims, false, fmt::format("the JWT has no {}", name),
                          step.events());
    }
    review.held(kWorkloadClaims, step.request);
  }

  void judge_audience(harness::Review& review, const LoginStep& step, const Json& audience) {
    if (audience.is_null()) return;
    const Json all = audience.is_array() ? audience : Json::array({audience});
    const bool is_it = std::find(all.begin(), all.end(), Json(token_endpoint_)) != all.end();
    review.check(
        kWorkloadFor, is_it,
        fmt::format("aud of the JWT is not the token endpoint, which is {}", token_endpoint_),
        step.events());
  }

  const SigningKey key_{authorization::Signing::kEs256};
  std::string token_endpoint_;
  std::array<std::string, 3> jwts_;  // a good one, one for elsewhere, and one that has expired
};

harness::ClientScenario workload_scenario() {
  harness::ClientScenario scenario =
      login_scenario("auth/wif-jwt-bearer",
                     "gets a token by the valid_jwt of its context, which is that of its workload",
                     harness::make_play<WorkloadPlay>, nullptr,
                     {kWorkloadBaseline, kWorkloadGrant, kWorkloadSent, kWorkloadSigned,
                      kWorkloadClaims, kWorkloadFor, kWorkloadSecurity});
  scenario.topic = "";
  scenario.extension = "workload-identity-federation";
  return scenario;
}

const ClientScenarioRegistration kWorkloads(workload_scenario());

}  // namespace
}  // namespace assay::scenarios
