// What a client can carry from one authorization server to the next, and from one token to the
// next. Specification: basic/authorization, "Refresh Tokens"; 2026-07-28: client-registration,
// "Authorization Server Binding"; OAuth 2.1, section 7 (mix-up).
#include "reference/client/faults/authorization.h"
#include "reference/transport/http_url.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

bool renews_by(const TokenRequest& request) {
  return value_of(request.form, "grant_type") == "refresh_token";
}

std::string default_token_endpoint(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  return read == nullptr ? url : read->origin() + "/token";
}

Rules of_former_client() {
  return {"authorization.credentials-bound-to-issuer",
          "authorization.credentials-not-assumed-elsewhere", "authorization.credentials-not-reused",
          "authorization.registration-state-per-authorization-server",
          "authorization.discovery-followed"};
}

std::vector<Fault> over_a_move() {
  std::vector<Fault> faults = {
      login_fault("login-ignores-move",
                  "Never looks again which authorization server the server names",
                  {"authorization.foreign-token-not-sent"}, &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.rediscovers = false; }),
      login_fault("login-redeems-as-former-client",
                  "Asks a new authorization server for a token with the client id of the former",
                  of_former_client(), &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                      if (memory.former_id.empty()) return;
                      set_value(request.form, "client_id", memory.former_id);
                    };
                  }),
      login_fault("login-registers-with-former-token",
                  "Shows a new authorization server the access token of the former one",
                  {"authorization.credentials-not-assumed-elsewhere",
                   "authorization.registration-state-per-authorization-server",
                   "authorization.discovery-followed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.registration_fields = [](transport::Headers& fields,
                                               const LoginMemory& memory) {
                      if (memory.former_token.empty()) return;
                      fields.emplace_back("Authorization", "Bearer " + memory.former_token);
                    };
                  }),
  };
  Rules rules = of_former_client();
  rules.push_back("authorization.oauth-security-followed");
  faults.push_back(login_fault("login-code-to-former-server",
                               "Sends the code of a new authorization server to the former one",
                               rules, &model::Revision::has_issuer_validation,
                               [](LoginConduct& c) { c.reads_token_endpoint_again = false; }));
  return faults;
}

std::vector<Fault> over_a_renewal() {
  return {
      login_fault("login-renews-with-slash", "Adds a slash to the resource when it renews",
                  {"authorization.no-trailing-slash"}, &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      if (!renews_by(request)) return;
                      set_value(request.form, "resource", value_of(request.form, "resource") + "/");
                    };
                  }),
      login_fault("login-renews-with-access-token", "Renews its token with the token itself",
                  {"authorization.refresh-token-not-assumed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                      if (!renews_by(request)) return;
                      set_value(request.form, "refresh_token", memory.access_token);
                    };
                  }),
      login_fault("login-renews-with-undefined",
                  "Renews its token with the word 'undefined' for a refresh token",
                  {"authorization.refresh-token-not-assumed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      if (renews_by(request)) {
                        set_value(request.form, "refresh_token", "undefined");
                      }
                    };
                  }),
      login_fault("login-renews-at-default-path",
                  "Reads the metadata when it logs in, and renews at a default path",
                  {"authorization.client-uses-server-metadata"},
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      if (renews_by(request)) request.url = default_token_endpoint(request.url);
                    };
                  }),
      login_fault("login-renews-by-get", "Renews its token by GET",
                  {"authorization.refresh-token-confidential"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      if (!renews_by(request)) return;
                      request.method = "GET";
                      request.url += "?" + wire::write_form(request.form);
                    };
                  }),
      login_fault("login-names-no-grants", "Renews tokens, and registers without grant_types",
                  {"authorization.refresh-grant-type-listed"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.registration = [](Json& metadata) { metadata.erase("grant_types"); };
                  }),
      login_fault("login-repeats-refused-token",
                  "Repeats what was refused with the token that has expired",
                  {"authorization.client-responds-to-401", "authorization.discovery-followed"},
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.gets_another_token = false; }),
  };
}

Fault cookie_fault() {
  return login_fault("refresh-token-in-cookie", "Shows the server its refresh token in a cookie",
                     {"authorization.refresh-token-confidential"},
                     &model::Revision::has_issuer_validation, [](LoginConduct& c) {
                       c.fields = [](transport::Headers& fields, const LoginMemory& memory) {
                         if (memory.refresh_token.empty()) return;
                         fields.emplace_back("Cookie", "renew=" + memory.refresh_token);
                       };
                     });
}

}  // namespace

std::vector<Fault> login_carried_faults() {
  std::vector<Fault> faults = over_a_move();
  for (Fault& each : over_a_renewal()) faults.push_back(std::move(each));
  faults.push_back(cookie_fault());
  return faults;
}

}  // namespace assay::client
