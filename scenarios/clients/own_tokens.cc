// A client that gets tokens by its own credentials, without a person: by a secret, or by a JWT that
// it signs.
//
// Extension oauth-client-credentials; RFC 7521, section 5, and RFC 7523, section 3.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/authorization/jws.h"
#include "reference/wire/http_text.h"
#include "scenarios/clients/login_play.h"
#include "scenarios/clients/token_requests.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using authorization::SigningKey;
using authorization::TokenParts;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

constexpr const char* kMachineClient = "machine-client-81d0";
constexpr const char* kMachineSecret = "machine-secret-b7c2e94a55";
constexpr std::string_view kOwnTokenExtension = "oauth-client-credentials";

constexpr catalogue::RequirementId kOwnTokenBaseline(
    "ext-oauth-client-credentials.baseline-conforms");
constexpr catalogue::RequirementId kOwnTokenShown(
    "ext-oauth-client-credentials.client-authenticated");
constexpr catalogue::RequirementId kOwnTokenType(
    "ext-oauth-client-credentials.assertion-type-named");
constexpr catalogue::RequirementId kOwnTokenNames(
    "ext-oauth-client-credentials.assertion-names-client");
constexpr catalogue::RequirementId kOwnTokenAudience(
    "ext-oauth-client-credentials.assertion-for-authorization-server");
constexpr catalogue::RequirementId kOwnTokenExpires(
    "ext-oauth-client-credentials.assertion-expires");
constexpr catalogue::RequirementId kOwnTokenSigned("ext-oauth-client-credentials.assertion-signed");
constexpr catalogue::RequirementId kOwnTokenUnregistered(
    "ext-oauth-client-credentials.no-dynamic-registration");
constexpr catalogue::RequirementId kOwnTokenSecurity(
    "ext-oauth-client-credentials.security-followed");

// What a client was given, and how it shows that.
class OwnTokenPlay : public LoginPlay {
 public:
  explicit OwnTokenPlay(std::string method) : LoginPlay({}), method_(std::move(method)) {}

 protected:
  void judge(LoginReview& login) override {
    const LoginStep* last = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      if (step->value("grant_type") != "client_credentials") continue;
      if (!is_form_request(*step)) continue;
      last = step;
      judge_request(login, *step);
      if (step->has("client_assertion")) judge_assertion(login, *step);
    }
    if (last != nullptr) judge_secret_places(login, *last, kOwnTokenSecurity, secrets(login));
  }
  virtual void judge_assertion(LoginReview& /*login*/, const LoginStep& /*step*/) {}
  // Labels of what the client may show to the token endpoint only.
  virtual std::vector<std::string> secrets(LoginReview& login) const = 0;

  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.serves_clients = true;
    knobs.auth_methods = {method_};
    knobs.conduct.metadata = [](Json& metadata, bool) {
      metadata["grant_types_supported"] = Json::array({"client_credentials"});
    };
    return knobs;
  }

 private:
  void judge_request(LoginReview& login, const LoginStep& step) {
    const int ways = ways_of_authentication(step);
    login.review().check(kOwnTokenShown, ways == 1,
                         ways == 0 ? "the token request shows neither a secret nor a JWT"
                                   : "the token request shows who the client is in two ways",
                         step.events());
    judge_named_resource(login, step, kOwnTokenBaseline);
    const std::vector<std::string>& made = login.clients_made();
    const std::string id = client_of(login, step);
    const bool is_made = std::find(made.begin(), made.end(), id) != made.end();
    login.review().check(kOwnTokenUnregistered, !is_made,
                         "the client registered, and asks for a token as the client that came of "
                         "it",
                         step.events());
  }

  const std::string method_;
};

class OwnSecretPlay : public OwnTokenPlay {
 public:
  OwnSecretPlay() : OwnTokenPlay(authorization::kSecretInHeader) {}
  Json context() const override {
    return {{"name", "auth/client-credentials-basic"},
            {"client_id", kMachineClient},
            {"client_secret", kMachineSecret}};
  }

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs = OwnTokenPlay::furnish(origin);
    knobs.clients = {{kMachineClient, kMachineSecret, authorization::kSecretInHeader, {}}};
    return knobs;
  }
  std::vector<std::string> secrets(LoginReview& login) const override {
    if (login.venue().vault == nullptr) return {};
    return {login.venue().vault->mask_value(kMachineSecret)};
  }
};

class OwnAssertionPlay : public OwnTokenPlay {
 public:
  OwnAssertionPlay() : OwnTokenPlay(authorization::kSignedAssertion) {}
  std::optional<std::string> begin(const harness::Venue& venue) override {
    if (venue.vault != nullptr) venue.vault->add(key_.private_pem());
    return LoginPlay::begin(venue);
  }
  Json context() const override {
    return {{"name", "auth/client-credentials-jwt"},
            {"client_id", kMachineClient},
            {"private_key_pem", key_.private_pem()},
            {"signing_algorithm", authorization::name(key_.signing())}};
  }

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs = OwnTokenPlay::furnish(origin);
    knobs.clients = {{kMachineClient, "", authorization::kSignedAssertion, {}, verifying()}};
    return knobs;
  }
  std::vector<std::string> secrets(LoginReview& login) const override {
    std::vector<std::string> labels;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      const std::string label = step->value("client_assertion");
      if (!label.empty() && login.bare(label) != label) labels.push_back(label);
    }
    return labels;
  }

  void judge_assertion(LoginReview& login, const LoginStep& step) override {
    harness::Review& review = login.review();
    const std::string type = step.value("client_assertion_type");
    review.check(kOwnTokenType, type == authorization::kAssertionType,
                 type.empty() ? "the token request has a client_assertion, and no "
                                "client_assertion_type"
                              : "client_assertion_type is another than RFC 7523 names",
                 step.events());
    const auto parts = authorization::read_token(login.bare(step.value("client_assertion")));
    if (!parts) return review.unclear(kOwnTokenSigned, "the JWT could not be read", step.events());
    if (!is_of_given_client(step, *parts)) {
      return review.unclear(kOwnTokenSigned, "the client shows another identity than it was given",
                            step.events());
    }
    judge_signature(review, step, *parts);
    judge_names(review, step, *parts);
    judge_audience(login, step, parts->claims.value("aud", Json()));
    judge_expiry(review, step, parts->claims);
  }

 private:
  std::shared_ptr<const authorization::VerifyingKey> verifying() const {
    return authorization::VerifyingKey::read(key_.jwk());
  }
  static bool is_of_given_client(const LoginStep& step, const TokenParts& parts) {
    return harness::text_member(parts.claims, "sub") == kMachineClient ||
           harness::text_member(parts.claims, "iss") == kMachineClient ||
           step.value("client_id") == kMachineClient;
  }

  void judge_signature(harness::Review& review, const LoginStep& step, const TokenParts& parts) {
    const std::string_view algorithm = harness::text_member(parts.header, "alg");
    const bool is_its = verifying()->verifies(algorithm, parts.signed_part, parts.signature);
    review.check(kOwnTokenSigned, is_its,
                 fmt::format("the JWT is not signed with the key that the client was given: its "
                             "alg is {}",
                             algorithm.empty() ? "missing" : algorithm.substr(0, 20)),
                 step.events());
  }

  // The key is the client's: it issued the JWT itself.
  static void judge_names(harness::Review& review, const LoginStep& step, const TokenParts& parts) {
    for (const char* name : {"iss", "sub"}) {
      const Json& value = harness::member(parts.claims, name);
      if (value == kMachineClient) continue;
      return review.check(kOwnTokenNames, false,
                          value.is_null()
                              ? fmt::format("the JWT has no {}", name)
                              : fmt::format("{} of the JWT is not the client's id", name),
                          step.events());
    }
    review.held(kOwnTokenNames, step.request);
  }

  // What names another place on the same host may mean the authorization server, too.
  void judge_audience(LoginReview& login, const LoginStep& step, const Json& audience) {
    const Json all = audience.is_array() ? audience : Json::array({audience});
    const std::string& origin = office(step.office).origin();
    const std::string issuer = office(step.office).server().issuer();
    bool is_near = false;
    for (const Json& each : all) {
      if (!each.is_string()) continue;
      const auto& text = each.get_ref<const std::string&>();
      const bool is_it =
          text == issuer || text == issuer + "/" || text == origin + std::string(step.path);
      if (is_it) return login.review().held(kOwnTokenAudience, step.request);
      is_near = is_near || text.starts_with(origin + "/");
    }
    if (is_near) {
      return login.review().unclear(kOwnTokenAudience,
                                    "the audience is on the host of the authorization server",
                                    step.events());
    }
    login.review().check(kOwnTokenAudience, false,
                         audience.is_null()
                             ? "the JWT has no aud"
                             : fmt::format("aud of the JWT names neither the issuer {} nor its "
                                           "token endpoint",
                                           issuer),
                         step.events());
  }

  // The clock of the client may be another.
  static void judge_expiry(harness::Review& review, const LoginStep& step, const Json& claims) {
    const Json& expiry = harness::member(claims, "exp");
    const Json& issued = harness::member(claims, "iat");
    const bool is_over =
        expiry.is_number() && issued.is_number() && expiry.get<double>() <= issued.get<double>();
    review.check(kOwnTokenExpires, expiry.is_number() && !is_over,
                 expiry.is_null() ? "the JWT has no exp"
                 : is_over        ? "the JWT expires before it is issued"
                                  : "exp of the JWT is not a number of seconds",
                 step.events());
  }

  const SigningKey key_{authorization::Signing::kEs256};
};

harness::ClientScenario own_token_scenario(std::string_view name, std::string_view task,
                                           std::unique_ptr<Play> (*make)(),
                                           std::vector<catalogue::RequirementId> rules) {
  harness::ClientScenario scenario = login_scenario(name, task, make, nullptr, std::move(rules));
  scenario.topic = "";
  scenario.extension = kOwnTokenExtension;
  return scenario;
}

const ClientScenarioRegistration kOwnTokenBySecret(own_token_scenario(
    "auth/client-credentials-basic",
    "gets a token by the client_id and the client_secret of its context, without a person",
    harness::make_play<OwnSecretPlay>,
    {kOwnTokenBaseline, kOwnTokenShown, kOwnTokenUnregistered, kOwnTokenSecurity}));
const ClientScenarioRegistration kOwnTokenByAssertion(own_token_scenario(
    "auth/client-credentials-jwt",
    "gets a token by a JWT that it signs with the private_key_pem of its context, without a person",
    harness::make_play<OwnAssertionPlay>,
    {kOwnTokenBaseline, kOwnTokenShown, kOwnTokenType, kOwnTokenNames, kOwnTokenAudience,
     kOwnTokenExpires, kOwnTokenSigned, kOwnTokenUnregistered, kOwnTokenSecurity}));

}  // namespace
}  // namespace assay::scenarios
