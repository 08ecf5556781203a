// What a client can get wrong about as whom it logs in. Specification: basic/authorization.
#include "reference/client/faults/authorization.h"

namespace assay::client {
namespace {

constexpr const char* kOnIpv6 = "http://[::1]:3000/callback";
constexpr const char* kRemote = "http://elsewhere.example/callback";

}  // namespace

std::vector<Fault> login_registration_faults() {
  return {
      {.id = "login-no-application-type",
       .description = "Registers without application_type",
       .breaks = {"authorization.application-type-given"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) { metadata.erase("application_type"); };
           }},
      {.id = "login-as-web-application",
       .description = "Registers as a web application, and listens on localhost",
       .breaks = {"authorization.application-type-native"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) { metadata["application_type"] = "web"; };
           }},
      {.id = "login-as-mobile-application",
       .description = "Registers with an application_type that is none",
       .breaks = {"authorization.application-type-given", "authorization.application-type-native"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) { metadata["application_type"] = "mobile"; };
           }},
      {.id = "login-as-web-application-on-ipv6",
       .description = "Registers as a web application, and listens on [::1]",
       .breaks = {"authorization.application-type-native"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) {
               metadata["application_type"] = "web";
               metadata["redirect_uris"] = Json::array({kOnIpv6});
             };
             c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kOnIpv6); };
           }},
      {.id = "login-hides-refresh",
       .description = "Renews tokens, and does not say so when it registers",
       .breaks = {"authorization.refresh-grant-type-listed"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) {
               metadata["grant_types"] = Json::array({"authorization_code"});
             };
           }},
      {.id = "login-other-redirect",
       .description = "Names a redirect URI that it did not register",
       .breaks = {"authorization.redirects-registered", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.names_registered_redirect = false; }},
      {.id = "login-remote-redirect",
       .description = "Has itself redirected to another host without HTTPS",
       .breaks = {"authorization.redirect-localhost-or-https",
                  "authorization.communication-security", "authorization.security-followed",
                  "authorization.oauth21-implemented"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.registration = [](Json& metadata) {
               metadata["redirect_uris"] = Json::array({kRemote});
             };
             c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kRemote); };
           }},
      {.id = "login-document-without-tls",
       .description = "Names a metadata document without HTTPS",
       .breaks = {"authorization.client-id-document-https-url",
                  "authorization.client-id-document-rules",
                  "authorization.client-id-document-https-hosted"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "http://client.example/client.json"; }},
      {.id = "login-document-unasked",
       .description = "Names its metadata document although the authorization server does not say "
                      "that it accepts one",
       .breaks = {"authorization.client-id-document-support-checked"},
       .seen_over = SeenOver::kHttpOnly,
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
                  "authorization.registration-state-per-authorization-server",
                  "authorization.discovery-followed", "authorization.mismatched-credentials-shown"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.keeps_clients_apart = false; }},
      {.id = "login-as-nobody",
       .description = "Asks for authorization without a client id",
       .breaks = {"authorization.client-id-obtained"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) { set_value(form, "client_id", ""); };
           }},
      {.id = "login-document-with-fragment",
       .description = "Names a place within its metadata document",
       .breaks = {"authorization.client-id-document-rules"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "https://client.example/client.json#native"; }},
      {.id = "login-other-document",
       .description = "Names a metadata document that is another client's",
       .breaks = {"authorization.client-id-document-names-itself",
                  "authorization.client-id-document-rules"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "https://client.example/other.json"; }},
      {.id = "login-nameless-document",
       .description = "Names a metadata document that lacks the client's name",
       .breaks = {"authorization.client-id-document-properties"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "https://client.example/nameless.json"; }},
      {.id = "login-document-with-secret",
       .description = "Names a metadata document in which a secret stands",
       .breaks = {"authorization.client-id-document-rules"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "https://client.example/secret.json"; }},
      {.id = "login-document-with-secret-method",
       .description = "Names a metadata document by which it shows a secret at the token endpoint",
       .breaks = {"authorization.client-id-document-rules"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.document = "https://client.example/method.json"; }},
      {.id = "login-without-document",
       .description = "Has no metadata document",
       .breaks = {"authorization.client-id-documents-client"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.has_document = false; }},
      {.id = "login-document-before-given",
       .description = "Uses its metadata document where it was given a client id",
       .breaks = {"authorization.registration-preregistered-first"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.sources = {ClientSource::kDocument, ClientSource::kGiven,
                          ClientSource::kRegistration};
           }},
      {.id = "login-registers-before-document",
       .description = "Registers where its metadata document is taken",
       .breaks = {"authorization.registration-client-id-document-second"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.sources = {ClientSource::kGiven, ClientSource::kRegistration,
                          ClientSource::kDocument};
           }},
      {.id = "login-document-refused",
       .description = "Names its metadata document where the metadata say that none is taken",
       .breaks = {"authorization.registration-dynamic-registration-third",
                  "authorization.client-id-document-support-checked"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.reads_document_support = false; }},
      {.id = "login-forgets-secret",
       .description = "Does not show the secret that was given with its client id",
       .breaks = {"authorization.static-credentials-supported"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.shows_secret = false; }},
      {.id = "login-ignores-refused-registration",
       .description = "Goes on where it was not registered",
       .breaks = {"authorization.registration-failure-handled", "authorization.client-id-obtained"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.heeds_refused_registration = false; }},
  };
}

}  // namespace assay::client
