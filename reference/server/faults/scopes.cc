// Faults of a server in what it takes a token for: its scopes, its audience, its time.
// Specification: basic/authorization, "Error Handling", "Token Handling".
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/server/call.h"
#include "reference/server/faults/fault.h"
#include "reference/server/faults/tokens.h"
#include "reference/transport/http_protection.h"
#include "reference/wire/pkce.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::HttpHead;
using transport::HttpReply;

constexpr int kNoPermission = 403;

// A foreign Origin is refused with 403 as well, and with no challenge.
bool refuses_scope(const HttpReply& reply) {
  return reply.status == kNoPermission &&
         transport::find_header(reply.headers, "WWW-Authenticate").has_value();
}

template <int Status>
void refuse_scope_with(const HttpHead&, std::string_view, HttpReply& reply) {
  if (refuses_scope(reply)) reply.status = Status;
}

// In the place of 403: a result of HTTP that holds an error of JSON-RPC.
void refuse_scope_within(const HttpHead&, std::string_view body, HttpReply& reply) {
  if (!refuses_scope(reply)) return;
  const Json request = Json::parse(body, nullptr, false);
  const Json error = {{"jsonrpc", "2.0"},
                      {"id", request.is_object() ? request.value("id", Json()) : Json()},
                      {"error", {{"code", -32000}, {"message", "The token lacks a scope"}}}};
  reply = {200, {{"Content-Type", "application/json"}}, error.dump(), nullptr};
}

template <typename Change>
void spoil_scope_challenge(HttpReply& reply, Change change) {
  if (refuses_scope(reply)) change_challenge(reply, change);
}

// A scope that calls of kScopedTool need besides, once a fault says so.
constexpr const char* kFurtherScope = "tools:further";

// By the claims of a signed token.
bool has_scope(const HttpHead& request, std::string_view scope) {
  const std::string shown = credentials_of(request).value_or("");
  const std::size_t begin = shown.find('.');
  const std::size_t end = shown.rfind('.');
  if (begin == std::string::npos || begin == end) return false;
  const auto claims = wire::decode_base64url(shown.substr(begin + 1, end - begin - 1));
  return claims && claims->find(scope) != std::string::npos;
}

bool is_scoped_call(std::string_view body) {
  const Json call = Json::parse(body, nullptr, false);
  return method_of(call) == "tools/call" && call.contains("params") && call["params"].is_object() &&
         call["params"].value("name", Json()) == Json(std::string(kScopedTool));
}

void ask_for_scopes(const HttpHead& request, HttpReply& reply, const std::string& scopes) {
  wire::Challenge challenge;
  challenge.scheme = "Bearer";
  const std::string host(transport::find_header(request.headers, "Host").value_or("localhost"));
  challenge.parameters = {
      {"error", "insufficient_scope"},
      {"resource_metadata",
       "http://" + host + std::string(transport::kResourceMetadataPath) + request.target},
      {"scope", scopes}};
  reply = {kNoPermission, {{"WWW-Authenticate", wire::write_challenge(challenge)}}, "", nullptr};
}

// Who lacks the further scope alone is told only then that it is needed.
void ask_for_further_scope(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (!is_scoped_call(body) || reply.status != 200 || has_scope(request, kFurtherScope)) return;
  ask_for_scopes(request, reply, std::string("mcp:use tools:text ") + kFurtherScope);
}

void ask_for_listed_scope(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (!is_resource_metadata(request, reply)) return ask_for_further_scope(request, body, reply);
  Json document = Json::parse(reply.body);
  document["scopes_supported"].push_back(kFurtherScope);
  reply.body = document.dump();
}

void set_scope(wire::Challenge& challenge, const std::string& scope) {
  leave_out(challenge, "scope");
  challenge.parameters.emplace_back("scope", scope);
}

Fault near_scope(std::string_view id, std::string_view description, transport::TokenDuty duty) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.insufficient-permission-403"},
          .overlooks = duty};
}

std::vector<Fault> narrow_token_faults() {
  return {
      {.id = "narrow-token-401",
       .description = "Answers a token that lacks a scope with 401",
       .breaks = {"authorization.insufficient-permission-403",
                  "authorization.insufficient-scope-403"},
       .reply = refuse_scope_with<401>},
      {.id = "narrow-token-400",
       .description = "Answers a token that lacks a scope with 400",
       .breaks = {"authorization.insufficient-permission-403",
                  "authorization.insufficient-scope-403"},
       .reply = refuse_scope_with<400>},
      {.id = "narrow-token-as-error",
       .description = "Answers a token that lacks a scope with 200, and an error of JSON-RPC",
       .breaks = {"authorization.insufficient-permission-403",
                  "authorization.insufficient-scope-403"},
       .reply = refuse_scope_within},
      {.id = "narrow-token-no-challenge",
       .description = "Sends no WWW-Authenticate along with 403",
       .breaks = {"authorization.insufficient-scope-challenge"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (!refuses_scope(reply)) return;
             std::erase_if(reply.headers,
                           [](const auto& header) { return header.first == "WWW-Authenticate"; });
           }},
      {.id = "narrow-token-basic-challenge",
       .description = "Asks for a password where a token lacks a scope",
       .breaks = {"authorization.insufficient-scope-challenge"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             spoil_scope_challenge(reply,
                                   [](wire::Challenge& challenge) { challenge.scheme = "Basic"; });
           }},
      {.id = "narrow-token-other-error",
       .description = "Says that a token is invalid that only lacks a scope",
       .breaks = {"authorization.insufficient-scope-error"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             spoil_scope_challenge(reply, [](wire::Challenge& challenge) {
               leave_out(challenge, "error");
               challenge.parameters.emplace_back("error", "invalid_token");
             });
           }},
      {.id = "narrow-token-without-scope",
       .description = "Does not say which scope a token lacks",
       .breaks = {"authorization.insufficient-scope-scopes"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             spoil_scope_challenge(
                 reply, [](wire::Challenge& challenge) { leave_out(challenge, "scope"); });
           }},
      {.id = "narrow-token-without-place",
       .description = "Does not say where the resource metadata are when a token lacks a scope",
       .breaks = {"authorization.insufficient-scope-metadata"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             spoil_scope_challenge(reply, [](wire::Challenge& challenge) {
               leave_out(challenge, "resource_metadata");
             });
           }},
      {.id = "narrow-token-scope-by-scope",
       .description = "Names one of the scopes that a token lacks, and then the next",
       .breaks = {"authorization.needed-scopes-included", "authorization.all-scopes-at-once"},
       .may_break = {"authorization.insufficient-permission-403"},
       .concerns = &Revision::has_scope_challenges,
       .reply = ask_for_listed_scope,
       .needs_signed_tokens = true},
      {.id = "narrow-token-unlisted-scope-by-scope",
       .description = "Names one scope that a token lacks, and then one that its metadata lack",
       .breaks = {"authorization.needed-scopes-included", "authorization.all-scopes-at-once"},
       // It reads the further scope wherever it is part of a word.
       .may_break = {"authorization.insufficient-permission-403"},
       .concerns = &Revision::has_scope_challenges,
       .reply = ask_for_further_scope,
       .needs_signed_tokens = true},
      {.id = "narrow-token-held-scope",
       .description = "Asks for a scope that the token has, and not for the one that it lacks",
       .breaks = {"authorization.needed-scopes-included", "authorization.all-scopes-at-once"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             if (!is_scoped_call(body)) return;
             spoil_scope_challenge(
                 reply, [](wire::Challenge& challenge) { set_scope(challenge, "mcp:use"); });
           },
       .needs_signed_tokens = true},
      {.id = "broad-token-403",
       .description = "Takes no broader scope for a narrower one that it includes",
       .breaks = {"authorization.scope-hierarchy"},
       .concerns = &Revision::is_stateless,
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             const bool is_narrow = has_scope(request, "tools:text");
             if (!is_scoped_call(body) || reply.status != 200 || is_narrow) return;
             ask_for_scopes(request, reply, "mcp:use tools:text");
           },
       .needs_signed_tokens = true},
      {.id = "session-has-scopes",
       .description = "Uses the scopes of the token that opened the session",
       .breaks = {"authorization.insufficient-permission-403"},
       .may_break = {"authorization.needed-scopes-included", "authorization.all-scopes-at-once"},
       .concerns = &Revision::has_protected_sessions,
       .neglects = transport::HttpDuty::kReadsScopesOfEachToken},
      {.id = "batched-call-without-scope",
       .description = "Looks at the scopes of a call, and not at those of a call in a batch",
       .breaks = {"authorization.insufficient-permission-403"},
       .concerns = &Revision::has_protected_batches,
       .mishears =
           [](const Json& body, HttpHead& request) {
             if (body.is_array() && shows(request, kNarrowToken)) {
               take_for(request, kReferenceToken);
             }
           }},
      near_scope("tool-scope-not-asked-for",
                 "Serves a tool to tokens without the scope that it says the tool needs",
                 transport::TokenDuty::kAsksForScopesOfTools),
      near_scope("scope-by-beginning", "Takes what begins like a scope for that scope",
                 transport::TokenDuty::kComparesScopesToTheirEnd),
      near_scope("scope-by-end", "Takes what ends like a scope for that scope",
                 transport::TokenDuty::kComparesScopesFromTheirBeginning),
      near_scope("scope-in-other-letters", "Takes a scope in upper case for the one in lower case",
                 transport::TokenDuty::kComparesCaseOfScopes),
      near_scope("scopes-between-commas", "Takes what stands between commas for a scope",
                 transport::TokenDuty::kPartsScopesAtBlanksOnly),
      {.id = "narrow-token-scopes-by-whim",
       .description = "Names a scope more in every other challenge to the same request",
       .breaks = {"authorization.scope-strategy-consistent"},
       .concerns = &Revision::has_scope_challenges,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             const Json request = Json::parse(body, nullptr, false);
             const Json id = request.is_object() ? request.value("id", Json()) : Json();
             if (!id.is_number_integer() || id.get<std::int64_t>() % 2 == 0) return;
             spoil_scope_challenge(reply, [](wire::Challenge& challenge) {
               const std::string named = challenge.parameter("scope").value_or("");
               set_scope(challenge, named + " tools:whim");
             });
           },
       .needs_signed_tokens = true},
  };
}

std::vector<Fault> refused_token_faults() {
  return {
      {.id = "foreign-token",
       .description = "Takes a token that was issued for another server",
       .breaks = {"authorization.audience-validated", "authorization.intended-tokens-only",
                  "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .may_break = {"authorization.token-validated", "authorization.invalid-token-401"},
       .concerns = &Revision::has_audiences,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (shows(request, kForeignToken)) take_for(request, kReferenceToken);
           }},
      {.id = "foreign-token-within-session",
       .description = "Looks for whom a token was issued when a client begins, and not later",
       .breaks = {"authorization.audience-validated", "authorization.intended-tokens-only",
                  "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .may_break = {"authorization.token-validated", "authorization.invalid-token-401"},
       .concerns = &Revision::has_audiences_in_sessions,
       .mishears =
           [](const Json& body, HttpHead& request) {
             const bool is_later = method_of(body) != "initialize";
             if (is_later && shows(request, kForeignToken)) take_for(request, kReferenceToken);
           }},
      {.id = "foreign-token-403",
       .description = "Answers a token that was issued for another server with 403",
       .breaks = {"authorization.invalid-token-401"},
       .concerns = &Revision::has_audiences,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (shows(request, kForeignToken) && reply.status == 401) reply.status = 403;
           }},
      {.id = "expired-token",
       .description = "Takes a token that has expired",
       .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                  "authorization.token-expiration"},
       .mishears =
           [](const Json&, HttpHead& request) {
             if (shows(request, kExpiredToken)) take_for(request, kReferenceToken);
           }},
      {.id = "expired-token-400",
       .description = "Answers a token that has expired with 400",
       .breaks = {"authorization.invalid-token-401"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (shows(request, kExpiredToken) && reply.status == 401) reply.status = 400;
           }},
  };
}

}  // namespace

std::vector<Fault> scope_faults() {
  std::vector<Fault> faults = narrow_token_faults();
  for (Fault& fault : refused_token_faults()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::server
