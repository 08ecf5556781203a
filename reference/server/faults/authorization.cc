// Faults of a server that asks for tokens. Specification: basic/authorization.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::find_header;
using transport::Header;
using transport::Headers;
using transport::HttpHead;
using transport::HttpReply;

bool shows_token(const HttpHead& request) {
  return credentials_of(request).has_value();
}

// Takes the request for one with the right token.
void let_in(HttpHead& request) {
  take_for(request, kReferenceToken);
}

void change_metadata(const HttpHead& request, HttpReply& reply, void (*change)(Json&)) {
  if (!is_resource_metadata(request, reply)) return;
  Json document = Json::parse(reply.body);
  change(document);
  reply.body = document.dump();
}

// --- Who is let in ---

// What else is broken where any token will do: one that has expired, or is for another server.
std::vector<std::string_view> also_of_other_tokens() {
  return {"authorization.no-data-to-unauthorized", "authorization.token-expiration",
          "authorization.audience-validated",      "authorization.intended-tokens-only",
          "authorization.own-tokens-only",         "authorization.wrong-audience-rejected"};
}

std::vector<Fault> admission_faults() {
  return {
      {.id = "any-token",
       .description = "Accepts any Bearer token",
       .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       // Then every token is one user's.
       .may_break = {"authorization.malformed-request-400", "authorization.audience-validated",
                     "authorization.intended-tokens-only", "authorization.own-tokens-only",
                     "authorization.wrong-audience-rejected", "authorization.token-expiration",
                     "authorization.no-data-to-unauthorized",
                     "elicitation.bound-to-client-and-user", "elicitation.state-bound-to-user",
                     "elicitation.state-not-by-session-alone", "mrtr.state-bound-to-principal",
                     "tasks.bound-to-authorization", "tasks.foreign-task-refused",
                     "tasks.list-own-context"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const auto field = find_header(request.headers, "Authorization");
             if (field && field->starts_with("Bearer ")) let_in(request);
           }},
      {.id = "unsigned-token",
       .description = "Accepts an unsigned JWT",
       .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const auto field = find_header(request.headers, "Authorization");
             if (field && field->starts_with("Bearer ey") && field->ends_with('.')) let_in(request);
           }},
      {.id = "any-password",
       .description = "Accepts any name and password",
       .breaks = {"authorization.token-validated", "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const auto field = find_header(request.headers, "Authorization");
             if (field && field->starts_with("Basic ")) let_in(request);
           }},
      {.id = "session-instead-of-token",
       .description = "Asks for the token once, and then takes the session id for it",
       .breaks = {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"},
       .concerns = &Revision::has_protected_sessions,
       .mishears =
           [](const Json&, HttpHead& request) {
             const bool has_session = find_header(request.headers, "Mcp-Session-Id").has_value();
             if (has_session && !shows_token(request)) let_in(request);
           }},
      {.id = "streams-without-token",
       .description = "Opens GET streams without a token, for any known session id",
       .breaks = {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"},
       .concerns = &Revision::has_protected_sessions,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "GET" && !shows_token(request)) let_in(request);
           }},
      {.id = "streams-with-any-token",
       .description = "Does not look at the token of a GET",
       .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .may_break = also_of_other_tokens(),
       .concerns = &Revision::has_protected_sessions,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "GET" && shows_token(request)) let_in(request);
           }},
      {.id = "lists-without-token",
       .description = "Lists its tools without a token, for any known session id",
       .breaks = {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"},
       .mishears =
           [](const Json& body, HttpHead& request) {
             if (method_of(body) == "tools/list" && !shows_token(request)) let_in(request);
           }},
      {.id = "method-before-token",
       .description = "Looks for the method before it looks at the token",
       .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .may_break = also_of_other_tokens(),
       .mishears =
           [](const Json& body, HttpHead& request) {
             if (method_of(body).starts_with("assay/") && shows_token(request)) let_in(request);
           }},
  };
}

// --- How it refuses ---

template <int Status>
void refuse_with(const HttpHead&, std::string_view, HttpReply& reply) {
  if (reply.status == kUnauthorizedStatus) reply.status = Status;
}

std::vector<Fault> refusal_faults() {
  return {
      {.id = "unauthorized-403",
       .description = "Refuses who shows no token, or a wrong one, with 403",
       .breaks = {"authorization.unauthenticated-401", "authorization.invalid-token-401"},
       .reply = refuse_with<403>},
      {.id = "missing-token-400",
       .description = "Refuses who shows no token with 400",
       .breaks = {"authorization.unauthenticated-401"},
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             if (!shows_token(request)) refuse_with<400>(request, body, reply);
           }},
      {.id = "wrong-token-400",
       .description = "Refuses a wrong token with 400",
       .breaks = {"authorization.invalid-token-401"},
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             if (shows_token(request)) refuse_with<400>(request, body, reply);
           }},
      {.id = "malformed-token-500",
       .description = "Answers an Authorization field without a token with status 500",
       .breaks = {"authorization.malformed-request-400"},
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             const bool is_ours = find_header(reply.headers, "WWW-Authenticate").has_value();
             if (is_ours && reply.status == 400) reply.status = 500;
           }},
      {.id = "no-challenge",
       .description = "Refuses without WWW-Authenticate",
       .breaks = {"authorization.failure-per-oauth",
                  "authorization.challenge-names-resource-metadata",
                  "authorization.scope-in-challenge"},
       .may_break = {"authorization.insufficient-scope-challenge"},
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             std::erase_if(reply.headers,
                           [](const Header& header) { return header.first == "WWW-Authenticate"; });
           }},
      {.id = "calls-without-challenge",
       .description = "Asks for a token when a tool is called, and not before, without a challenge",
       .breaks = {"authorization.failure-per-oauth",
                  "authorization.challenge-names-resource-metadata",
                  "authorization.scope-in-challenge"},
       .may_break = {"http.connections-authenticated"},
       .mishears =
           [](const Json& body, HttpHead& request) {
             if (method_of(body) != "tools/call" && !shows_token(request)) let_in(request);
           },
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status != kUnauthorizedStatus) return;
             std::erase_if(reply.headers,
                           [](const Header& header) { return header.first == "WWW-Authenticate"; });
           }},
      {.id = "basic-challenge",
       .description = "Asks for a password where it wants a token",
       .breaks = {"authorization.failure-per-oauth",
                  "authorization.challenge-names-resource-metadata",
                  "authorization.scope-in-challenge"},
       .may_break = {"authorization.insufficient-scope-challenge"},
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             change_challenge(reply,
                              [](wire::Challenge& challenge) { challenge.scheme = "Basic"; });
           }},
      {.id = "challenge-without-place",
       .description = "Does not say in WWW-Authenticate where the resource metadata are",
       .breaks = {"authorization.challenge-names-resource-metadata"},
       .concerns = &Revision::needs_metadata_in_challenge,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             change_challenge(reply, [](wire::Challenge& challenge) {
               leave_out(challenge, "resource_metadata");
             });
           }},
      {.id = "challenge-without-scope",
       .description = "Does not say in WWW-Authenticate which scope it wants",
       .breaks = {"authorization.scope-in-challenge"},
       .may_break = {"authorization.insufficient-scope-scopes"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             change_challenge(reply,
                              [](wire::Challenge& challenge) { leave_out(challenge, "scope"); });
           }},
      {.id = "challenge-for-offline-access",
       .description = "Asks for offline_access in WWW-Authenticate",
       .breaks = {"authorization.offline-access-not-in-challenge"},
       .concerns = &Revision::is_stateless,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             change_challenge(reply, [](wire::Challenge& challenge) {
               leave_out(challenge, "scope");
               challenge.parameters.emplace_back("scope", "mcp:use offline_access");
             });
           }},
  };
}

// --- Where tokens are to be had ---

std::vector<Fault> metadata_faults() {
  return {
      {.id = "no-metadata",
       .description = "Has no resource metadata, where it says that they are or elsewhere",
       .breaks = {"authorization.resource-metadata-implemented",
                  "authorization.resource-metadata-discoverable"},
       .may_break = {"authorization.insufficient-scope-metadata"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (is_resource_metadata(request, reply)) reply = {404, {}, "", nullptr};
           }},
      {.id = "metadata-as-page",
       .description = "Answers with a page where the resource metadata should be",
       .breaks = {"authorization.resource-metadata-implemented",
                  "authorization.resource-metadata-discoverable"},
       .may_break = {"authorization.insufficient-scope-metadata"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (!is_resource_metadata(request, reply)) return;
             reply = {200, {{"Content-Type", "text/html"}}, "<h1>Welcome</h1>", nullptr};
           }},
      {.id = "metadata-without-resource",
       .description = "Does not name the resource in its metadata",
       .breaks = {"authorization.resource-metadata-implemented"},
       .may_break = {"authorization.insufficient-scope-metadata"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) { document.erase("resource"); });
           }},
      {.id = "metadata-of-another-path",
       .description = "Names another path of its own as the resource",
       .breaks = {"authorization.resource-metadata-implemented"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) {
               document["resource"] = document["resource"].get<std::string>() + "-of-old";
             });
           }},
      {.id = "metadata-without-scheme",
       .description = "Names the resource without https",
       .breaks = {"authorization.resource-metadata-implemented"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply,
                             [](Json& document) { document["resource"] = "mcp.example.com"; });
           }},
      {.id = "metadata-with-fragment",
       .description = "Names the resource with a fragment",
       .breaks = {"authorization.resource-metadata-implemented"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) {
               document["resource"] = document["resource"].get<std::string>() + "#tools";
             });
           }},
      {.id = "metadata-with-slash",
       .description = "Names its origin as the resource, with a slash at the end",
       .breaks = {"authorization.no-trailing-slash"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) {
               const std::string resource = document["resource"].get<std::string>();
               document["resource"] = resource.substr(0, resource.rfind('/') + 1);
             });
           }},
      {.id = "metadata-without-servers",
       .description = "Names no authorization server in its metadata",
       .breaks = {"authorization.authorization-servers-listed"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply,
                             [](Json& document) { document.erase("authorization_servers"); });
           }},
      {.id = "metadata-with-empty-list",
       .description = "Has an empty list of authorization servers in its metadata",
       .breaks = {"authorization.authorization-servers-listed"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) {
               document["authorization_servers"] = Json::array();
             });
           }},
      {.id = "metadata-with-offline-access",
       .description = "Lists offline_access among the scopes of its metadata",
       .breaks = {"authorization.offline-access-not-in-metadata"},
       .concerns = &Revision::is_stateless,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             change_metadata(request, reply, [](Json& document) {
               document["scopes_supported"].push_back("offline_access");
             });
           }},
  };
}

}  // namespace

transport::HttpProtection protection_of_reference() {
  transport::HttpProtection protection;
  const std::string wide = "tools:text";
  protection.tokens = {{std::string(kReferenceToken), {protection.scope, wide}, "alice"},
                       {std::string(kOtherUsersToken), {protection.scope, wide}, "bob"},
                       {std::string(kNarrowToken), {protection.scope}, "alice"}};
  protection.tool_scopes = {{std::string(kScopedTool), wide}};
  // Nobody's: who gives the tokens is no concern of the server's.
  protection.authorization_servers = {"https://authorization.assay.invalid"};
  return protection;
}

transport::HttpProtection protection_by(std::shared_ptr<transport::TokenReader> reader,
                                        const std::string& authorization_server,
                                        std::shared_ptr<transport::ProofReader> proofs) {
  transport::HttpProtection protection = protection_of_reference();
  protection.tokens.clear();
  protection.reader = std::move(reader);
  protection.proofs = std::move(proofs);
  protection.authorization_servers = {authorization_server};
  return protection;
}

std::vector<Fault> authorization_faults() {
  std::vector<Fault> faults;
  for (const auto table : {admission_faults, near_token_faults, refusal_faults, challenge_faults,
                           metadata_faults, token_place_faults, further_place_faults, door_faults,
                           resource_metadata_faults, scope_faults, user_faults, signed_token_faults,
                           proof_faults, upstream_faults, own_office_faults}) {
    for (Fault& fault : table()) {
      fault.needs_protection = true;
      fault.seen_over = SeenOver::kHttpOnly;
      if (fault.concerns == nullptr) {
        const bool is_of_metadata = table == metadata_faults || table == resource_metadata_faults;
        fault.concerns =
            is_of_metadata ? &Revision::has_resource_metadata : &Revision::has_authorization;
      }
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

}  // namespace assay::server
