#include "harness/programs/reference_client_login.h"

#include <memory>
#include <string>

#include "reference/authorization/jws.h"

namespace assay::cli {
namespace {

std::string told_text(const Json& told, const char* name) {
  const auto found = told.find(name);
  return found != told.end() && found->is_string() ? found->get<std::string>() : "";
}

client::ProofKey new_proof_key() {
  const auto key =
      std::make_shared<const authorization::SigningKey>(authorization::Signing::kEs256);
  return {.jwk = key->jwk(),
          .algorithm = authorization::name(key->signing()),
          .sign = [key](const Json& header, const Json& claims) {
            return key->sign_as(header, claims);
          }};
}

}  // namespace

void give_proof_keys(client::LoginOptions& options) {
  options.proof_key = new_proof_key();
  options.other_proof_key = new_proof_key();
}

void take_login_context(const Json& told, client::LoginOptions& options) {
  using client::LoginGrant;
  if (!told.is_object()) return;
  options.client_id = told_text(told, "client_id");
  options.client_secret = told_text(told, "client_secret");
  const std::string name = told_text(told, "name");
  if (name == "auth/client-credentials-basic") options.grant = LoginGrant::kClientCredentials;
  const auto key = authorization::SigningKey::of_pem(told_text(told, "private_key_pem"));
  if (key != nullptr) {
    options.grant = LoginGrant::kClientCredentials;
    options.signing_algorithm = authorization::name(key->signing());
    options.sign = [key](const Json& header, const Json& claims) {
      return key->sign_as(header, claims);
    };
  }
  options.workload_jwt = told_text(told, "valid_jwt");
  options.other_workload_jwt = told_text(told, "wrong_audience_jwt");
  if (!options.workload_jwt.empty()) options.grant = LoginGrant::kWorkload;
  const std::string endpoint = told_text(told, "idp_token_endpoint");
  if (endpoint.empty()) return;
  options.grant = LoginGrant::kIdentityAssertion;
  options.idp = {endpoint, told_text(told, "idp_client_id"), told_text(told, "idp_id_token")};
}

}  // namespace assay::cli
