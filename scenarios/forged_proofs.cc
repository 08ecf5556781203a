#include "scenarios/forged_proofs.h"

#include <chrono>
#include <utility>

#include "reference/transport/random_id.h"
#include "reference/wire/dpop.h"

namespace assay::scenarios {

using authorization::SigningKey;

std::string forged_proof(const SigningKey& key, Json claims, const ProofForgery& how) {
  Json jwk = key.jwk();
  for (const char* name : {"kid", "alg", "use"}) jwk.erase(name);
  Json header = {{"typ", wire::kProofType},
                 {"alg", authorization::name(key.signing())},
                 {"jwk", std::move(jwk)}};
  claims["iat"] = std::chrono::duration_cast<std::chrono::seconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count();
  claims["jti"] = transport::random_id();
  if (how.change != nullptr) how.change(header, claims);
  switch (how.signature) {
    case ProofSignature::kOwn:
      return key.sign_as(header, claims);
    case ProofSignature::kOfAnother:
      return SigningKey(key.signing()).sign_as(header, claims);
    case ProofSignature::kNone:
      return authorization::signed_part_of(header, claims) + ".";
    case ProofSignature::kSecret:
      return authorization::sign_by_secret(header, claims, "secret");
  }
  return "";
}

void name_type_jwt(Json& header, Json& /*claims*/) {
  header["typ"] = "JWT";
}

void show_private_key(Json& header, Json& /*claims*/) {
  header["jwk"]["d"] = std::string(43, 'd');
}

void name_method_get(Json& /*header*/, Json& claims) {
  claims["htm"] = "GET";
}

void leave_out_jti(Json& /*header*/, Json& claims) {
  claims.erase("jti");
}

void leave_out_iat(Json& /*header*/, Json& claims) {
  claims.erase("iat");
}

void name_no_algorithm(Json& header, Json& /*claims*/) {
  header["alg"] = "none";
}

void name_symmetric_algorithm(Json& header, Json& /*claims*/) {
  header["alg"] = "HS256";
}

}  // namespace assay::scenarios
