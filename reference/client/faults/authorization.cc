// What a client can get wrong when it logs in. Specification: basic/authorization.
#include <algorithm>

#include "reference/client/faults/fault.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

bool logs_in(model::Revision revision) {
  return revision.has_authorization();
}
bool asks_for_resource(model::Revision revision) {
  return revision.has_resource_metadata();
}
bool minds_scopes(model::Revision revision) {
  return revision.has_scope_challenges();
}
bool sees_pkce_in_metadata(model::Revision revision) {
  return revision.has_pkce_in_metadata();
}
bool minds_issuers(model::Revision revision) {
  return revision.has_issuer_validation();
}
bool asks_server_alone(model::Revision revision) {
  return revision.has_authorization() && !revision.has_resource_metadata();
}

// Leaves the field out where the value is empty.
void set_value(wire::Form& form, std::string_view name, std::string_view value) {
  std::erase_if(form, [&](const auto& pair) { return pair.first == name; });
  if (!value.empty()) form.emplace_back(name, value);
}

std::string value_of(const wire::Form& form, std::string_view name) {
  return wire::form_value(form, name).value_or("");
}

constexpr const char* kRemote = "http://elsewhere.example/callback";

using Faults = std::vector<Fault>;

Faults discovery_faults() {
  return {
      {.id = "login-guesses-server",
       .description = "Takes the server for its own authorization server",
       .breaks = {"authorization.client-uses-resource-metadata"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login = [](LoginConduct& c) { c.asks_for_resource = false; }},
      {.id = "login-ignores-challenge-location",
       .description = "Looks for the resource metadata elsewhere than the challenge says",
       .breaks = {"authorization.client-uses-challenge-location",
                  "authorization.client-supports-both-metadata-locations",
                  "authorization.client-parses-challenge"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login = [](LoginConduct& c) { c.heeds_challenge = false; }},
      {.id = "login-root-metadata-first",
       .description = "Asks for the metadata of the whole server before those of the endpoint",
       .breaks = {"authorization.client-falls-back-to-well-known"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.tries_endpoint_first = false; }},
      {.id = "login-openid-first",
       .description = "Asks for OpenID metadata before OAuth metadata",
       .breaks = {"authorization.issuer-without-path-first-oauth",
                  "authorization.issuer-with-path-first-oauth-inserted"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login =
           [](LoginConduct& c) {
             c.places = {1, 0, 2};
           }},
      {.id = "login-oauth-metadata-only",
       .description = "Knows no OpenID metadata",
       .breaks = {"authorization.issuer-without-path-then-openid",
                  "authorization.issuer-with-path-then-openid-inserted",
                  "authorization.several-well-known-endpoints-tried",
                  "authorization.client-supports-both-discoveries"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.places = {0}; }},
      {.id = "login-no-appended-metadata",
       .description = "Does not look for OpenID metadata behind the issuer's path",
       .breaks = {"authorization.issuer-with-path-then-openid-appended",
                  "authorization.several-well-known-endpoints-tried",
                  "authorization.client-supports-both-discoveries"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login =
           [](LoginConduct& c) {
             c.places = {0, 1};
           }},
      {.id = "login-appended-before-inserted",
       .description = "Looks for OpenID metadata behind the issuer's path first",
       .breaks = {"authorization.issuer-with-path-then-openid-inserted"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login =
           [](LoginConduct& c) {
             c.places = {0, 2, 1};
           }},
      {.id = "login-assumes-pkce",
       .description = "Goes on where the metadata do not say that PKCE is supported",
       .breaks = {"authorization.pkce-support-verified", "authorization.pkce-support-from-metadata",
                  "authorization.pkce-unsupported-oauth-refused",
                  "authorization.pkce-openid-verified",
                  "authorization.pkce-unsupported-openid-refused"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = sees_pkce_in_metadata,
       .login = [](LoginConduct& c) { c.wants_challenge_method = false; }},
      {.id = "login-metadata-of-anybody",
       .description = "Uses metadata that name another issuer",
       .breaks = {"authorization.metadata-issuer-identical",
                  "authorization.metadata-of-other-issuer-rejected",
                  "authorization.metadata-of-other-issuer-unused",
                  "authorization.metadata-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.checks_issuer_of_metadata = false; }},
  };
}

Faults own_server_faults() {
  return {
      {.id = "login-without-metadata",
       .description = "Uses the default paths and asks for no metadata",
       .breaks = {"authorization.metadata-before-default-paths",
                  "authorization.client-uses-server-metadata"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_server_alone,
       .login = [](LoginConduct& c) { c.tries_metadata = false; }},
      {.id = "login-below-path",
       .description = "Looks for the metadata below the path of the server's URL",
       .breaks = {"authorization.base-url-without-path",
                  "authorization.client-default-register-path"},
       .may_break = {"authorization.client-uses-server-metadata"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_server_alone,
       .login = [](LoginConduct& c) { c.drops_path = false; }},
      {.id = "login-metadata-without-version",
       .description = "Asks for metadata without MCP-Protocol-Version",
       .breaks = {"authorization.version-header-in-discovery"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_server_alone,
       .login = [](LoginConduct& c) { c.names_version = false; }},
      {.id = "login-authorizes-elsewhere",
       .description = "Has another default path for authorization requests",
       .breaks = {"authorization.client-default-authorize-path"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_server_alone,
       .login = [](LoginConduct& c) { c.default_authorize = "/oauth2/authorize"; }},
      {.id = "login-asks-token-elsewhere",
       .description = "Has another default path for token requests",
       .breaks = {"authorization.client-default-token-path"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_server_alone,
       .login = [](LoginConduct& c) { c.default_token = "/oauth2/token"; }},
  };
}

Faults registration_faults() {
  return {
      {.id = "login-no-application-type",
       .description = "Registers without application_type",
       .breaks = {"authorization.application-type-given"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) { metadata.erase("application_type"); };
           }},
      {.id = "login-as-web-application",
       .description = "Registers as a web application, and listens on localhost",
       .breaks = {"authorization.application-type-native"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) { metadata["application_type"] = "web"; };
           }},
      {.id = "login-hides-refresh",
       .description = "Renews tokens, and does not say so when it registers",
       .breaks = {"authorization.refresh-grant-type-listed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) {
               metadata["grant_types"] = Json::array({"authorization_code"});
             };
           }},
      {.id = "login-other-redirect",
       .description = "Names a redirect URI that it did not register",
       .breaks = {"authorization.redirects-registered"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login = [](LoginConduct& c) { c.names_registered_redirect = false; }},
      {.id = "login-remote-redirect",
       .description = "Has itself redirected to another host without HTTPS",
       .breaks = {"authorization.redirect-localhost-or-https"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) {
               metadata["redirect_uris"] = Json::array({kRemote});
             };
             c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kRemote); };
           }},
      {.id = "login-document-without-tls",
       .description = "Names a metadata document without HTTPS",
       .breaks = {"authorization.client-id-document-https-url"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = sees_pkce_in_metadata,
       .login = [](LoginConduct& c) { c.document = "http://client.example/client.json"; }},
      {.id = "login-document-unasked",
       .description = "Names its metadata document where nobody says that he takes it",
       .breaks = {"authorization.client-id-document-support-checked"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = sees_pkce_in_metadata,
       .login =
           [](LoginConduct& c) {
             c.checks_document_support = false;
             c.document = "https://client.example/client.json";
           }},
      {.id = "login-with-former-client",
       .description = "Shows a new authorization server the client id of the former one",
       .breaks = {"authorization.credentials-bound-to-issuer",
                  "authorization.credentials-not-assumed-elsewhere",
                  "authorization.credentials-not-reused", "authorization.registered-again",
                  "authorization.registration-state-per-authorization-server"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.keeps_clients_apart = false; }},
      {.id = "login-as-nobody",
       .description = "Asks for authorization without a client id",
       .breaks = {"authorization.client-id-obtained"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) { set_value(form, "client_id", ""); };
           }},
  };
}

Faults request_faults() {
  return {
      {.id = "login-without-pkce",
       .description = "Uses no PKCE",
       .breaks = {"authorization.pkce"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "code_challenge", "");
               set_value(form, "code_challenge_method", "");
             };
           }},
      {.id = "login-wrong-verifier",
       .description = "Shows another verifier than it made the challenge of",
       .breaks = {"authorization.pkce"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .login =
           [](LoginConduct& c) {
             c.token = [](wire::Form& form) {
               const std::string verifier = value_of(form, "code_verifier");
               if (!verifier.empty()) set_value(form, "code_verifier", "x" + verifier);
             };
           }},
      {.id = "login-plain-challenge",
       .description = "Shows the verifier itself as the challenge",
       .breaks = {"authorization.pkce-s256"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = sees_pkce_in_metadata,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "code_challenge_method", "plain");
             };
           }},
      {.id = "login-authorizes-without-resource",
       .description = "Names no resource in the authorization request",
       .breaks = {"authorization.resource-in-authorization-request",
                  "authorization.resource-indicators", "authorization.resource-always-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) { set_value(form, "resource", ""); };
           }},
      {.id = "login-token-without-resource",
       .description = "Names no resource in the token request",
       .breaks = {"authorization.resource-in-token-request", "authorization.resource-indicators",
                  "authorization.resource-always-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.token = [](wire::Form& form) { set_value(form, "resource", ""); };
           }},
      {.id = "login-other-resource",
       .description = "Names another resource than the server",
       .breaks = {"authorization.resource-names-server", "authorization.resource-canonical"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "resource", "https://elsewhere.example/mcp");
             };
           }},
      {.id = "login-resource-with-slash",
       .description = "Names the server with a slash behind it",
       .breaks = {"authorization.no-trailing-slash"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "resource", value_of(form, "resource") + "/");
             };
           }},
      {.id = "login-resource-of-host",
       .description = "Names the server's host and not its endpoint",
       .breaks = {"authorization.resource-most-specific"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               const std::string named = value_of(form, "resource");
               set_value(form, "resource", named.substr(0, named.rfind('/')));
             };
           }},
      {.id = "login-without-state",
       .description = "Sends no state",
       .breaks = {"authorization.state-verified"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login =
           [](LoginConduct& c) {
             c.checks_state = false;
             c.authorization = [](wire::Form& form) { set_value(form, "state", ""); };
           }},
      {.id = "login-any-state",
       .description = "Takes a response with another state",
       .breaks = {"authorization.state-verified"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login = [](LoginConduct& c) { c.checks_state = false; }},
  };
}

Faults issuer_faults() {
  return {
      {.id = "login-any-issuer",
       .description = "Takes a response of another issuer",
       .breaks = {"authorization.advertised-issuer-compared",
                  "authorization.unadvertised-issuer-compared",
                  "authorization.issuer-not-normalized", "authorization.issuer-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.checks_issuer = false; }},
      {.id = "login-issuer-missing",
       .description = "Takes a response without the issuer that was announced",
       .breaks = {"authorization.advertised-issuer-missing-rejected",
                  "authorization.issuer-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.wants_advertised_issuer = false; }},
      {.id = "login-issuer-normalized",
       .description = "Takes an issuer with a slash behind it for the same",
       .breaks = {"authorization.issuer-not-normalized",
                  "authorization.advertised-issuer-compared"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.normalizes_issuer = true; }},
      {.id = "login-issuer-always",
       .description = "Takes no response without an issuer",
       .breaks = {"authorization.unadvertised-issuer-missing-accepted"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.wants_any_issuer = true; }},
  };
}

Faults scope_faults() {
  return {
      {.id = "login-scopes-of-metadata",
       .description = "Asks for scopes_supported whatever the challenge says",
       .breaks = {"authorization.scope-from-challenge",
                  "authorization.challenge-scope-authoritative", "authorization.least-privilege"},
       .may_break = {"authorization.granted-scopes-kept"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.follows_scope_of_challenge = false; }},
      {.id = "login-scopes-of-nobody",
       .description = "Asks for no scope where the metadata name some",
       .breaks = {"authorization.scope-from-metadata", "authorization.scope-fallback"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.follows_scopes_of_resource = false; }},
      {.id = "login-scope-made-up",
       .description = "Asks for a scope that nobody names",
       .breaks = {"authorization.scope-left-out", "authorization.scope-fallback"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.other_scope = "everything"; }},
      {.id = "login-no-step-up",
       .description = "Asks for no other token where a scope is missing",
       .breaks = {"authorization.step-up-for-user", "authorization.scope-error-answered"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.steps_up = false; }},
      {.id = "login-step-up-forgets",
       .description = "Gives up the scopes that it had for the one that is missing",
       .breaks = {"authorization.granted-scopes-kept"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.keeps_scopes = false; }},
      {.id = "login-steps-up-for-ever",
       .description = "Asks for another token each time that one is not enough",
       .breaks = {"authorization.step-up-retry-limit", "authorization.step-up-attempts-tracked"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_scopes,
       .login = [](LoginConduct& c) { c.most_attempts = 15; }},
  };
}

Faults token_faults() {
  return {
      {.id = "token-under-other-scheme",
       .description = "Shows its token under another scheme than Bearer",
       .breaks = {"authorization.bearer-header"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .login = [](LoginConduct& c) { c.scheme = "Token"; }},
      {.id = "token-left-out",
       .description = "Shows its token in some requests only",
       .breaks = {"authorization.token-in-every-request"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             const bool is_list =
                 body.is_object() && body.value("method", Json()) == "resources/list";
             if (!is_list) return;
             std::erase_if(fields, [](const auto& field) {
               return wire::equals_without_case(field.first, "Authorization");
             });
           },
       .login = [](LoginConduct& c) { c.most_attempts = 1; }},
      {.id = "token-in-query",
       .description = "Shows its token in the query of the URL as well",
       .breaks = {"authorization.no-token-in-query"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = logs_in,
       .login = [](LoginConduct& c) { c.puts_token_in_query = true; }},
      {.id = "token-of-another",
       .description = "Shows the server a token that somebody else issued",
       .breaks = {"authorization.foreign-token-not-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = asks_for_resource,
       .login = [](LoginConduct& c) { c.early_token = "issued-by-somebody-else-0123456789"; }},
      {.id = "token-for-renewal-shown",
       .description = "Shows the server its refresh token",
       .breaks = {"authorization.refresh-token-confidential"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = minds_issuers,
       .login = [](LoginConduct& c) { c.shows_refresh_token = true; }},
  };
}

}  // namespace

Faults authorization_faults() {
  Faults all;
  for (auto table : {discovery_faults(), own_server_faults(), registration_faults(),
                     request_faults(), issuer_faults(), scope_faults(), token_faults()}) {
    std::move(table.begin(), table.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace assay::client
