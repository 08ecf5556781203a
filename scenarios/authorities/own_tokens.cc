// Scenarios about clients that ask an authorization server for tokens of their own.
//
// Extension oauth-client-credentials; OAuth 2.1, section 4.2, and RFC 7523, section 3.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/authorities/assertions.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using authorization::SigningKey;

constexpr std::string_view kOwnTokensOfClients = "oauth-client-credentials";
constexpr const char* kOwnTokenGrant = "client_credentials";
constexpr const char* kAuthMethods = "token_endpoint_auth_methods_supported";
constexpr const char* kAuthAlgorithms = "token_endpoint_auth_signing_alg_values_supported";

constexpr catalogue::RequirementId kMethodsListed(
    "ext-oauth-client-credentials.auth-methods-listed");
constexpr catalogue::RequirementId kMethodsSuffice(
    "ext-oauth-client-credentials.auth-methods-sufficient");
constexpr catalogue::RequirementId kAlgorithmsListed(
    "ext-oauth-client-credentials.signing-algorithms-listed");
constexpr catalogue::RequirementId kSecretsChecked("ext-oauth-client-credentials.secrets-checked");
constexpr catalogue::RequirementId kOwnJwtsChecked(
    "ext-oauth-client-credentials.assertions-checked");

bool has_any(const Json& list, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  });
}

// Of one of its documents, which says that it supports the flow.
void judge_said_methods(AuthorityScript& script, const AuthorityDocument& document) {
  const Json& json = document.answer.json;
  const Json& methods = member(json, kAuthMethods);
  script.check(
      kMethodsListed, methods.is_array(), document.answer.events,
      fmt::format("its metadata at {} list the grant client_credentials, and {}", document.url,
                  methods.is_null() ? "have no token_endpoint_auth_methods_supported"
                                    : "their token_endpoint_auth_methods_supported is no "
                                      "list"));
  if (!methods.is_array()) return;
  script.check(kMethodsSuffice, has_any(methods, {"private_key_jwt", "client_secret_basic"}),
               document.answer.events,
               fmt::format("the methods in its metadata at {} include neither private_key_jwt nor "
                           "client_secret_basic",
                           document.url));
  if (!has_any(methods, {"private_key_jwt", "client_secret_jwt"})) {
    return script.not_applicable(kAlgorithmsListed, "it takes no JWTs of clients");
  }
  script.check(kAlgorithmsListed, !array_member(json, kAuthAlgorithms).empty(),
               document.answer.events,
               fmt::format("its metadata at {} list a method with JWTs, and no "
                           "token_endpoint_auth_signing_alg_values_supported",
                           document.url));
}

// Metadata say in which ways clients may show who they are.
const AuthorityScenarioRegistration kSaysMethods({
    .name = "authority_lists_ways_of_clients",
    .requirements = {kMethodsListed, kMethodsSuffice, kAlgorithmsListed},
    .body =
        [](AuthorityScript& script) {
          bool is_any = false;
          for (const AuthorityDocument& document : script.facts().documents) {
            const bool is_its = document.is_there() && document.is_of(script.facts().issuer);
            if (!is_its || !lists_grant(document.answer.json, kOwnTokenGrant)) continue;
            is_any = true;
            judge_said_methods(script, document);
          }
          if (is_any) return;
          for (const auto& rule : {kMethodsListed, kMethodsSuffice, kAlgorithmsListed}) {
            script.not_applicable(rule, "its metadata list no grant client_credentials");
          }
        },
    .extension = kOwnTokensOfClients,
});

// --- Secrets ---

AuthorityAnswer ask_with_secret(AuthorityScript& script, AuthorityClient client,
                                const std::string& secret) {
  client.secret = secret;
  return script.ask_for_token_as(client, {{"grant_type", kOwnTokenGrant}});
}

// A client has to show the secret that it was given, and all of it.
const AuthorityScenarioRegistration kChecksSecrets({
    .name = "authority_checks_secrets_of_clients",
    .requirements = {kSecretsChecked},
    .body =
        [](AuthorityScript& script) {
          if (!may_ask_by(script, kOwnTokenGrant, kSecretsChecked)) return;
          const AuthorityClient client =
              script.client_for(kOwnTokenGrant, secret_method(script.facts().metadata));
          if (!client.is_known()) {
            return script.not_exercised(kSecretsChecked, client.why, client.hint);
          }
          if (!has_sound_answer(script, ask_with_secret(script, client, client.secret),
                                kSecretsChecked)) {
            return;
          }
          // Some look at no more than the first letters of a long secret.
          std::string other = client.secret;
          other.front() = other.front() == 'x' ? 'y' : 'x';
          const std::string beginning = client.secret.substr(0, client.secret.size() / 2);
          judge_forged(script, ask_with_secret(script, client, other), kSecretsChecked,
                       "a wrong secret");
          judge_forged(script, ask_with_secret(script, client, beginning), kSecretsChecked,
                       "the beginning of the secret");
          AuthorityClient bare = client;
          bare.method = "none";
          judge_forged(script, ask_with_secret(script, bare, ""), kSecretsChecked, "no secret");
        },
    .extension = kOwnTokensOfClients,
});

// --- JWTs ---

AuthorityAnswer ask_with_assertion(AuthorityScript& script, const std::string& assertion) {
  return script.ask_for_token_as({}, {{"grant_type", kOwnTokenGrant},
                                      {"client_assertion_type", authorization::kAssertionType},
                                      {"client_assertion", assertion}});
}

// The client names itself, and the authorization server by its issuer or its token endpoint: which
// of them is taken differs.
std::optional<Assertion> sound_assertion(AuthorityScript& script, const AuthorityClient& client) {
  AuthorityAnswer answer;
  for (const std::string& audience : {script.facts().issuer, script.endpoint("token_endpoint")}) {
    const Assertion sound = assertion_for(client.id, client.id, audience, *client.key, "JWT");
    answer = ask_with_assertion(script, sign(sound, *client.key));
    if (gives_any_token(answer)) {
      script.note_token();
      return sound;
    }
  }
  script.unclear(kOwnJwtsChecked,
                 fmt::format("a client with a good JWT was answered with {}", answer.describe()),
                 answer.events);
  return std::nullopt;
}

// A JWT has to be the client's, for this authorization server, and still hold.
const AuthorityScenarioRegistration kChecksOwnJwts({
    .name = "authority_checks_jwts_of_clients",
    .requirements = {kOwnJwtsChecked},
    .body =
        [](AuthorityScript& script) {
          if (!may_ask_by(script, kOwnTokenGrant, kOwnJwtsChecked)) return;
          if (!has_any(array_member(script.facts().metadata, kAuthMethods), {"private_key_jwt"})) {
            return script.not_applicable(kOwnJwtsChecked, "it takes no JWTs of clients");
          }
          const AuthorityClient client = script.client_for(kOwnTokenGrant, "private_key_jwt");
          if (!client.is_known()) {
            return script.not_exercised(kOwnJwtsChecked, client.why, client.hint);
          }
          const auto sound = sound_assertion(script, client);
          if (!sound) return;
          for (const Forgery& forgery : forgeries_of_any_assertion()) {
            judge_forged(script, ask_with_assertion(script, forge(*sound, *client.key, forgery)),
                         kOwnJwtsChecked, forgery.what);
          }
          for (const char* name : {"iss", "sub"}) {
            Assertion other = *sound;
            other.claims[name] = "somebody-else";
            judge_forged(script, ask_with_assertion(script, sign(other, *client.key)),
                         kOwnJwtsChecked, fmt::format("a JWT with another {}", name));
          }
        },
    .extension = kOwnTokensOfClients,
});

}  // namespace
}  // namespace assay::scenarios
