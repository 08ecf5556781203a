// A client whose user has logged in at the identity provider of an enterprise: it exchanges what
// that gave it for a grant, and the grant for a token.
//
// Extension enterprise-managed-authorization.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/authorization/identity_provider.h"
#include "scenarios/clients/login_play.h"
#include "scenarios/clients/token_requests.h"

namespace assay::scenarios {
namespace {

using authorization::IdentityProvider;
using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

constexpr const char* kEnterpriseClient = "enterprise-client-2f6e";
constexpr const char* kEnterpriseSecret = "enterprise-secret-d4410b9c77";
constexpr const char* kClientAtIdp = "idp-client-77c1";
constexpr const char* kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr const char* kTokenType = "urn:ietf:params:oauth:token-type:";

constexpr catalogue::RequirementId kIdpMade("ext-enterprise-managed-authorization.exchange-made");
constexpr catalogue::RequirementId kIdpRequested(
    "ext-enterprise-managed-authorization.requested-type");
constexpr catalogue::RequirementId kIdpAudience("ext-enterprise-managed-authorization.audience");
constexpr catalogue::RequirementId kIdpResource("ext-enterprise-managed-authorization.resource");
constexpr catalogue::RequirementId kIdpSubject(
    "ext-enterprise-managed-authorization.subject-token");
constexpr catalogue::RequirementId kIdpSubjectType(
    "ext-enterprise-managed-authorization.subject-token-type");
constexpr catalogue::RequirementId kIdpGrant(
    "ext-enterprise-managed-authorization.jwt-bearer-grant");
constexpr catalogue::RequirementId kIdpSent("ext-enterprise-managed-authorization.assertion-sent");
constexpr catalogue::RequirementId kIdpShown(
    "ext-enterprise-managed-authorization.client-authenticated");

std::string in_form(const LoginStep& step, std::string_view name) {
  return wire::form_value(wire::read_form(step.request->observation.bytes()), name).value_or("");
}

class IdentityGrantPlay : public LoginPlay {
 public:
  IdentityGrantPlay() : LoginPlay({}) {}

  std::optional<std::string> begin(const harness::Venue& venue) override {
    if (venue.recorder == nullptr) return LoginPlay::begin(venue);
    idp_office_ = std::make_unique<harness::Office>(venue, kFirstStrangeOffice);
    const auto furnish_it = [this](const std::string& origin) {
      idp_ = std::make_unique<IdentityProvider>(
          origin, authorization::IdpClient{kClientAtIdp, kEnterpriseClient});
      Knobs nothing;
      nothing.registers = nothing.has_oauth_metadata = false;
      return nothing;
    };
    idp_office_->serve_beside([this](const transport::HttpHead& request, std::string_view body) {
      return idp_ ? idp_->handle(request, body) : std::nullopt;
    });
    if (auto trouble = idp_office_->start(furnish_it)) return trouble;
    venue.vault->add(idp_->id_token());
    return LoginPlay::begin(venue);
  }
  void end() override {
    LoginPlay::end();
    if (idp_office_) idp_office_->stop();
  }
  Json context() const override {
    if (!idp_) return nullptr;
    return {{"name", "auth/enterprise-managed-authorization"},
            {"client_id", kEnterpriseClient},
            {"client_secret", kEnterpriseSecret},
            {"idp_client_id", kClientAtIdp},
            {"idp_id_token", idp_->id_token()},
            {"idp_issuer", idp_->issuer()},
            {"idp_token_endpoint", idp_->exchange_endpoint()}};
  }

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.auth_methods = {authorization::kSecretInHeader};
    knobs.clients = {{kEnterpriseClient, kEnterpriseSecret, authorization::kSecretInHeader, {}}};
    knobs.trusted = {{idp_->issuer(), idp_->verifying_key()}};
    knobs.conduct.metadata = [](Json& metadata, bool) {
      metadata["grant_types_supported"] = Json::array({authorization::kJwtBearerGrant});
    };
    return knobs;
  }

  void judge(LoginReview& login) override {
    std::vector<const LoginStep*> exchanges;
    std::vector<std::string> grants;  // labels of those that the identity provider gave
    for (const LoginStep& step : login.steps()) {
      if (is_exchange(step)) {
        exchanges.push_back(&step);
        const Json answer = step.received_json();
        const std::string_view grant = harness::text_member(answer, "access_token");
        if (!grant.empty()) grants.emplace_back(grant);
      }
      if (step.kind == Kind::kToken && is_form_request(step)) {
        judge_grant(login, step, grants, !exchanges.empty());
      }
    }
    // Beside the one that is as it should be, others may be about other things.
    const auto sound = std::find_if(exchanges.begin(), exchanges.end(), [&](const auto* step) {
      return is_sound_exchange(login, *step);
    });
    if (sound != exchanges.end()) return judge_exchange(login, **sound);
    for (const LoginStep* step : exchanges) judge_exchange(login, *step);
  }

 private:
  // A client asks an identity provider for other things as well, such as the ID token.
  static bool is_exchange(const LoginStep& step) {
    const bool is_there = step.office == kFirstStrangeOffice && is_form_request(step) &&
                          step.path == IdentityProvider::kExchangePath;
    return is_there && (in_form(step, "grant_type") == kTokenExchange ||
                        !in_form(step, "subject_token").empty() ||
                        !in_form(step, "requested_token_type").empty());
  }
  bool is_sound_exchange(const LoginReview& login, const LoginStep& step) {
    const std::string type = in_form(step, "subject_token_type");
    return in_form(step, "grant_type") == kTokenExchange &&
           in_form(step, "requested_token_type") == std::string(kTokenType) + "id-jag" &&
           names_issuer(in_form(step, "audience")) &&
           names_server(login, in_form(step, "resource")) &&
           login.bare(in_form(step, "subject_token")) == idp_->id_token() &&
           (type == std::string(kTokenType) + "id_token" ||
            type == std::string(kTokenType) + "jwt");
  }
  bool names_issuer(const std::string& audience) {
    const std::string issuer = office(1).server().issuer();
    return audience == issuer || audience == issuer + "/";
  }

  void judge_exchange(LoginReview& login, const LoginStep& step) {
    harness::Review& review = login.review();
    const std::string grant = in_form(step, "grant_type");
    review.check(kIdpMade, grant == kTokenExchange,
                 "the identity provider was asked by another grant_type than token-exchange",
                 step.events());
    const std::string wanted = in_form(step, "requested_token_type");
    review.check(kIdpRequested, wanted == std::string(kTokenType) + "id-jag",
                 wanted.empty() ? "the exchange has no requested_token_type"
                                : "requested_token_type is another than id-jag",
                 step.events());
    judge_audience_and_resource(login, step);
    const std::string subject = in_form(step, "subject_token");
    if (subject.empty()) {
      review.check(kIdpSubject, false, "the exchange has no subject_token", step.events());
    } else if (login.bare(subject) == idp_->id_token()) {
      review.held(kIdpSubject, step.request);
      judge_subject_type(review, step);
    } else {
      review.unclear(kIdpSubject, "the subject_token is another than the client was given",
                     step.events());
    }
  }

  void judge_audience_and_resource(LoginReview& login, const LoginStep& step) {
    const std::string issuer = office(1).server().issuer();
    const std::string audience = in_form(step, "audience");
    login.review().check(kIdpAudience, names_issuer(audience),
                         audience.empty() ? std::string("the exchange has no audience")
                                          : fmt::format("the audience of the exchange is not the "
                                                        "issuer of the authorization server, "
                                                        "which is {}",
                                                        issuer),
                         step.events());
    const std::string resource = in_form(step, "resource");
    login.review().check(kIdpResource, names_server(login, resource),
                         resource.empty() ? std::string("the exchange has no resource")
                                          : fmt::format("the resource of the exchange is not the "
                                                        "server, which is {}",
                                                        login.venue().endpoint),
                         step.events());
  }

  // An ID token is a JWT as well.
  static void judge_subject_type(harness::Review& review, const LoginStep& step) {
    const std::string type = in_form(step, "subject_token_type");
    if (type == std::string(kTokenType) + "jwt") {
      return review.unclear(kIdpSubjectType, "the ID token is said to be a JWT", step.events());
    }
    review.check(kIdpSubjectType, type == std::string(kTokenType) + "id_token",
                 type.empty() ? "the exchange has no subject_token_type"
                              : "subject_token_type is not that of an ID token",
                 step.events());
  }

  // What has an assertion is about the grant, whatever it says that it is.
  void judge_grant(LoginReview& login, const LoginStep& step,
                   const std::vector<std::string>& grants, bool has_asked) {
    harness::Review& review = login.review();
    const std::string type = step.value("grant_type");
    const std::string assertion = step.value("assertion");
    const bool is_bearer = type == authorization::kJwtBearerGrant;
    const auto shown = std::find(grants.begin(), grants.end(), assertion);
    const bool is_given = shown != grants.end();
    if (!is_bearer && !is_given) return;
    review.check(kIdpGrant, is_bearer,
                 "the grant of the identity provider was presented by another grant_type than "
                 "jwt-bearer",
                 step.events());
    if (!is_bearer) return;
    const bool is_own = !assertion.empty() && login.bare(assertion) == idp_->id_token();
    if (is_given || is_own || assertion.empty()) {
      review.check(kIdpSent, is_given,
                   is_own ? "the assertion is the ID token of the user, and not the grant"
                          : "the token request has no assertion",
                   step.events());
    } else {
      review.unclear(kIdpSent, "the assertion is none that the identity provider gave",
                     step.events());
    }
    if (is_own && !has_asked) {
      review.check(kIdpMade, false,
                   "the client asked for a token, and had not asked the identity provider",
                   step.events());
    }
    review.check(kIdpShown, ways_of_authentication(step) > 0,
                 "the token request does not show who the client is", step.events());
  }

  std::unique_ptr<IdentityProvider> idp_;
  std::unique_ptr<harness::Office> idp_office_;  // after what it serves
};

harness::ClientScenario identity_grant_scenario() {
  harness::ClientScenario scenario = login_scenario(
      "auth/enterprise-managed-authorization",
      "exchanges the idp_id_token of its context at idp_token_endpoint, and logs in by the grant "
      "that comes of it",
      harness::make_play<IdentityGrantPlay>, nullptr,
      {kIdpMade, kIdpRequested, kIdpAudience, kIdpResource, kIdpSubject, kIdpSubjectType, kIdpGrant,
       kIdpSent, kIdpShown});
  scenario.topic = "";
  scenario.extension = "enterprise-managed-authorization";
  return scenario;
}

const ClientScenarioRegistration kIdentityGrants(identity_grant_scenario());

}  // namespace
}  // namespace assay::scenarios
