// What a client can get wrong when an identity provider of an enterprise vouches for its user.
//
// Extension enterprise-managed-authorization.
#include "reference/client/faults/authorization.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

constexpr const char* kIdpBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

constexpr std::string_view kIdpMade = "ext-enterprise-managed-authorization.exchange-made";
constexpr std::string_view kIdpRequested = "ext-enterprise-managed-authorization.requested-type";
constexpr std::string_view kIdpFor = "ext-enterprise-managed-authorization.audience";
constexpr std::string_view kIdpResource = "ext-enterprise-managed-authorization.resource";
constexpr std::string_view kIdpSubject = "ext-enterprise-managed-authorization.subject-token";
constexpr std::string_view kIdpSubjectType =
    "ext-enterprise-managed-authorization.subject-token-type";
constexpr std::string_view kIdpGrant = "ext-enterprise-managed-authorization.jwt-bearer-grant";
constexpr std::string_view kIdpSent = "ext-enterprise-managed-authorization.assertion-sent";
constexpr std::string_view kIdpShown = "ext-enterprise-managed-authorization.client-authenticated";

Fault exchange_fault(std::string_view id, std::string_view description, std::string_view rule,
                     void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {rule}, nullptr, login);
}

bool presents_grant(const TokenRequest& request) {
  return value_of(request.form, "grant_type") == kIdpBearer;
}

std::vector<Fault> exchanges() {
  return {
      exchange_fault("idp-exchange-of-other-grant", "Asks the identity provider by another grant",
                     kIdpMade,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "grant_type", kIdpBearer);
                       };
                     }),
      exchange_fault("idp-requested-type-left-out", "Does not say which token it asks for",
                     kIdpRequested,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "requested_token_type", "");
                       };
                     }),
      exchange_fault("idp-asks-for-any-jwt", "Asks the identity provider for a JWT of any kind",
                     kIdpRequested,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "requested_token_type",
                                   "urn:ietf:params:oauth:token-type:jwt");
                       };
                     }),
      exchange_fault("idp-audience-left-out", "Names no authorization server as audience", kIdpFor,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "audience", "");
                       };
                     }),
      exchange_fault("idp-audience-is-resource", "Names the server as audience of the grant",
                     kIdpFor,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "audience", value_of(request.form, "resource"));
                       };
                     }),
      exchange_fault(
          "idp-audience-is-endpoint", "Names a token endpoint as audience of the grant", kIdpFor,
          [](LoginConduct& c) {
            c.exchange = [](TokenRequest& request, const LoginMemory&) {
              set_value(request.form, "audience", value_of(request.form, "audience") + "/token");
            };
          }),
      exchange_fault("idp-resource-left-out", "Names no resource when it exchanges", kIdpResource,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "resource", "");
                       };
                     }),
      exchange_fault("idp-resource-is-audience", "Names the authorization server as the resource",
                     kIdpResource,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "resource", value_of(request.form, "audience"));
                       };
                     }),
      exchange_fault("idp-subject-left-out", "Exchanges nothing that names the user", kIdpSubject,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "subject_token", "");
                       };
                     }),
      exchange_fault("idp-subject-type-left-out", "Does not say what kind of token names the user",
                     kIdpSubjectType,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "subject_token_type", "");
                       };
                     }),
      exchange_fault("idp-subject-as-saml", "Says that an ID token is a SAML assertion",
                     kIdpSubjectType,
                     [](LoginConduct& c) {
                       c.exchange = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "subject_token_type",
                                   "urn:ietf:params:oauth:token-type:saml2");
                       };
                     }),
  };
}

std::vector<Fault> presented_grants() {
  std::vector<Fault> faults = {
      exchange_fault("idp-grant-as-exchange", "Presents the grant as a token exchange", kIdpGrant,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         if (!presents_grant(request)) return;
                         set_value(request.form, "grant_type",
                                   "urn:ietf:params:oauth:grant-type:token-exchange");
                       };
                     }),
      exchange_fault("idp-grant-left-out", "Asks for a token by a grant that it does not send",
                     kIdpSent,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "assertion", "");
                       };
                     }),
      exchange_fault("idp-grant-without-client", "Presents the grant and no secret", kIdpShown,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                         if (!presents_grant(request)) return;
                         std::erase_if(request.headers, [](const auto& field) {
                           return wire::equals_without_case(field.first, "Authorization");
                         });
                         set_value(request.form, "client_id", memory.client_id);
                       };
                     }),
  };
  faults.push_back(login_fault("idp-no-exchange", "Presents the assertion of the user as the grant",
                               {kIdpMade, kIdpSent}, nullptr,
                               [](LoginConduct& c) { c.exchanges_identity = false; }));
  return faults;
}

}  // namespace

std::vector<Fault> identity_grant_faults() {
  std::vector<Fault> all = exchanges();
  for (Fault& each : presented_grants()) all.push_back(std::move(each));
  return all;
}

}  // namespace assay::client
