// What a client can get wrong about where things are: challenges, endpoints, redirect URIs and
// documents; about scopes; and about where its token is shown besides. Specification:
// basic/authorization, and OAuth 2.1, sections 3.1 and 5.
#include "reference/client/faults/authorization.h"
#include "reference/client/faults/fields.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

Rules of_challenge() {
  return {"authorization.client-parses-challenge", "authorization.discovery-followed"};
}

std::vector<Fault> discovery_places() {
  return {
      login_fault("login-needs-challenge", "Gives up where a refusal has no WWW-Authenticate",
                  {"authorization.client-falls-back-to-well-known",
                   "authorization.client-supports-both-metadata-locations",
                   "authorization.discovery-followed"},
                  &model::Revision::has_client_documents,
                  [](LoginConduct& c) { c.wants_challenge = true; }),
      login_fault(
          "login-well-known-before-challenge",
          "Asks at the well-known places before it asks where the challenge says",
          {"authorization.client-uses-challenge-location", "authorization.discovery-followed"},
          &model::Revision::has_client_documents,
          [](LoginConduct& c) { c.tries_well_known_before = true; }),
      login_fault("login-minds-case-of-parameters",
                  "Does not read a parameter of the challenge that is written in capitals",
                  of_challenge(), &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.reads_parameters_in_any_case = false; }),
      login_fault("login-reads-first-field",
                  "Reads only the first of several WWW-Authenticate fields", of_challenge(),
                  &model::Revision::has_resource_metadata,
                  [](LoginConduct& c) { c.reads_all_challenge_fields = false; }),
      login_fault("login-cannot-read-openid-metadata",
                  "Asks for OpenID metadata, and gives up where it gets them",
                  {"authorization.client-supports-both-discoveries"},
                  &model::Revision::has_client_documents,
                  [](LoginConduct& c) { c.reads_openid = false; }),
      login_fault("login-goes-on-without-metadata",
                  "Uses default paths where the authorization server has no metadata",
                  {"authorization.pkce-support-verified",
                   "authorization.pkce-support-from-metadata", "authorization.security-followed"},
                  &model::Revision::has_pkce_in_metadata,
                  [](LoginConduct& c) { c.goes_on_without_metadata = true; }),
      login_fault(
          "login-drops-endpoint-query", "Drops the query of the authorization endpoint",
          {"authorization.client-uses-server-metadata"}, &model::Revision::has_resource_metadata,
          [](LoginConduct& c) {
            c.authorization_url = [](const std::string& endpoint, const std::string& query) {
              return endpoint.substr(0, endpoint.find('?')) + "?" + query;
            };
          }),
      login_fault(
          "login-adds-question-mark",
          "Adds its query to the authorization endpoint by '?', though that has one",
          {"authorization.client-uses-server-metadata"}, &model::Revision::has_resource_metadata,
          [](LoginConduct& c) {
            c.authorization_url = [](const std::string& endpoint, const std::string& query) {
              return endpoint + "?" + query;
            };
          }),
      login_fault("login-any-resource", "Asks for a token for whatever resource the metadata name",
                  {"authorization.resource-names-server", "authorization.resource-canonical"},
                  &model::Revision::has_issuer_validation,
                  [](LoginConduct& c) {
                    c.checks_resource = false;
                    c.names_resource_as_said = true;
                  }),
      login_fault("login-names-odd-version",
                  "Names something else than a version while it looks for metadata",
                  {"authorization.version-header-in-discovery"},
                  &model::Revision::has_own_authorization_server,
                  [](LoginConduct& c) { c.named_version = "latest"; }),
  };
}

std::vector<Fault> client_places() {
  return {
      login_fault(
          "login-redirect-out-of-band", "Has its code shown to the user in place of a redirect",
          {"authorization.redirect-localhost-or-https", "authorization.communication-security",
           "authorization.security-followed"},
          &model::Revision::has_authorization,
          [](LoginConduct& c) {
            static constexpr const char* kUri = "urn:ietf:wg:oauth:2.0:oob";
            c.registration = [](Json& metadata) {
              metadata["redirect_uris"] = Json::array({kUri});
            };
            c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kUri); };
          }),
      login_fault(
          "login-redirect-to-any-address", "Has itself redirected to 0.0.0.0",
          {"authorization.redirect-localhost-or-https", "authorization.communication-security",
           "authorization.security-followed", "authorization.oauth21-implemented"},
          &model::Revision::has_authorization,
          [](LoginConduct& c) {
            static constexpr const char* kUri = "http://0.0.0.0:3000/callback";
            c.registration = [](Json& metadata) {
              metadata["redirect_uris"] = Json::array({kUri});
            };
            c.authorization = [](wire::Form& form) { set_value(form, "redirect_uri", kUri); };
          }),
      login_fault("login-document-in-other-case",
                  "Names a metadata document that names itself in other letters",
                  {"authorization.client-id-document-names-itself",
                   "authorization.client-id-document-rules"},
                  &model::Revision::has_client_documents,
                  [](LoginConduct& c) { c.document = "https://client.example/Loud.json"; }),
      login_fault(
          "login-document-without-redirects", "Names a metadata document that lacks redirect_uris",
          {"authorization.client-id-document-properties"}, &model::Revision::has_client_documents,
          [](LoginConduct& c) { c.document = "https://client.example/bare.json"; }),
  };
}

std::vector<Fault> scope_places() {
  return {
      login_fault("login-steps-up-to-all", "Asks for all scopes there are when one is missing",
                  {"authorization.least-privilege"}, &model::Revision::has_scope_challenges,
                  [](LoginConduct& c) {
                    c.next_authorization = [](wire::Form& form) {
                      set_value(form, "scope", value_of(form, "scope") + " mcp:admin");
                    };
                  }),
      login_fault(
          "login-next-without-scope", "Names scopes when it first logs in, and not later",
          {"authorization.challenge-scope-authoritative", "authorization.granted-scopes-kept"},
          &model::Revision::has_scope_challenges,
          [](LoginConduct& c) {
            c.next_authorization = [](wire::Form& form) { set_value(form, "scope", ""); };
          }),
      login_fault(
          "login-adds-to-first-scopes",
          "Adds what is missing to the scopes of the first login, and not to those of the last",
          {"authorization.granted-scopes-kept"}, &model::Revision::has_scope_challenges,
          [](LoginConduct& c) {
            c.next_authorization = [](wire::Form& form) {
              const bool is_second = value_of(form, "scope").ends_with("mcp:audit");
              if (is_second) set_value(form, "scope", "mcp:basic mcp:audit");
            };
          }),
      login_fault("login-calls-without-end",
                  "Calls a tool again and again with the token that is not enough for it",
                  {"authorization.step-up-retry-limit", "authorization.step-up-attempts-tracked",
                   "authorization.step-up-for-user", "authorization.scope-error-answered"},
                  &model::Revision::has_scope_challenges,
                  [](LoginConduct& c) {
                    c.gets_another_scope = false;
                    c.most_attempts = 15;
                  }),
      login_fault(
          "login-scope-in-token-request", "Names its scopes in the token request only",
          {"authorization.scope-from-challenge", "authorization.challenge-scope-authoritative",
           "authorization.scope-from-metadata", "authorization.scope-fallback",
           "authorization.granted-scopes-kept"},
          &model::Revision::has_scope_challenges,
          [](LoginConduct& c) {
            c.authorization = [](wire::Form& form) { set_value(form, "scope", ""); };
            c.token = [](wire::Form& form) { set_value(form, "scope", "mcp:basic"); };
          }),
  };
}

// --- The token ---

void change_token(transport::Headers& fields, std::string (*change)(const std::string& token)) {
  constexpr std::string_view kScheme = "Bearer ";
  for (auto& [name, value] : fields) {
    const bool is_it =
        wire::equals_without_case(name, "Authorization") && value.starts_with(kScheme);
    if (is_it) value = std::string(kScheme) + change(value.substr(kScheme.size()));
  }
}

Fault token_fault(std::string_view id, std::string_view description, Rules breaks) {
  return login_fault(id, description, std::move(breaks), &model::Revision::has_authorization,
                     nullptr);
}

std::vector<Fault> misspelt_tokens() {
  const Rules rules = {"authorization.bearer-header", "authorization.token-use-conforms",
                       "authorization.oauth21-implemented"};
  Fault twice =
      token_fault("token-with-two-schemes", "Writes Bearer twice before its token", rules);
  twice.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    change_token(fields, [](const std::string& token) { return "Bearer " + token; });
  };
  Fault quoted = token_fault("token-in-quotes", "Writes its token in quotes", rules);
  quoted.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    change_token(fields, [](const std::string& token) { return "\"" + token + "\""; });
  };
  Fault upper = token_fault("token-in-capitals", "Writes its token in capitals",
                            {"authorization.foreign-token-not-sent"});
  upper.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    change_token(fields, [](const std::string& token) {
      std::string out = token;
      for (char& each : out)
        each = each >= 'a' && each <= 'f' ? static_cast<char>(each - 32) : each;
      return out;
    });
  };
  Fault undefined =
      token_fault("token-undefined", "Shows the word 'undefined' before it has a token",
                  {"authorization.foreign-token-not-sent"});
  undefined.login = [](LoginConduct& c) { c.early_token = "undefined"; };
  return {twice, quoted, upper, undefined};
}

std::vector<Fault> tokens_besides() {
  const Rules rules = {"authorization.token-use-conforms"};
  Fault cookie = token_fault("token-in-cookie-as-well",
                             "Shows its token in a cookie besides Authorization", rules);
  cookie.login = [](LoginConduct& c) {
    c.fields = [](transport::Headers& fields, const LoginMemory& memory) {
      if (!memory.access_token.empty()) fields.emplace_back("Cookie", "t=" + memory.access_token);
    };
  };
  Fault message = token_fault("token-in-message-as-well",
                              "Shows its token in messages besides Authorization", rules);
  message.departure = [](Departure& d) {
    const std::string& token = d.memory().token;
    if (d.json().contains("method") && !token.empty()) d.params()["access_token"] = token;
  };
  Fault referer =
      token_fault("token-in-referer", "Names a URL with its token as the one that it comes from",
                  {"authorization.no-token-in-query", "authorization.token-use-conforms",
                   "authorization.oauth21-implemented", "authorization.oauth-security-followed",
                   "authorization.security-followed"});
  referer.login = [](LoginConduct& c) {
    c.fields = [](transport::Headers& fields, const LoginMemory& memory) {
      if (memory.access_token.empty()) return;
      fields.emplace_back("Referer",
                          "http://localhost:3000/app?access_token=" + memory.access_token);
    };
  };
  return {cookie, message, referer};
}

void leave_token_out(transport::Headers& fields) {
  std::erase_if(fields, [](const auto& field) {
    return wire::equals_without_case(field.first, "Authorization");
  });
}

std::vector<Fault> tokens_left_out() {
  const Rules rules = {"authorization.token-in-every-request", "authorization.token-use-conforms"};
  Fault stream = login_fault("token-left-out-of-stream", "Opens a stream without its token", rules,
                             &model::Revision::has_protected_sessions,
                             [](LoginConduct& c) { c.most_attempts = 1; });
  stream.fields = [](std::string_view method, const Json&, transport::Headers& fields) {
    if (method == "GET") leave_token_out(fields);
  };
  Fault later = login_fault("token-in-first-request-only",
                            "Shows its token in the first request of a session only", rules,
                            &model::Revision::has_protected_sessions,
                            [](LoginConduct& c) { c.most_attempts = 1; });
  later.fields = [](std::string_view, const Json& body, transport::Headers& fields) {
    const bool is_first = asks_for(body, "initialize");
    if (!is_first) leave_token_out(fields);
  };
  std::vector<Fault> faults = {stream, later};
  for (Fault& each : faults) {
    each.may_break = {"authorization.client-responds-to-401", "authorization.discovery-followed"};
  }
  return faults;
}

}  // namespace

std::vector<Fault> login_place_faults() {
  std::vector<Fault> faults = discovery_places();
  for (auto table :
       {client_places(), scope_places(), misspelt_tokens(), tokens_besides(), tokens_left_out()}) {
    for (Fault& each : table) faults.push_back(std::move(each));
  }
  return faults;
}

}  // namespace assay::client
