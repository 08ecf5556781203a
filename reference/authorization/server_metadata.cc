// What the server says of itself.
#include <algorithm>

#include "reference/authorization/server.h"

namespace assay::authorization {

std::optional<Json> Server::metadata_at(std::string_view path) const {
  const std::string& behind = knobs_.issuer_path;
  if (knobs_.has_oauth_metadata && path == "/.well-known/oauth-authorization-server" + behind) {
    return metadata(false);
  }
  const bool is_inserted =
      knobs_.has_openid_metadata && path == "/.well-known/openid-configuration" + behind;
  const bool is_appended =
      knobs_.has_openid_appended && path == behind + "/.well-known/openid-configuration";
  if (is_inserted || is_appended) return metadata(true);
  return std::nullopt;
}

Json Server::metadata(bool is_openid) const {
  Json out = Json::object();
  out["issuer"] = knobs_.said_issuer.value_or(issuer());
  const std::string base = origin_ + endpoints_path();
  out["authorization_endpoint"] = base + "/authorize";
  out["token_endpoint"] = base + "/token";
  if (knobs_.registers) out["registration_endpoint"] = base + "/register";
  out["response_types_supported"] = std::vector<std::string>{"code"};
  std::vector<std::string> grants = {"authorization_code"};
  if (knobs_.gives_refresh_tokens) grants.emplace_back("refresh_token");
  if (knobs_.serves_clients) grants.emplace_back("client_credentials");
  if (!knobs_.trusted.empty() || !knobs_.workload_issuers.empty())
    grants.emplace_back(kJwtBearerGrant);
  out["grant_types_supported"] = grants;
  const auto& methods = knobs_.auth_methods;
  out["token_endpoint_auth_methods_supported"] = methods;
  if (std::find(methods.begin(), methods.end(), kSignedAssertion) != methods.end()) {
    out["token_endpoint_auth_signing_alg_values_supported"] =
        std::vector<std::string>{"ES256", "RS256"};
  }
  if (!knobs_.proof_algorithms.empty()) {
    out["dpop_signing_alg_values_supported"] = knobs_.proof_algorithms;
  }
  if (!knobs_.challenge_methods.empty()) {
    out["code_challenge_methods_supported"] = knobs_.challenge_methods;
  }
  if (!knobs_.scopes.empty()) out["scopes_supported"] = knobs_.scopes;
  if (knobs_.says_that_it_sends_issuer) {
    out["authorization_response_iss_parameter_supported"] = true;
  }
  if (knobs_.takes_client_documents || knobs_.says_that_it_takes_none) {
    out["client_id_metadata_document_supported"] = knobs_.takes_client_documents;
  }
  if (key_) out["jwks_uri"] = base + "/jwks";
  if (is_openid) {
    out["jwks_uri"] = base + "/jwks";
    out["subject_types_supported"] = std::vector<std::string>{"public"};
    out["id_token_signing_alg_values_supported"] = std::vector<std::string>{"RS256"};
  }
  if (knobs_.conduct.metadata != nullptr) knobs_.conduct.metadata(out, is_openid);
  return out;
}

}  // namespace assay::authorization
