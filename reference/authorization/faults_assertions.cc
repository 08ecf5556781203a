// What a server can overlook when clients come without a code: with a secret, with a JWT of their
// own or of their workload, or with a grant of an identity provider.
//
// Extensions oauth-client-credentials, enterprise-managed-authorization and
// workload-identity-federation.
#include "reference/authorization/fault.h"

namespace assay::authorization {
namespace {

constexpr std::string_view kMethodsListed = "ext-oauth-client-credentials.auth-methods-listed";
constexpr std::string_view kMethodsSuffice = "ext-oauth-client-credentials.auth-methods-sufficient";
constexpr std::string_view kAlgorithms = "ext-oauth-client-credentials.signing-algorithms-listed";
constexpr std::string_view kSecrets = "ext-oauth-client-credentials.secrets-checked";
constexpr std::string_view kOwnJwts = "ext-oauth-client-credentials.assertions-checked";
constexpr std::string_view kGrantType = "ext-enterprise-managed-authorization.type-checked";
constexpr std::string_view kGrantAudience = "ext-enterprise-managed-authorization.audience-checked";
constexpr std::string_view kGrantClient = "ext-enterprise-managed-authorization.client-checked";
constexpr std::string_view kGrants = "ext-enterprise-managed-authorization.assertion-checked";

constexpr std::string_view kWorkloads = "ext-workload-identity-federation.jwt-validated";
constexpr std::string_view kWorkloadExpiry = "ext-workload-identity-federation.expired-refused";
constexpr std::string_view kWorkloadIssuer = "ext-workload-identity-federation.issuer-trusted";
constexpr std::string_view kWorkloadSignature =
    "ext-workload-identity-federation.signature-verified";
constexpr std::string_view kGrantsListed = "ext-workload-identity-federation.grants-listed";
constexpr std::string_view kGrantListed = "ext-workload-identity-federation.grant-listed";

constexpr const char* kMethodsMember = "token_endpoint_auth_methods_supported";
constexpr const char* kAlgorithmsMember = "token_endpoint_auth_signing_alg_values_supported";

template <bool AssertionChecks::*kCheck>
void overlook_of_clients(Knobs& knobs) {
  knobs.conduct.client_assertions.*kCheck = false;
}
template <bool AssertionChecks::*kCheck>
void overlook_of_users(Knobs& knobs) {
  knobs.conduct.identity_assertions.*kCheck = false;
}

template <bool AssertionChecks::*kCheck>
void overlook_of_workloads(Knobs& knobs) {
  knobs.conduct.workload_assertions.*kCheck = false;
}

Fault row(std::string_view id, std::string_view description, std::string_view rule,
          void (*spoil)(Knobs& knobs)) {
  return {.id = id, .description = description, .breaks = {rule}, .spoil = spoil};
}

std::vector<Fault> said_of_clients() {
  return {
      row("as-auth-methods-unlisted", "Does not say how clients show who they are", kMethodsListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) { json.erase(kMethodsMember); };
          }),
      // Metadata whose member is not a list are invalid as well (RFC 8414, section 2).
      {.id = "as-auth-methods-as-text",
       .description = "Lists one way of clients as a string",
       .breaks = {kMethodsListed, "authorization.authorization-server-metadata-served",
                  "authorization.authorization-server-discoverable"},
       .spoil =
           [](Knobs& k) {
             k.conduct.metadata = [](Json& json, bool) { json[kMethodsMember] = kSecretInHeader; };
           }},
      row("as-auth-methods-unlisted-in-openid",
          "Leaves the ways of clients out of OpenID Connect Discovery", kMethodsListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool is_openid) {
              if (is_openid) json.erase(kMethodsMember);
            };
          }),
      row("as-secrets-in-body-only", "Lists no way of clients but a secret in the body",
          kMethodsSuffice,
          [](Knobs& k) {
            k.auth_methods = {kNoSecret, kSecretInBody};
          }),
      row("as-secrets-signed-only", "Lists no way of clients but a secret that signs",
          kMethodsSuffice,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) {
              json[kMethodsMember] = Json::array({"client_secret_jwt"});
            };
          }),
      row("as-secrets-in-body-only-in-openid",
          "Lists a secret in the body alone in OpenID Connect Discovery", kMethodsSuffice,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool is_openid) {
              if (is_openid) json[kMethodsMember] = Json::array({kNoSecret, kSecretInBody});
            };
          }),
      row("as-signing-algorithms-unlisted", "Takes JWTs of clients, and lists no algorithms",
          kAlgorithms,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) { json.erase(kAlgorithmsMember); };
          }),
      row("as-signing-algorithms-empty",
          "Takes JWTs of clients, and lists algorithms that are none", kAlgorithms,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) { json[kAlgorithmsMember] = Json::array(); };
          }),
  };
}

std::vector<Fault> shown_by_clients() {
  using Checks = AssertionChecks;
  return {
      {.id = "as-any-secret",
       .description = "Takes any secret of a client",
       .breaks = {kSecrets, kOauth21},
       .spoil = [](Knobs& k) { k.conduct.checks_secret = false; }},
      {.id = "as-no-secret",
       .description = "Takes a client without the secret that it has",
       .breaks = {kSecrets, kOauth21},
       .spoil = [](Knobs& k) { k.conduct.demands_secret = false; }},
      {.id = "as-secret-by-its-beginning",
       .description = "Compares the beginning of a secret only",
       .breaks = {kSecrets, kOauth21},
       .spoil = [](Knobs& k) { k.conduct.compares_whole_secret = false; }},
      row("as-client-jwt-of-any-key", "Does not verify the JWT of a client", kOwnJwts,
          overlook_of_clients<&Checks::signature>),
      row("as-client-jwt-unsigned", "Takes the JWT of a client that says it is not signed",
          kOwnJwts, overlook_of_clients<&Checks::algorithm>),
      row("as-client-jwt-of-any-issuer", "Does not look who issued the JWT of a client", kOwnJwts,
          overlook_of_clients<&Checks::issuer>),
      row("as-client-jwt-of-any-subject", "Does not look whom the JWT of a client is about",
          kOwnJwts, overlook_of_clients<&Checks::subject>),
      row("as-client-jwt-for-anyone", "Takes the JWT of a client for another audience", kOwnJwts,
          overlook_of_clients<&Checks::audience>),
      row("as-client-jwt-audience-by-its-beginning",
          "Compares the beginning of the audience of a client's JWT", kOwnJwts,
          overlook_of_clients<&Checks::whole_audience>),
      row("as-client-jwt-expired", "Takes the JWT of a client that has expired", kOwnJwts,
          overlook_of_clients<&Checks::expiry>),
      row("as-client-jwt-for-ever", "Takes the JWT of a client that never expires", kOwnJwts,
          overlook_of_clients<&Checks::has_expiry>),
  };
}

std::vector<Fault> shown_for_users() {
  using Checks = AssertionChecks;
  return {
      row("as-grant-of-any-type", "Takes a JWT of another type for a grant", kGrantType,
          overlook_of_users<&Checks::type>),
      row("as-grant-of-no-type", "Takes a JWT without a type for a grant", kGrantType,
          overlook_of_users<&Checks::has_type>),
      row("as-grant-as-any-jwt", "Takes a JWT whose type is JWT for a grant", kGrantType,
          overlook_of_users<&Checks::own_type>),
      row("as-grant-for-anyone", "Takes a grant for another authorization server", kGrantAudience,
          overlook_of_users<&Checks::audience>),
      row("as-grant-audience-by-its-beginning", "Compares the beginning of a grant's audience",
          kGrantAudience, overlook_of_users<&Checks::whole_audience>),
      row("as-grant-of-any-client", "Takes a grant that was issued to another client", kGrantClient,
          overlook_of_users<&Checks::client>),
      row("as-grant-of-no-client", "Takes a grant that was issued to no client", kGrantClient,
          overlook_of_users<&Checks::has_client>),
      row("as-grant-of-client-in-any-case", "Compares the client of a grant without case",
          kGrantClient, overlook_of_users<&Checks::client_in_its_case>),
      row("as-grant-of-any-key", "Does not verify a grant", kGrants,
          overlook_of_users<&Checks::signature>),
      row("as-grant-unsigned", "Takes a grant that says it is not signed", kGrants,
          overlook_of_users<&Checks::algorithm>),
      row("as-grant-of-any-issuer", "Does not look who issued a grant", kGrants,
          overlook_of_users<&Checks::issuer>),
      row("as-grant-without-subject", "Takes a grant without a subject", kGrants,
          overlook_of_users<&Checks::subject>),
      row("as-grant-expired", "Takes a grant that has expired", kGrants,
          overlook_of_users<&Checks::expiry>),
      row("as-grant-for-ever", "Takes a grant that never expires", kGrants,
          overlook_of_users<&Checks::has_expiry>),
  };
}

std::vector<Fault> shown_by_workloads() {
  using Checks = AssertionChecks;
  return {
      row("as-workload-for-anyone", "Takes the JWT of a workload for another audience", kWorkloads,
          overlook_of_workloads<&Checks::audience>),
      row("as-workload-audience-by-its-beginning",
          "Compares the beginning of the audience of a workload's JWT", kWorkloads,
          overlook_of_workloads<&Checks::whole_audience>),
      row("as-workload-for-ever", "Takes the JWT of a workload that never expires", kWorkloads,
          overlook_of_workloads<&Checks::has_expiry>),
      row("as-workload-unnamed", "Takes the JWT of a workload that it does not name", kWorkloads,
          overlook_of_workloads<&Checks::subject>),
      row("as-workload-expired", "Takes the JWT of a workload that has expired", kWorkloadExpiry,
          overlook_of_workloads<&Checks::expiry>),
      row("as-workload-expired-for-an-hour",
          "Takes the JWT of a workload for an hour after it has expired", kWorkloadExpiry,
          overlook_of_workloads<&Checks::at_once>),
      row("as-workload-expiry-in-parts",
          "Does not look at the expiry of a workload's JWT that has parts of a second",
          kWorkloadExpiry, overlook_of_workloads<&Checks::expiry_in_parts>),
      row("as-workload-of-no-issuer", "Takes the JWT of a workload that names no issuer",
          kWorkloadIssuer, overlook_of_workloads<&Checks::has_issuer>),
      row("as-workload-issuer-by-its-beginning",
          "Compares the beginning of the issuer of a workload's JWT", kWorkloadIssuer,
          overlook_of_workloads<&Checks::whole_issuer>),
      row("as-workload-of-any-issuer", "Does not look who issued the JWT of a workload",
          kWorkloadIssuer, overlook_of_workloads<&Checks::issuer>),
      row("as-workload-of-any-key", "Does not verify the JWT of a workload", kWorkloadSignature,
          overlook_of_workloads<&Checks::signature>),
      row("as-workload-unsigned", "Takes the JWT of a workload that says it is not signed",
          kWorkloadSignature, overlook_of_workloads<&Checks::algorithm>),
      row("as-grants-unlisted", "Gives tokens to workloads, and lists no grants", kGrantsListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) { json.erase("grant_types_supported"); };
          }),
      row("as-grants-unlisted-in-openid", "Lists no grants in OpenID Connect Discovery",
          kGrantsListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool is_openid) {
              if (is_openid) json.erase("grant_types_supported");
            };
          }),
      row("as-workload-grant-misspelt", "Lists the grant of workloads by a short name",
          kGrantListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) {
              json["grant_types_supported"] = Json::array({"authorization_code", "jwt-bearer"});
            };
          }),
      row("as-workload-grant-unlisted-in-openid",
          "Lists the grant of workloads in its metadata by RFC 8414 alone", kGrantListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool is_openid) {
              if (is_openid) json["grant_types_supported"] = Json::array({"authorization_code"});
            };
          }),
      row("as-workload-grant-unlisted", "Gives tokens to workloads, and does not list that grant",
          kGrantListed,
          [](Knobs& k) {
            k.conduct.metadata = [](Json& json, bool) {
              json["grant_types_supported"] = Json::array({"authorization_code", "refresh_token"});
            };
          }),
  };
}

}  // namespace

std::vector<Fault> assertion_faults() {
  std::vector<Fault> all = said_of_clients();
  for (const auto& more : {shown_by_clients(), shown_for_users(), shown_by_workloads()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace assay::authorization
