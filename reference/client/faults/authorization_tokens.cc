// What a client can get wrong about scopes, and with its token. Specification: basic/authorization.
#include <algorithm>

#include "reference/client/faults/authorization.h"
#include "reference/client/faults/fields.h"
#include "reference/wire/http_text.h"

namespace assay::client {

std::vector<Fault> login_scope_faults() {
  return {
      {.id = "login-scopes-of-metadata",
       .description = "Asks for scopes_supported whatever the challenge says",
       .breaks = {"authorization.scope-from-challenge",
                  "authorization.challenge-scope-authoritative", "authorization.least-privilege"},
       .may_break = {"authorization.granted-scopes-kept"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.follows_scope_of_challenge = false; }},
      {.id = "login-scopes-of-nobody",
       .description = "Asks for no scope where the metadata name some",
       .breaks = {"authorization.scope-from-metadata", "authorization.scope-fallback"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.follows_scopes_of_resource = false; }},
      {.id = "login-scope-made-up",
       .description = "Asks for a scope that neither the challenge nor the metadata name",
       .breaks = {"authorization.scope-left-out", "authorization.scope-fallback"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.other_scope = "everything"; }},
      {.id = "login-no-step-up",
       .description = "Asks for no other token where a scope is missing",
       .breaks = {"authorization.step-up-for-user"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.steps_up = false; }},
      {.id = "login-step-up-forgets",
       .description = "Gives up the scopes that it had for the one that is missing",
       .breaks = {"authorization.granted-scopes-kept"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.keeps_scopes = false; }},
      {.id = "login-steps-up-for-ever",
       .description = "Asks for another token each time that one is not enough",
       .breaks = {"authorization.step-up-retry-limit", "authorization.step-up-attempts-tracked"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.most_attempts = 15; }},
      {.id = "login-drops-unlisted-scopes",
       .description = "Leaves out scopes of the challenge that the metadata do not list",
       .breaks = {"authorization.no-scope-relation-assumed",
                  "authorization.challenge-scope-authoritative",
                  "authorization.scope-from-challenge"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.asks_for_listed_scopes_only = true; }},
  };
}

std::vector<Fault> shown_token_faults() {
  return {
      {.id = "token-under-other-scheme",
       .description = "Shows its token under another scheme than Bearer",
       .breaks = {"authorization.bearer-header", "authorization.token-use-conforms",
                  "authorization.oauth21-implemented"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.scheme = "Token"; }},
      {.id = "token-left-out",
       .description = "Shows its token in some requests only",
       .breaks = {"authorization.token-in-every-request", "authorization.token-use-conforms"},
       .may_break = {"authorization.client-responds-to-401", "authorization.discovery-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .fields =
           [](std::string_view, const Json& body, transport::Headers& fields) {
             const bool is_list = asks_for(body, "resources/list");
             if (!is_list) return;
             std::erase_if(fields, [](const auto& field) {
               return wire::equals_without_case(field.first, "Authorization");
             });
           },
       .login = [](LoginConduct& c) { c.most_attempts = 1; }},
      {.id = "token-in-query",
       .description = "Shows its token in the query of the URL as well",
       .breaks = {"authorization.no-token-in-query", "authorization.token-use-conforms",
                  "authorization.oauth21-implemented", "authorization.oauth-security-followed",
                  "authorization.security-followed", "authorization.http-conforms"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.token_query = "access_token"; }},
      {.id = "token-of-another",
       .description = "Shows the server a token that somebody else issued",
       .breaks = {"authorization.foreign-token-not-sent"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.early_token = "issued-by-somebody-else-0123456789"; }},
      {.id = "token-for-renewal-shown",
       .description = "Shows the server its refresh token",
       .breaks = {"authorization.refresh-token-confidential"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.shows_refresh_token = true; }},
      {.id = "token-renewed-with-none",
       .description = "Asks for renewal of a token without a refresh token",
       .breaks = {"authorization.refresh-token-not-assumed"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.assumes_refresh_token = true; }},
  };
}

}  // namespace assay::client
