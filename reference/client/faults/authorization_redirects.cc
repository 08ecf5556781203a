// What a client can get wrong about redirect URIs, its document, the resource, and scopes: near
// misses. Specification: basic/authorization, "Communication Security", "Open Redirection",
// "Canonical Server URI", "Scope Selection Strategy".
#include "reference/client/faults/authorization.h"

namespace assay::client {
namespace {

constexpr const char* kPrivate = "cursor://mcp.example/oauth/callback";
constexpr const char* kLookAlike = "http://localhost.example.com:3000/callback";
constexpr const char* kLocal = "http://localhost:3000/callback";

std::vector<std::string_view> of_unsafe_redirect() {
  return {"authorization.redirect-localhost-or-https", "authorization.communication-security",
          "authorization.security-followed", "authorization.oauth21-implemented"};
}

// OAuth 2.1 allows private schemes, and the page does not.
std::vector<std::string_view> of_private_redirect() {
  return {"authorization.redirect-localhost-or-https", "authorization.communication-security",
          "authorization.security-followed"};
}

std::vector<std::string_view> of_unregistered_redirect() {
  return {"authorization.redirects-registered", "authorization.security-followed"};
}

std::vector<Fault> redirect_faults() {
  return {
      login_fault("login-private-scheme", "Has itself redirected to a private scheme",
                of_private_redirect(), &model::Revision::has_authorization,
                [](LoginConduct& c) {
                  c.registration = [](Json& metadata) {
                    metadata["redirect_uris"] = Json::array({kPrivate});
                  };
                  c.authorization = [](wire::Form& form) {
                    set_value(form, "redirect_uri", kPrivate);
                  };
                }),
      login_fault(
          "login-redirect-looks-local", "Has itself redirected to a host that looks as localhost",
          of_unsafe_redirect(), &model::Revision::has_authorization,
          [](LoginConduct& c) {
            c.registration = [](Json& metadata) {
              metadata["redirect_uris"] = Json::array({kLookAlike});
            };
            c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kLookAlike); };
          }),
      login_fault(
          "login-registers-unsafe-redirect",
          "Registers a redirect URI without HTTPS beside a good one", of_unsafe_redirect(),
          &model::Revision::has_authorization,
          [](LoginConduct& c) {
            c.registration = [](Json& metadata) {
              metadata["redirect_uris"] = Json::array({kLocal, "http://app.example/callback"});
            };
          }),
      login_fault("login-registers-no-redirect", "Registers without redirect_uris",
                of_unregistered_redirect(), &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.registration = [](Json& metadata) { metadata.erase("redirect_uris"); };
                }),
      login_fault("login-redirect-by-address",
                "Registers a redirect URI at localhost, and names one at 127.0.0.1",
                of_unregistered_redirect(), &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    set_value(form, "redirect_uri", "http://127.0.0.1:3000/callback");
                  };
                }),
      login_fault("login-redirect-with-query", "Adds a query to the redirect URI that it registered",
                of_unregistered_redirect(), &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    set_value(form, "redirect_uri", value_of(form, "redirect_uri") + "?from=mcp");
                  };
                }),
      login_fault("login-registers-for-ever", "Registers again and again while it is refused",
                {"authorization.registration-failure-handled"},
                &model::Revision::has_issuer_validation,
                [](LoginConduct& c) { c.registrations = 15; }),
  };
}

std::vector<Fault> document_faults() {
  return {
      login_fault("login-document-with-user", "Names a metadata document with a user name in its URL",
                {"authorization.client-id-document-rules"}, &model::Revision::has_client_documents,
                [](LoginConduct& c) { c.document = "https://app:key@client.example/client.json"; }),
      login_fault("login-document-with-dots", "Names a metadata document by a path with '..'",
                {"authorization.client-id-document-rules"}, &model::Revision::has_client_documents,
                [](LoginConduct& c) { c.document = "https://client.example/a/../client.json"; }),
      login_fault(
          "login-document-without-path", "Names a metadata document without a path",
          {"authorization.client-id-document-https-url", "authorization.client-id-document-rules"},
          &model::Revision::has_client_documents,
          [](LoginConduct& c) { c.document = "https://client.example"; }),
      login_fault("login-document-lacks-redirect",
                "Names a redirect URI that its metadata document does not have",
                of_unregistered_redirect(), &model::Revision::has_client_documents,
                [](LoginConduct& c) { c.document = "https://client.example/moved.json"; }),
  };
}

std::vector<Fault> resource_faults() {
  const std::vector<std::string_view> rules = {"authorization.resource-names-server",
                                               "authorization.resource-canonical"};
  return {
      login_fault("login-resource-with-fragment", "Names the server with a fragment", rules,
                &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    set_value(form, "resource", value_of(form, "resource") + "#tools");
                  };
                }),
      login_fault("login-resource-without-scheme", "Names the server without a scheme", rules,
                &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    const std::string named = value_of(form, "resource");
                    set_value(form, "resource", named.substr(named.find("//") + 2));
                  };
                }),
      login_fault("login-resource-of-sibling", "Names another endpoint on the same host", rules,
                &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    set_value(form, "resource", value_of(form, "resource") + "-other");
                  };
                }),
      login_fault("login-token-for-another-resource",
                "Names another resource in the token request only", rules,
                &model::Revision::has_resource_metadata,
                [](LoginConduct& c) {
                  c.token = [](wire::Form& form) {
                    set_value(form, "resource", "https://elsewhere.example/mcp");
                  };
                }),
  };
}

std::vector<Fault> scope_faults() {
  return {
      login_fault(
          "login-scopes-with-commas", "Separates scopes by commas",
          {"authorization.scope-from-metadata", "authorization.scope-fallback",
           "authorization.challenge-scope-authoritative", "authorization.granted-scopes-kept"},
          &model::Revision::has_scope_challenges,
          [](LoginConduct& c) {
            c.authorization = [](wire::Form& form) {
              std::string scope = value_of(form, "scope");
              for (char& each : scope) each = each == ' ' ? ',' : each;
              if (!scope.empty()) set_value(form, "scope", scope);
            };
          }),
      login_fault("login-first-scope-only", "Asks for the first of several scopes only",
                {"authorization.scope-from-metadata", "authorization.scope-fallback",
                 "authorization.challenge-scope-authoritative"},
                &model::Revision::has_scope_challenges,
                [](LoginConduct& c) {
                  c.authorization = [](wire::Form& form) {
                    const std::string scope = value_of(form, "scope");
                    if (!scope.empty()) set_value(form, "scope", scope.substr(0, scope.find(' ')));
                  };
                }),
      login_fault("login-other-scope-next",
                "Asks for another scope than the challenge names when it steps up",
                {"authorization.challenge-scope-authoritative", "authorization.least-privilege"},
                &model::Revision::has_scope_challenges,
                [](LoginConduct& c) {
                  c.next_authorization = [](wire::Form& form) {
                    set_value(form, "scope", "mcp:basic mcp:admin");
                  };
                }),
  };
}

}  // namespace

std::vector<Fault> login_near_miss_faults() {
  std::vector<Fault> faults = redirect_faults();
  for (auto table : {document_faults(), resource_faults(), scope_faults()}) {
    for (Fault& each : table) faults.push_back(std::move(each));
  }
  return faults;
}

}  // namespace assay::client
