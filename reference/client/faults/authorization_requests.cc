// What a client can get wrong in authorization and token requests, and in their responses.
// Specification: basic/authorization.
#include "reference/client/faults/authorization.h"

namespace assay::client {

std::vector<Fault> login_request_faults() {
  return {
      {.id = "login-without-pkce",
       .description = "Uses no PKCE",
       .breaks = {"authorization.pkce", "authorization.oauth21-implemented",
                  "authorization.oauth-security-followed", "authorization.security-followed",
                  "authorization.http-conforms"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "code_challenge", "");
               set_value(form, "code_challenge_method", "");
             };
           }},
      {.id = "login-wrong-verifier",
       .description = "Shows another verifier than it made the challenge of",
       .breaks = {"authorization.pkce", "authorization.oauth21-implemented",
                  "authorization.oauth-security-followed", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.token = [](wire::Form& form) {
               const std::string verifier = value_of(form, "code_verifier");
               if (!verifier.empty()) set_value(form, "code_verifier", "x" + verifier);
             };
           }},
      {.id = "login-plain-challenge",
       .description = "Shows the verifier itself as the challenge",
       .breaks = {"authorization.pkce-s256", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "code_challenge_method", "plain");
             };
           }},
      {.id = "login-authorizes-without-resource",
       .description = "Names no resource in the authorization request",
       .breaks = {"authorization.resource-in-authorization-request",
                  "authorization.resource-indicators", "authorization.resource-always-sent",
                  "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) { set_value(form, "resource", ""); };
           }},
      {.id = "login-token-without-resource",
       .description = "Names no resource in the token request",
       .breaks = {"authorization.resource-in-token-request", "authorization.resource-indicators",
                  "authorization.resource-always-sent", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.token = [](wire::Form& form) { set_value(form, "resource", ""); };
           }},
      {.id = "login-other-resource",
       .description = "Names another resource than the server",
       .breaks = {"authorization.resource-names-server", "authorization.resource-canonical"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.authorization = [](wire::Form& form) {
               set_value(form, "resource", "https://elsewhere.example/mcp");
             };
           }},
      {.id = "login-resource-with-slash",
       .description = "Adds a slash to the name of the server",
       .breaks = {"authorization.no-trailing-slash"},
       .seen_over = SeenOver::kHttpOnly,
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
       .login =
           [](LoginConduct& c) {
             c.checks_state = false;
             c.authorization = [](wire::Form& form) { set_value(form, "state", ""); };
           }},
      {.id = "login-any-state",
       .description = "Takes a response with another state",
       .breaks = {"authorization.state-verified"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.checks_state = false; }},
  };
}

std::vector<Fault> login_issuer_faults() {
  return {
      {.id = "login-any-issuer",
       .description = "Takes a response of another issuer",
       .breaks = {"authorization.advertised-issuer-compared",
                  "authorization.unadvertised-issuer-compared",
                  "authorization.issuer-not-normalized", "authorization.issuer-validated",
                  "authorization.oauth-security-followed", "authorization.security-followed",
                  "authorization.mismatched-error-ignored"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_issuer_validation,
       .login = [](LoginConduct& c) { c.checks_issuer = false; }},
      {.id = "login-issuer-missing",
       .description = "Takes a response without the issuer that was announced",
       .breaks = {"authorization.advertised-issuer-missing-rejected",
                  "authorization.issuer-validated", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.wants_advertised_issuer = false; }},
      {.id = "login-issuer-normalized",
       .description = "Accepts an issuer with an added slash as the same",
       .breaks = {"authorization.issuer-not-normalized", "authorization.advertised-issuer-compared",
                  "authorization.oauth-security-followed", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_issuer_validation,
       .login =
           [](LoginConduct& c) {
             c.matches_response = [](const std::string& said, const std::string& meant) {
               return said == meant || said == meant + "/";
             };
           }},
      {.id = "login-issuer-always",
       .description = "Takes no response without an issuer",
       .breaks = {"authorization.unadvertised-issuer-missing-accepted"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.wants_any_issuer = true; }},
      {.id = "login-forgets-issuer",
       .description = "Looks up the issuer when the response has come",
       .breaks = {"authorization.issuer-recorded", "authorization.issuer-validated",
                  "authorization.advertised-issuer-compared",
                  "authorization.oauth-security-followed", "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_issuer_validation,
       .login = [](LoginConduct& c) { c.records_issuer = false; }},
      {.id = "login-shows-foreign-error",
       .description = "Shows the error of a response that names another issuer",
       .breaks = {"authorization.mismatched-error-ignored"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.checks_issuer_of_errors = false; }},
      {.id = "login-shows-code-of-foreign-error",
       .description = "Shows the error code of a response that names another issuer",
       .breaks = {"authorization.mismatched-error-ignored"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.checks_issuer_of_errors = false;
             c.told_error = [](const wire::Form& response) { return value_of(response, "error"); };
           }},
      {.id = "login-shows-page-of-foreign-error",
       .description = "Shows the URL of the error page of a response that names another issuer",
       .breaks = {"authorization.mismatched-error-ignored"},
       .seen_over = SeenOver::kHttpOnly,
       .login =
           [](LoginConduct& c) {
             c.checks_issuer_of_errors = false;
             c.told_error = [](const wire::Form& response) {
               return value_of(response, "error_uri");
             };
           }},
  };
}

}  // namespace assay::client
