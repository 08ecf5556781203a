// Faults of a server that is its own authorization server, as 2025-03-26 has it. Specification:
// basic/authorization (2025-03-26).
#include <string>
#include <string_view>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/wire/form.h"

namespace assay::server {
namespace {

using transport::HttpHead;
using transport::HttpReply;

constexpr std::string_view kOfficeMetadata = "/.well-known/oauth-authorization-server";
constexpr const char* kNoSuchPlace = "/nowhere";

void redirect_as_asked(const HttpHead& request, HttpReply& reply, wire::Form response) {
  const wire::Form asked = wire::read_form(wire::query_in(request.target));
  response.emplace_back("state", wire::form_value(asked, "state").value_or(""));
  reply = {302,
           {{"Location", wire::form_value(asked, "redirect_uri").value_or("") + "?" +
                             wire::write_form(response)}},
           "",
           nullptr};
}

HttpReply not_found() {
  return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
}

// In the metadata; null: not at all.
void name_registration(const HttpHead& request, HttpReply& reply, const Json& endpoint) {
  if (request.target != kOfficeMetadata || reply.status != 200) return;
  Json document = Json::parse(reply.body);
  document.erase("registration_endpoint");
  if (!endpoint.is_null()) document["registration_endpoint"] = endpoint;
  reply.body = document.dump();
}

bool is_authorization_request(const HttpHead& request) {
  return wire::path_in(request.target) == "/authorize";
}

// Metadata of the resource by RFC 9728, which say that the server is its own authorization server.
void name_own_origin(const HttpHead& request, std::string_view, HttpReply& reply) {
  if (!request.target.starts_with(transport::kResourceMetadataPath)) return;
  const std::string origin =
      "http://" + std::string(transport::find_header(request.headers, "Host").value_or(""));
  const Json document = {{"resource", origin + "/mcp"},
                         {"authorization_servers", Json::array({origin})}};
  reply = {200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
}

// Gives a token for each code that is asked for in this way, and was refused.
void give_token(HttpReply& reply) {
  const Json tokens = {{"access_token", "token-for-any-code"}, {"token_type", "Bearer"}};
  reply = {200, {{"Content-Type", "application/json"}}, tokens.dump(), nullptr};
}

template <bool kShowsVerifier>
void overlook_verifier(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (wire::path_in(request.target) != "/token" || reply.status != 400) return;
  const wire::Form form = wire::read_form(body);
  // A trial of the endpoint says no more than a code.
  const bool is_of_code = wire::form_value(form, "grant_type") == "authorization_code" &&
                          wire::form_value(form, "redirect_uri").has_value();
  const bool shows_verifier = wire::form_value(form, "code_verifier").has_value();
  if (is_of_code && shows_verifier == kShowsVerifier) give_token(reply);
}

}  // namespace

std::vector<Fault> own_office_faults() {
  std::vector<Fault> faults = {
      {.id = "own-metadata-below-path",
       .description = "Has its metadata as an authorization server below the path of its endpoint",
       .breaks = {"authorization.metadata-at-base-url"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const bool is_below = request.target == std::string(kOfficeMetadata) + "/mcp";
             if (request.target == kOfficeMetadata) request.target = kNoSuchPlace;
             if (is_below) request.target = kOfficeMetadata;
           }},
      {.id = "own-metadata-beside-resource",
       .description = "Has them there, and metadata of its resource that name itself beside them",
       .breaks = {"authorization.metadata-at-base-url"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const bool is_below = request.target == std::string(kOfficeMetadata) + "/mcp";
             if (request.target == kOfficeMetadata) request.target = kNoSuchPlace;
             if (is_below) request.target = kOfficeMetadata;
           },
       .reply = name_own_origin},
      {.id = "own-open-redirect-beside-resource",
       .description = "Sends codes anywhere, and has metadata of its resource that name itself",
       .breaks = {"authorization.server-validates-redirects"},
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             name_own_origin(request, body, reply);
             if (is_authorization_request(request) && reply.status == 400) {
               redirect_as_asked(request, reply, {{"code", "code-for-anybody"}});
             }
           }},
      {.id = "own-token-endpoint-elsewhere",
       .description = "Has no metadata, and its token endpoint at no default path",
       .breaks = {"authorization.server-without-metadata-uses-default-paths"},
       .mishears =
           [](const Json&, HttpHead& request) {
             const bool is_hidden =
                 request.target == kOfficeMetadata || wire::path_in(request.target) == "/token";
             if (is_hidden) request.target = kNoSuchPlace;
           }},
      {.id = "own-no-metadata",
       .description =
           "Has no metadata as an authorization server, and its endpoints at the default "
           "paths",
       .breaks = {"authorization.server-metadata-served"},
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.target == kOfficeMetadata) request.target = kNoSuchPlace;
           }},
      {.id = "own-no-registration",
       .description = "Lets no client register",
       .breaks = {"authorization.dynamic-registration-server"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (wire::path_in(request.target) == "/register") reply = not_found();
             name_registration(request, reply, nullptr);
           }},
      {.id = "own-registration-nowhere",
       .description = "Names a registration endpoint where nothing is",
       .breaks = {"authorization.dynamic-registration-server"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (wire::path_in(request.target) == "/register") reply = not_found();
           }},
      {.id = "own-refresh-token-kept",
       .description = "Takes a refresh token as often as it is shown, and gives no other",
       .breaks = {"authorization.token-rotation"},
       .reply =
           [](const HttpHead& request, std::string_view body, HttpReply& reply) {
             const wire::Form form = wire::read_form(std::string(body));
             const bool is_renewal = wire::path_in(request.target) == "/token" &&
                                     wire::form_value(form, "grant_type") == "refresh_token";
             if (!is_renewal) return;
             Json tokens = {{"access_token", "token-of-another-renewal"}, {"token_type", "Bearer"}};
             if (reply.status == 200) tokens = Json::parse(reply.body);
             tokens.erase("refresh_token");
             reply = {200, {{"Content-Type", "application/json"}}, tokens.dump(), nullptr};
           }},
      {.id = "own-endpoints-without-https",
       .description = "Has its token endpoint on another machine, without https",
       .breaks = {"authorization.endpoints-over-https"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.target != kOfficeMetadata || reply.status != 200) return;
             Json document = Json::parse(reply.body);
             document["token_endpoint"] = "http://authorization.assay.invalid/token";
             reply.body = document.dump();
           }},
      {.id = "own-open-redirect",
       .description = "Sends codes to whatever redirect URI it is told",
       .breaks = {"authorization.server-validates-redirects"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (is_authorization_request(request) && reply.status == 400) {
               redirect_as_asked(request, reply, {{"code", "code-for-anybody"}});
             }
           }},
      {.id = "own-any-verifier",
       .description = "Gives a token for any code_verifier",
       .breaks = {"authorization.oauth21-implemented"},
       .reply = overlook_verifier<true>},
      {.id = "own-no-verifier",
       .description = "Gives a token for a code without the code_verifier of its challenge",
       .breaks = {"authorization.oauth21-implemented"},
       .reply = overlook_verifier<false>},
      {.id = "own-code-without-challenge",
       .description = "Gives codes to public clients that show no code_challenge",
       .breaks = {"authorization.oauth21-implemented"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             const bool has_challenge = request.target.find("code_challenge=") != std::string::npos;
             if (is_authorization_request(request) && reply.status == 302 && !has_challenge) {
               redirect_as_asked(request, reply, {{"code", "code-without-a-challenge"}});
             }
           }},
  };
  for (Fault& fault : faults) {
    fault.needs_office = true;
    fault.concerns = &model::Revision::has_own_authorization_server;
  }
  return faults;
}

}  // namespace assay::server
