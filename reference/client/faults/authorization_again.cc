// What a client can get wrong the second time: when a token has expired, when another authorization
// server is named. Specification: basic/authorization, "Refresh Tokens", "Resource Parameter
// Implementation"; 2026-07-28: client-registration, "Authorization Server Binding".
#include "reference/client/faults/authorization.h"

namespace assay::client {
namespace {

bool is_renewal(const wire::Form& form) {
  return value_of(form, "grant_type") == "refresh_token";
}

std::vector<Fault> after_expiry() {
  return {
      login_fault("login-renews-without-resource", "Names no resource when it renews its token",
                  {"authorization.resource-in-token-request", "authorization.resource-indicators",
                   "authorization.resource-always-sent", "authorization.security-followed"},
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) {
                    c.token = [](wire::Form& form) {
                      if (is_renewal(form)) set_value(form, "resource", "");
                    };
                  }),
      login_fault("login-renews-for-another-resource",
                  "Names another resource when it renews its token",
                  {"authorization.resource-names-server", "authorization.resource-canonical"},
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) {
                    c.token = [](wire::Form& form) {
                      if (is_renewal(form)) {
                        set_value(form, "resource", "https://elsewhere.example/mcp");
                      }
                    };
                  }),
      login_fault(
          "login-next-without-resource",
          "Names the resource in its first authorization request only",
          {"authorization.resource-in-authorization-request", "authorization.resource-indicators",
           "authorization.resource-always-sent", "authorization.security-followed"},
          &model::Revision::has_resource_metadata,
          [](LoginConduct& c) {
            c.next_authorization = [](wire::Form& form) { set_value(form, "resource", ""); };
          }),
      login_fault("login-keeps-first-refresh-token",
                  "Renews its token with a refresh token that was replaced",
                  {"authorization.oauth21-implemented"},
                  &model::Revision::has_own_authorization_server,
                  [](LoginConduct& c) { c.takes_next_refresh_token = false; }),
      login_fault("login-renews-in-query", "Puts its refresh token into a URL",
                  {"authorization.refresh-token-confidential"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) { c.puts_refresh_token_in_query = true; }),
      login_fault("login-once", "Does nothing when its token has expired",
                  {"authorization.client-responds-to-401", "authorization.discovery-followed"},
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.answers_expiry = false; }),
  };
}

std::vector<Fault> after_move() {
  return {
      login_fault("login-keeps-refresh-token-when-moved",
                  "Shows a new authorization server the refresh token of the former one",
                  {"authorization.registration-state-per-authorization-server",
                   "authorization.credentials-not-assumed-elsewhere",
                   "authorization.refresh-token-confidential", "authorization.discovery-followed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) { c.keeps_refresh_tokens_apart = false; }),
      login_fault("login-keeps-secret-when-moved",
                  "Registers with a new authorization server, and shows it the former secret",
                  {"authorization.credentials-bound-to-issuer",
                   "authorization.credentials-not-assumed-elsewhere",
                   "authorization.credentials-not-reused",
                   "authorization.registration-state-per-authorization-server",
                   "authorization.discovery-followed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) { c.keeps_secrets_apart = false; }),
      login_fault("login-notices-one-move",
                  "Registers anew when the authorization server changes, but only once",
                  {"authorization.credentials-bound-to-issuer",
                   "authorization.credentials-not-assumed-elsewhere",
                   "authorization.credentials-not-reused", "authorization.registered-again",
                   "authorization.registration-state-per-authorization-server",
                   "authorization.discovery-followed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) { c.notices_each_move = false; }),
      login_fault("token-of-former-server",
                  "Shows the token of the former authorization server after it has a new one",
                  {"authorization.foreign-token-not-sent"}, &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.keeps_tokens_apart = false; }),
  };
}

}  // namespace

std::vector<Fault> login_again_faults() {
  std::vector<Fault> faults = after_expiry();
  for (Fault& each : after_move()) faults.push_back(std::move(each));
  return faults;
}

}  // namespace assay::client
