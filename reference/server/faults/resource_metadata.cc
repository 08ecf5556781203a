// Faults of a server in the metadata of its resource, and in where its challenge says that they
// are. Specification: basic/authorization, "Authorization Server Location"; RFC 9728, sections 2,
// 3.2 and 5.1.
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using transport::HttpHead;
using transport::HttpReply;

constexpr std::string_view kImplemented = "authorization.resource-metadata-implemented";
constexpr std::string_view kListed = "authorization.authorization-servers-listed";

// `Spoil`: what is done to the document.
template <auto Spoil>
void spoil_metadata(const HttpHead& request, std::string_view, HttpReply& reply) {
  if (!is_resource_metadata(request, reply)) return;
  Json document = Json::parse(reply.body);
  Spoil(document);
  reply.body = document.dump();
}

void set_servers(Json& document, const std::string& beyond) {
  for (Json& each : document["authorization_servers"]) each = each.get<std::string>() + beyond;
}

void set_place(HttpReply& reply, const std::string& place) {
  change_challenge(reply, [&](wire::Challenge& challenge) {
    leave_out(challenge, "resource_metadata");
    challenge.parameters.emplace_back("resource_metadata", place);
  });
}

std::string own_origin(const HttpHead& request) {
  return "http://" +
         std::string(transport::find_header(request.headers, "Host").value_or("localhost"));
}

Fault in_document(std::string_view id, std::string_view description,
                  void (*reply)(const HttpHead&, std::string_view, HttpReply&),
                  std::string_view rule = kImplemented) {
  // The refusal for want of a scope leads to the same document.
  return {.id = id,
          .description = description,
          .breaks = {rule},
          .may_break = {"authorization.insufficient-scope-metadata"},
          .reply = reply};
}

std::vector<Fault> document_faults() {
  return {
      in_document("metadata-as-text", "Says that its resource metadata are plain text",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (!is_resource_metadata(request, reply)) return;
                    reply.headers = {{"Content-Type", "text/plain"}};
                  }),
      in_document("metadata-created", "Answers with its resource metadata and status 201",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (is_resource_metadata(request, reply)) reply.status = 201;
                  }),
      in_document("metadata-scopes-in-one-text", "Writes scopes_supported as one text",
                  spoil_metadata<[](Json& document) {
                    document["scopes_supported"] = "mcp:use tools:text";
                  }>),
      in_document("metadata-scopes-in-one-member", "Writes all its scopes as one of a list",
                  spoil_metadata<[](Json& document) {
                    document["scopes_supported"] = Json::array({"mcp:use tools:text"});
                  }>),
      in_document("metadata-scopes-as-objects", "Describes its scopes in scopes_supported",
                  spoil_metadata<[](Json& document) {
                    for (Json& scope : document["scopes_supported"]) scope = {{"name", scope}};
                  }>),
      in_document(
          "metadata-methods-in-one-text", "Writes bearer_methods_supported as a text",
          spoil_metadata<[](Json& document) { document["bearer_methods_supported"] = "header"; }>),
      in_document("metadata-name-as-number", "Has a number as its resource_name",
                  spoil_metadata<[](Json& document) { document["resource_name"] = 7; }>),
      in_document("metadata-without-header-method",
                  "Says that it takes tokens in queries alone, and takes them in the header",
                  spoil_metadata<[](Json& document) {
                    document["bearer_methods_supported"] = Json::array({"query"});
                  }>),
      in_document("metadata-with-odd-method", "Names the scheme in place of a method",
                  spoil_metadata<[](Json& document) {
                    document["bearer_methods_supported"] = Json::array({"Bearer"});
                  }>),
      in_document(
          "metadata-with-unsigned", "Says that its signatures may be none",
          spoil_metadata<[](Json& document) {
            document["resource_signing_alg_values_supported"] = Json::array({"RS256", "none"});
          }>),
      in_document("metadata-keys-by-path", "Says by a path alone where its keys are",
                  spoil_metadata<[](Json& document) { document["jwks_uri"] = "/jwks.json"; }>),
      in_document(
          "metadata-without-scopes", "Lists no scope in scopes_supported",
          spoil_metadata<[](Json& document) { document["scopes_supported"] = Json::array(); }>),
      in_document(
          "metadata-policy-by-name", "Names its policy, and does not say where it is",
          spoil_metadata<[](Json& document) { document["resource_policy_uri"] = "our policy"; }>),
      {.id = "metadata-within-another",
       .description = "Wraps its resource metadata in a member of its own",
       .breaks = {kImplemented, kListed},
       .may_break = {"authorization.insufficient-scope-metadata"},
       .reply = spoil_metadata<[](Json& document) {
         document = Json{{"data", document}};
       }>},
      in_document("servers-by-their-documents",
                  "Lists the URLs of metadata documents as authorization servers",
                  spoil_metadata<[](Json& document) {
                    set_servers(document, "/.well-known/oauth-authorization-server");
                  }>,
                  kListed),
      in_document("servers-by-openid-documents",
                  "Lists the URLs of OpenID Connect documents as authorization servers",
                  spoil_metadata<[](Json& document) {
                    set_servers(document, "/.well-known/openid-configuration");
                  }>,
                  kListed),
      in_document("servers-by-name", "Lists names for authorization servers, and not issuers",
                  spoil_metadata<[](Json& document) {
                    document["authorization_servers"] = Json::array({"Example Login"});
                  }>,
                  kListed),
      in_document("servers-with-query", "Lists an issuer with a query",
                  spoil_metadata<[](Json& document) { set_servers(document, "?tenant=1"); }>,
                  kListed),
      in_document("servers-with-fragment", "Lists an issuer with a fragment",
                  spoil_metadata<[](Json& document) { set_servers(document, "#login"); }>, kListed),
      {.id = "metadata-of-another-host",
       .description = "Names a resource whose tokens it does not take",
       .breaks = {kImplemented},
       .reply = spoil_metadata<[](Json& document) {
         document["resource"] = "https://mcp-of-old.assay.invalid/mcp";
       }>,
       .needs_signed_tokens = true},
      {.id = "metadata-behind-token",
       .description = "Asks for a token where its resource metadata are",
       .breaks = {kImplemented, "authorization.resource-metadata-discoverable"},
       .may_break = {"authorization.insufficient-scope-metadata"},
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (is_resource_metadata(request, reply) && !credentials_of(request)) refuse(reply);
           }},
  };
}

std::vector<Fault> place_faults() {
  return {
      in_document("place-without-host", "Says by a path alone where its resource metadata are",
                  [](const HttpHead&, std::string_view, HttpReply& reply) {
                    set_place(reply, std::string(transport::kResourceMetadataPath) + "/mcp");
                  }),
      in_document("place-of-nothing", "Says that its resource metadata are where nothing is",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    set_place(reply, own_origin(request) +
                                         std::string(transport::kResourceMetadataPath) + "/api");
                  }),
      in_document("place-of-endpoint", "Gives its own URL as that of its resource metadata",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    set_place(reply, own_origin(request) + "/mcp");
                  }),
      in_document(
          "place-of-authorization-server",
          "Gives the URL of its authorization server as that of its resource metadata",
          [](const HttpHead& request, std::string_view, HttpReply& reply) {
            constexpr std::string_view kPlace = "/.well-known/oauth-authorization-server";
            if (request.target == kPlace) {
              const Json document = {{"issuer", own_origin(request)},
                                     {"token_endpoint", own_origin(request) + "/token"}};
              reply = {200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
            }
            set_place(reply, own_origin(request) + std::string(kPlace));
          }),
  };
}

}  // namespace

std::vector<Fault> resource_metadata_faults() {
  std::vector<Fault> faults = document_faults();
  for (Fault& fault : place_faults()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::server
