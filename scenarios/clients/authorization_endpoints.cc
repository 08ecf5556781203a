// Endpoints and tokens that are as good as others, and written otherwise.
//
// Specification: basic/authorization, "Authorization Server Discovery" (2025-06-18 and later);
// OAuth 2.1, sections 3.1 and 3.2.3.
#include <memory>

#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using Kind = LoginStep::Kind;

// Behind the endpoint stands a query, which is a part of it (OAuth 2.1, section 3.1).
class EndpointWithQueryPlay : public LoginPlay {
 public:
  EndpointWithQueryPlay() : LoginPlay({}) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.conduct.metadata = [](Json& metadata, bool) {
      const std::string endpoint = metadata.value("authorization_endpoint", "");
      metadata["authorization_endpoint"] = endpoint + "?" + kName + "=" + kValue;
    };
    return knobs;
  }
  void judge(LoginReview& login) override {
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      login.check("authorization.client-uses-server-metadata", step->value(kName) == kValue,
                  "the authorization_endpoint of the metadata has a query, which the authorization "
                  "request lacks",
                  *step);
    }
  }

 private:
  static constexpr const char* kName = "tenant";
  static constexpr const char* kValue = "seven";
};

// The type of a token is written in any case, and its lifetime need not be said.
class TerseTokenPlay : public LoginPlay {
 public:
  TerseTokenPlay() : LoginPlay(the_terms()) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
      if (!wire::path_in(request.target).ends_with("/token") || reply.status != 200) return;
      Json token = wire::parse_of_peer(reply.body);
      token["token_type"] = "bearer";
      token.erase("expires_in");
      reply.body = token.dump();
    };
    return knobs;
  }
  // Whether it is let in is seen once a request with the token comes.
  void judge(LoginReview& login) override {
    const auto granted = login.granted();
    if (granted.empty() || !login.venue().has_succeeded) return;
    bool is_shown = false;
    for (const LoginStep* step : login.all(Kind::kProtected)) {
      is_shown = is_shown || transport::find_header(step->head().headers, "Authorization");
    }
    login.check_came("authorization.oauth21-implemented", is_shown,
                     "token_type of the token is \"bearer\" and it has no expires_in, and the "
                     "client, which logs in elsewhere, did not use it",
                     *granted.front());
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.is_own_office = true;
    return terms;
  }
};

// Clients get a secret, and show it.
class SecretAtServerPlay : public LoginPlay {
 public:
  SecretAtServerPlay() : LoginPlay(the_terms()) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.auth_methods = {authorization::kSecretInHeader};
    return knobs;
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.is_own_office = true;
    return terms;
  }
};

constexpr std::string_view kLogsInThere = "logs in and calls test-tool";

const ClientScenarioRegistration kEndpointWithQuery(login_scenario(
    "auth/endpoint-with-query", kLogsInThere, harness::make_play<EndpointWithQueryPlay>,
    &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kTerseToken(
    login_scenario("auth/terse-token", kLogsInThere, harness::make_play<TerseTokenPlay>,
                   &model::Revision::has_own_authorization_server));
const ClientScenarioRegistration kSecretAtServer(
    login_scenario("auth/secret-at-server", kLogsInThere, harness::make_play<SecretAtServerPlay>,
                   &model::Revision::has_own_authorization_server));

}  // namespace
}  // namespace assay::scenarios
