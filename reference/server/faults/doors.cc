// Faults of a server in how it receives who shows no token, or a wrong one: in a form that is no
// refusal of OAuth's, or in a manner of its own. Specification: basic/authorization, "Error
// Handling", "Token Handling", "Authorization Server Location".
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using transport::HttpHead;
using transport::HttpReply;

// --- Forms of a refusal ---

using Form = void (*)(std::string_view body, HttpReply& reply);

void as_error(std::string_view body, HttpReply& reply) {
  const Json request = Json::parse(body, nullptr, false);
  const Json error = {{"jsonrpc", "2.0"},
                      {"id", request.is_object() ? request.value("id", Json()) : Json()},
                      {"error", {{"code", -32001}, {"message", "Log in first"}}}};
  reply = {200, {{"Content-Type", "application/json"}}, error.dump(), nullptr};
}

void as_failed_result(std::string_view body, HttpReply& reply) {
  const Json request = Json::parse(body, nullptr, false);
  const Json text = {{"type", "text"}, {"text", "Log in first"}};
  const Json result = {
      {"jsonrpc", "2.0"},
      {"id", request.is_object() ? request.value("id", Json()) : Json()},
      {"result",
       {{"isError", true}, {"resultType", "complete"}, {"content", Json::array({text})}}}};
  reply = {200, {{"Content-Type", "application/json"}}, result.dump(), nullptr};
}

void as_redirect(std::string_view, HttpReply& reply) {
  reply = {302, {{"Location", "/login"}}, "", nullptr};
}

void as_page(std::string_view, HttpReply& reply) {
  reply = {200, {{"Content-Type", "text/html"}}, "<h1>Log in</h1>", nullptr};
}

template <int Status>
void as_status(std::string_view, HttpReply& reply) {
  reply = {Status, {{"Content-Type", "text/plain"}}, "No", nullptr};
}

void without_challenge(std::string_view, HttpReply& reply) {
  std::erase_if(reply.headers, [](const auto& field) { return field.first == "WWW-Authenticate"; });
}

template <Form Says>
void to_missing(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (is_refusal_of_token(reply) && !credentials_of(request)) Says(body, reply);
}

template <Form Says>
void to_wrong(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (is_refusal_of_token(reply) && credentials_of(request)) Says(body, reply);
}

template <Form Says>
void to_calls(const HttpHead& request, std::string_view body, HttpReply& reply) {
  const bool is_call = method_of(Json::parse(body, nullptr, false)) == "tools/call";
  if (is_call) to_missing<Says>(request, body, reply);
}

// The same of a server that nothing else tells to go by the specification: it has no metadata, and
// says nothing of them. That it takes tokens of the authorization server that it was told of is all
// that is known.
template <Form Says>
void in_own_manner(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (request.target.starts_with(transport::kResourceMetadataPath)) {
    reply = {404, {}, "", nullptr};
  } else if (is_refusal_of_token(reply)) {
    Says(body, reply);
  }
}

// Refusals that are no errors of HTTP break rules of the transport as well.
std::vector<std::string_view> also_of_transport() {
  return {"http.accepted-202",        "http.get-answer",     "http.not-accepted-error-status",
          "http.request-answer-type", "jsonrpc.response-id", "jsonrpc.error-response-id",
          "meta.server-info"};
}

std::vector<Fault> refusal_form_faults() {
  return {
      {.id = "missing-token-as-error",
       .description = "Refuses requests without a token with 200, and an error of JSON-RPC",
       .breaks = {"authorization.unauthenticated-401"},
       .may_break = also_of_transport(),
       .reply = to_missing<as_error>},
      {.id = "missing-token-redirect",
       .description = "Redirects requests without a token to a login page",
       .breaks = {"authorization.unauthenticated-401"},
       .may_break = also_of_transport(),
       .reply = to_missing<as_redirect>},
      {.id = "missing-token-as-page",
       .description = "Answers requests without a token with a login page",
       // Of one answer the rule of the transport may be reported in place of the other.
       .breaks = {"authorization.unauthenticated-401", "http.request-answer-type"},
       .may_break = {"http.accepted-202", "http.get-answer", "http.not-accepted-error-status",
                     "jsonrpc.response-id", "jsonrpc.error-response-id", "meta.server-info"},
       .reply = to_missing<as_page>},
      {.id = "missing-token-404",
       .description = "Answers a request without a token with 404",
       .breaks = {"authorization.unauthenticated-401"},
       .reply = to_missing<as_status<404>>},
      {.id = "missing-token-500",
       .description = "Fails where a request shows no token",
       .breaks = {"authorization.unauthenticated-401"},
       .reply = to_missing<as_status<500>>},
      {.id = "missing-token-failed-call",
       .description = "Answers a call without a token with a result that says isError",
       .breaks = {"authorization.unauthenticated-401"},
       .may_break = also_of_transport(),
       .reply = to_calls<as_failed_result>},
      {.id = "wrong-token-as-error",
       .description = "Refuses a wrong token with 200, and an error of JSON-RPC",
       .breaks = {"authorization.invalid-token-401"},
       .may_break = also_of_transport(),
       .reply = to_wrong<as_error>},
      {.id = "wrong-token-redirect",
       .description = "Redirects requests with a wrong token to a login page",
       .breaks = {"authorization.invalid-token-401"},
       .may_break = also_of_transport(),
       .reply = to_wrong<as_redirect>},
      {.id = "wrong-token-500",
       .description = "Fails where it cannot read a token",
       .breaks = {"authorization.invalid-token-401"},
       .reply = to_wrong<as_status<500>>},
      {.id = "wrong-token-without-challenge",
       .description = "Refuses a wrong token without WWW-Authenticate",
       .breaks = {"authorization.failure-per-oauth"},
       .reply = to_wrong<without_challenge>},
  };
}

std::vector<Fault> manner_faults() {
  const std::vector<std::string_view> no_metadata = {
      "authorization.resource-metadata-implemented",
      "authorization.resource-metadata-discoverable"};
  const auto and_these = [&](std::vector<std::string_view> rules) {
    rules.insert(rules.end(), no_metadata.begin(), no_metadata.end());
    return rules;
  };
  return {
      {.id = "door-without-challenge",
       .description = "Says 401 and no more: no challenge, and no metadata",
       .breaks = and_these({"authorization.failure-per-oauth",
                            "authorization.challenge-names-resource-metadata",
                            "authorization.scope-in-challenge"}),
       // Who asks for tokens and has no metadata may be its own authorization server.
       .may_break = {"authorization.server-metadata-served",
                     "authorization.dynamic-registration-server",
                     "authorization.insufficient-scope-metadata"},
       .reply = in_own_manner<without_challenge>,
       .needs_signed_tokens = true},
      {.id = "door-403",
       .description = "Says 403 and no more: no challenge, and no metadata",
       .breaks =
           and_these({"authorization.unauthenticated-401", "authorization.invalid-token-401"}),
       .reply = in_own_manner<as_status<403>>,
       .needs_signed_tokens = true},
      {.id = "door-as-error",
       .description = "Refuses everything with 200 and an error of JSON-RPC, and has no metadata",
       .breaks =
           and_these({"authorization.unauthenticated-401", "authorization.invalid-token-401"}),
       .may_break = also_of_transport(),
       .reply = in_own_manner<as_error>,
       .needs_signed_tokens = true},
      {.id = "door-to-login",
       .description = "Sends everybody to a page for logging in, and has no metadata",
       .breaks =
           and_these({"authorization.unauthenticated-401", "authorization.invalid-token-401"}),
       .may_break = also_of_transport(),
       .reply = in_own_manner<as_redirect>,
       .needs_signed_tokens = true},
      {.id = "door-as-page",
       .description = "Answers everybody with a page for logging in, and has no metadata",
       .breaks =
           and_these({"authorization.unauthenticated-401", "authorization.invalid-token-401"}),
       .may_break = also_of_transport(),
       .reply = in_own_manner<as_page>,
       .needs_signed_tokens = true},
  };
}

}  // namespace

std::vector<Fault> door_faults() {
  std::vector<Fault> faults = refusal_form_faults();
  for (Fault& fault : manner_faults()) {
    // Refusals for want of a scope lead to metadata that are not there.
    fault.may_break.push_back("authorization.insufficient-scope-metadata");
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace assay::server
