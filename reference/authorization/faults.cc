#include <algorithm>
#include <string>

#include "reference/authorization/fault.h"
#include "reference/wire/form.h"

namespace assay::authorization {
namespace {

using model::Revision;

constexpr std::string_view kMetadataServed = "authorization.authorization-server-metadata-served";
constexpr std::string_view kDiscoverable = "authorization.authorization-server-discoverable";
constexpr std::string_view kExact = "authorization.redirects-matched-exactly";
constexpr std::string_view kUntrusted = "authorization.untrusted-redirects-prevented";
constexpr std::string_view kTrustedOnly = "authorization.trusted-redirects-only";
constexpr std::string_view kDocumentRedirects =
    "authorization.client-id-document-redirects-checked";
constexpr std::string_view kIssuer = "authorization.issuer-in-response";
constexpr std::string_view kRotated = "authorization.refresh-tokens-rotated";

std::vector<Fault> metadata_faults() {
  return {
      {.id = "as-without-metadata",
       .description = "Serves no metadata anywhere",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil = [](Knobs& k) { k.has_oauth_metadata = k.has_openid_metadata = false; }},
      {.id = "as-of-another-issuer",
       .description = "Serves metadata of an issuer that has none",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil = [](Knobs& k) { k.said_issuer = k.sent_issuer.value_or("") + "/other"; }},
      {.id = "as-openid-without-pkce",
       .description = "Leaves code_challenge_methods_supported out of OpenID Connect Discovery",
       .breaks = {"authorization.pkce-advertised-openid"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool is_openid) {
               if (is_openid) json.erase("code_challenge_methods_supported");
             };
           }},
      {.id = "as-metadata-without-pkce",
       .description = "Leaves code_challenge_methods_supported out of its metadata by RFC 8414",
       .breaks = {kOauth21},
       .concerns = &Revision::has_pkce_in_metadata,
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool is_openid) {
               if (!is_openid) json.erase("code_challenge_methods_supported");
             };
           }},
      {.id = "as-plain-pkce-only",
       .description = "Supports no method of PKCE but plain",
       .breaks = {kOauth21},
       .concerns = &Revision::has_pkce_in_metadata,
       .spoil = [](Knobs& k) { k.challenge_methods = {"plain"}; }},
      {.id = "as-endpoint-without-tls",
       .description = "Has an endpoint elsewhere that is not https",
       .breaks = {"authorization.endpoints-over-https"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) {
               json["revocation_endpoint"] = "http://auth.assay.invalid/revoke";
             };
           }},
      {.id = "as-without-client-documents",
       .description = "Takes no Client ID Metadata Documents",
       .breaks = {"authorization.client-id-documents-authorization-server"},
       .spoil = [](Knobs& k) { k.takes_client_documents = false; }},
  };
}

bool is_for_path(const transport::HttpHead& request, std::string_view end) {
  return wire::path_in(request.target).ends_with(end);
}

std::vector<Fault> form_faults() {
  return {
      {.id = "as-metadata-as-page",
       .description = "Says that its metadata are a page",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil =
           [](Knobs& k) {
             k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
               if (request.target.starts_with("/.well-known/")) {
                 reply.headers = {{"Content-Type", "text/html"}};
               }
             };
           }},
      {.id = "as-metadata-without-response-types",
       .description = "Leaves response_types_supported out of its metadata",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) { json.erase("response_types_supported"); };
           }},
      {.id = "as-openid-empty-pkce",
       .description = "Names no method of PKCE in a list that OpenID Connect Discovery has",
       .breaks = {"authorization.pkce-advertised-openid"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool is_openid) {
               if (is_openid) json["code_challenge_methods_supported"] = Json::array();
             };
           }},
      {.id = "as-token-cacheable",
       .description = "Gives tokens without Cache-Control: no-store",
       .breaks = {kOauth21},
       .spoil =
           [](Knobs& k) {
             k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
               if (!is_for_path(request, "/token")) return;
               std::erase_if(reply.headers,
                             [](const auto& field) { return field.first == "Cache-Control"; });
             };
           }},
      {.id = "as-token-errors-200",
       .description = "Refuses token requests with 200",
       .breaks = {kOauth21},
       .spoil =
           [](Knobs& k) {
             k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
               if (is_for_path(request, "/token")) reply.status = 200;
             };
           }},
      {.id = "as-token-errors-unsaid",
       .description = "Refuses token requests, and does not say why",
       .breaks = {kOauth21},
       .spoil =
           [](Knobs& k) {
             k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
               if (is_for_path(request, "/token") && reply.status == 400) reply.body = "{}";
             };
           }},
  };
}

std::vector<Fault> binding_faults() {
  return {
      {.id = "as-challenge-as-verifier",
       .description = "Takes the code_challenge itself for the code_verifier",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.hashes_verifier = false; }},
      {.id = "as-code-twice",
       .description = "Gives a token for a code that had been exchanged before",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.takes_code_once = false; }},
      {.id = "as-code-of-any-client",
       .description = "Gives a client a token for the code of another one",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.knows_client_of_code = false; }},
      {.id = "as-refresh-token-of-any-client",
       .description = "Renews the tokens of another client",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.knows_client_of_refresh_token = false; }},
      {.id = "as-refresh-token-for-any-scope",
       .description = "Gives more scopes with a renewal than were granted",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.keeps_scopes = false; }},
      {.id = "as-redirect-in-any-case",
       .description = "Compares redirect URIs without case",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kInAnyCase; }},
      {.id = "as-redirect-on-same-host",
       .description = "Takes any path on the host of a registered redirect URI",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kOnSameHost; }},
      {.id = "as-redirect-to-localhost",
       .description = "Takes localhost for 127.0.0.1 in redirect URIs",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kOnThisMachine; }},
      {.id = "as-redirect-with-user",
       .description = "Overlooks what stands before an @ in redirect URIs",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kAsAnyUser; }},
      {.id = "as-document-types-unread",
       .description = "Takes a metadata document whose redirect_uris are no list, or an empty one",
       .breaks = {"authorization.client-id-document-structure-checked"},
       .spoil = [](Knobs& k) { k.conduct.checks_document_types = false; }},
  };
}

template <Conduct::Redirects How>
void compare_redirects(Knobs& k) {
  k.conduct.redirects = How;
}

std::vector<Fault> redirect_faults() {
  return {
      {.id = "as-redirect-without-query",
       .description = "Compares redirect URIs without their query",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kWithoutQuery>},
      {.id = "as-redirect-without-slash",
       .description = "Compares redirect URIs without a slash at their end",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kWithoutSlash>},
      {.id = "as-redirect-without-dots",
       .description = "Compares redirect URIs after it has resolved their dots",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kWithoutDots>},
      {.id = "as-redirect-with-numbers",
       .description = "Compares redirect URIs after it has decoded them",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kWithNumbers>},
      {.id = "as-redirect-in-any-scheme",
       .description = "Compares redirect URIs without their scheme",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kInAnyScheme>},
      {.id = "as-redirect-somewhere",
       .description = "Takes a redirect URI that has a registered one in it",
       .breaks = {kExact, kDocumentRedirects, kUntrusted, kTrustedOnly},
       .spoil = compare_redirects<Conduct::Redirects::kSomewhere>},
      {.id = "as-error-before-redirect",
       .description = "Sends who asks for an unknown response_type anywhere",
       .breaks = {kExact, kUntrusted, kTrustedOnly},
       .spoil = [](Knobs& k) { k.conduct.looks_at_redirect_before_type = false; }},
      {.id = "as-challenge-before-redirect",
       .description = "Sends who shows no code_challenge anywhere",
       .breaks = {kExact, kUntrusted, kTrustedOnly},
       .spoil = [](Knobs& k) { k.conduct.looks_at_redirect_before_challenge = false; }},
      {.id = "as-second-redirect",
       .description = "Looks at the first of two redirect URIs, and uses the last",
       .breaks = {kExact, kUntrusted, kTrustedOnly},
       .spoil = [](Knobs& k) { k.conduct.sends_where_it_looked = false; }},
  };
}

// Spoils what the token endpoint gives.
template <auto Spoil>
void spoil_tokens(Knobs& k) {
  k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
    if (!is_for_path(request, "/token") || reply.status != 200) return;
    Json json = Json::parse(reply.body, nullptr, false);
    Spoil(json);
    reply.body = json.dump();
  };
}

std::vector<Fault> response_faults() {
  return {
      {.id = "as-token-as-text",
       .description = "Says that its token responses are plain text",
       .breaks = {kOauth21},
       .spoil =
           [](Knobs& k) {
             k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
               if (!is_for_path(request, "/token")) return;
               for (auto& [name, value] : reply.headers) {
                 if (name == "Content-Type") value = "text/plain";
               }
             };
           }},
      {.id = "as-token-without-type",
       .description = "Does not say of which type its tokens are",
       .breaks = {kOauth21},
       .spoil = spoil_tokens<[](Json& json) { json.erase("token_type"); }>},
      {.id = "as-token-life-as-text",
       .description = "Writes expires_in as a text",
       .breaks = {kOauth21},
       .spoil = spoil_tokens<[](Json& json) { json["expires_in"] = "3600"; }>},
      {.id = "as-token-scopes-in-list",
       .description = "Writes the scope of a token as an array",
       .breaks = {kOauth21},
       .spoil = spoil_tokens<[](Json& json) { json["scope"] = Json::array({"mcp:use"}); }>},
      {.id = "as-code-without-client",
       .description = "Exchanges a code without a client_id",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.demands_client = false; }},
      {.id = "as-without-state",
       .description = "Leaves the state out of its authorization responses",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.sends_state = false; }},
      {.id = "as-longer-state",
       .description = "Adds something to the state of an authorization request",
       .breaks = {kOauth21},
       .spoil =
           [](Knobs& k) {
             k.changed_state = [](const std::string& state) { return state + "-and-more"; };
           }},
      {.id = "as-iss-with-slash",
       .description = "Names itself with a slash at the end in its authorization responses",
       .breaks = {kIssuer},
       .spoil = [](Knobs& k) { k.sent_issuer = k.sent_issuer.value_or("") + "/"; }},
      {.id = "as-metadata-by-path",
       .description = "Names its token endpoint by a path alone",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) { json["token_endpoint"] = "/token"; };
           }},
      {.id = "as-metadata-without-authorization",
       .description = "Does not name its authorization endpoint",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) { json.erase("authorization_endpoint"); };
           }},
      {.id = "as-metadata-in-texts",
       .description = "Writes lists of its metadata as texts",
       .breaks = {kMetadataServed, kDiscoverable},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) { json["scopes_supported"] = "mcp:use"; };
           }},
      {.id = "as-keys-without-tls",
       .description = "Has its keys elsewhere, and not by https",
       .breaks = {"authorization.endpoints-over-https"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) {
               json["jwks_uri"] = "http://auth.assay.invalid/keys";
             };
           }},
  };
}

std::vector<Fault> code_faults() {
  return {
      {.id = "as-code-without-challenge",
       .description = "Gives a public client a code without a code_challenge",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.demands_challenge = false; }},
      {.id = "as-token-without-verifier",
       .description = "Gives a token without the code_verifier",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.demands_verifier = false; }},
      {.id = "as-token-for-any-verifier",
       .description = "Gives a token for any code_verifier",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.checks_verifier = false; }},
      {.id = "as-other-state",
       .description = "Answers an authorization request with a state of its own",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.sent_state = "a-state-of-its-own"; }},
      {.id = "as-redirect-by-beginning",
       .description = "Takes each redirect URI that begins with a registered one",
       .breaks = {kExact, kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kByBeginning; }},
      {.id = "as-redirect-anywhere",
       .description = "Takes any redirect URI of a client that it knows",
       .breaks = {kExact, kDocumentRedirects, kUntrusted, kTrustedOnly},
       .spoil = [](Knobs& k) { k.conduct.redirects = Conduct::Redirects::kAny; }},
      {.id = "as-redirect-for-strangers",
       .description = "Sends the errors of unknown clients wherever they say",
       .breaks = {kUntrusted, kTrustedOnly},
       .spoil = [](Knobs& k) { k.conduct.refuses_strangers = false; }},
      {.id = "as-without-iss",
       .description = "Leaves iss out of its authorization responses",
       .breaks = {kIssuer},
       .spoil = [](Knobs& k) { k.sent_issuer.reset(); }},
      {.id = "as-other-iss",
       .description = "Names another issuer in its authorization responses",
       .breaks = {kIssuer},
       .spoil = [](Knobs& k) { k.sent_issuer = "https://issuer.assay.invalid"; }},
      {.id = "as-errors-without-iss",
       .description = "Leaves iss out of its error responses",
       .breaks = {kIssuer},
       .spoil = [](Knobs& k) { k.conduct.names_issuer_in_errors = false; }},
      {.id = "as-iss-unsaid",
       .description = "Gives iss, and does not say so in its metadata",
       .breaks = {"authorization.issuer-parameter-advertised"},
       .spoil = [](Knobs& k) { k.says_that_it_sends_issuer = false; }},
      {.id = "as-iss-said-as-text",
       .description = "Says as a text in its metadata that it gives iss",
       .breaks = {"authorization.issuer-parameter-advertised"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) {
               json["authorization_response_iss_parameter_supported"] = "true";
             };
           }},
  };
}

std::vector<Fault> token_faults() {
  return {
      {.id = "as-one-refresh-token",
       .description = "Takes one refresh token for ever, and gives no other",
       .breaks = {kRotated},
       .spoil =
           [](Knobs& k) {
             k.conduct.gives_next_refresh_token = false;
             k.conduct.takes_refresh_token_once = false;
           }},
  };
}

std::vector<Fault> document_faults() {
  return {
      {.id = "as-document-unread",
       .description = "Does not fetch the metadata document of a client",
       .breaks = {"authorization.client-id-document-fetched"},
       .spoil = [](Knobs& k) { k.conduct.fetches_documents = false; }},
      {.id = "as-document-not-kept",
       .description = "Fetches the metadata document of a client each time",
       .breaks = {"authorization.client-id-document-cached"},
       .spoil = [](Knobs& k) { k.conduct.keeps_documents = false; }},
      {.id = "as-document-of-another",
       .description = "Takes a metadata document with the client_id of another one",
       .breaks = {"authorization.client-id-document-url-checked"},
       .spoil = [](Knobs& k) { k.conduct.checks_document_url = false; }},
      {.id = "as-document-in-any-case",
       .description = "Compares the URL of a metadata document with its client_id without case",
       .breaks = {"authorization.client-id-document-url-checked"},
       .spoil = [](Knobs& k) { k.conduct.checks_case_of_document_url = false; }},
      {.id = "as-document-without-query",
       .description = "Compares the URL of a metadata document with its client_id without a query",
       .breaks = {"authorization.client-id-document-url-checked"},
       .spoil = [](Knobs& k) { k.conduct.checks_query_of_document_url = false; }},
      {.id = "as-document-of-any-form",
       .description = "Takes a metadata document that lacks what is required, or is no JSON",
       .breaks = {"authorization.client-id-document-structure-checked"},
       .spoil = [](Knobs& k) { k.conduct.checks_document_fields = false; }},
      {.id = "as-document-redirects-unread",
       .description = "Takes redirect URIs that the metadata document of a client does not name",
       .breaks = {kDocumentRedirects},
       .spoil = [](Knobs& k) { k.conduct.checks_document_redirects = false; }},
      {.id = "as-document-without-challenge",
       .description = "Gives a client with a metadata document a code without a code_challenge",
       .breaks = {kOauth21},
       .concerns = &Revision::has_client_documents,
       .spoil = [](Knobs& k) { k.conduct.demands_challenge_of_documents = false; }},
      {.id = "as-redirect-with-document",
       .description = "Takes any redirect URI on the origin of the client's metadata document",
       .breaks = {kDocumentRedirects},
       .spoil = compare_redirects<Conduct::Redirects::kWithDocument>},
  };
}

}  // namespace

Knobs sound_knobs(const std::string& origin) {
  Knobs knobs;
  knobs.has_openid_metadata = true;
  knobs.takes_client_documents = true;
  knobs.gives_refresh_tokens = true;
  knobs.says_that_it_sends_issuer = true;
  knobs.sent_issuer = origin;
  knobs.serves_clients = true;
  knobs.auth_methods.emplace_back(kSignedAssertion);
  knobs.proof_algorithms = {"ES256", "RS256"};
  return knobs;
}

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> kAll = [] {
    std::vector<Fault> all;
    for (const auto& topic :
         {metadata_faults(), form_faults(), redirect_faults(), response_faults(), code_faults(),
          binding_faults(), token_faults(), document_faults(), client_faults(), assertion_faults(),
          proof_faults()}) {
      all.insert(all.end(), topic.begin(), topic.end());
    }
    return all;
  }();
  return kAll;
}

const Fault* find_fault(std::string_view id) {
  const auto& all = all_faults();
  const auto found =
      std::find_if(all.begin(), all.end(), [id](const Fault& fault) { return fault.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace assay::authorization
