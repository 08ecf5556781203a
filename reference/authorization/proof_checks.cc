#include "reference/authorization/proof_checks.h"

#include <algorithm>
#include <iterator>

#include "reference/wire/dpop.h"

namespace assay::authorization {
namespace {

bool is_private(const Json& jwk) {
  return std::any_of(std::begin(kPrivateMembers), std::end(kPrivateMembers),
                     [&](const char* name) { return jwk.contains(name); });
}

bool is_signed_well(const TokenParts& proof, const Json& jwk, const ExpectedProof& expected,
                    const ProofChecks& checks) {
  const std::string algorithm = text_in_proof(proof.header, "alg");
  if (algorithm == "none") return !checks.algorithm;
  if (algorithm.starts_with("HS")) return !checks.symmetric;
  if (!checks.signature) return true;
  const auto& known = expected.algorithms;
  const auto key = VerifyingKey::read(jwk);
  return key != nullptr && std::find(known.begin(), known.end(), algorithm) != known.end() &&
         key->verifies(algorithm, proof.signed_part, proof.signature);
}

}  // namespace

std::string text_in_proof(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const char* trouble_with_proof(const TokenParts& proof, const Json& jwk,
                               const ExpectedProof& expected, const ProofChecks& checks) {
  if (checks.type && text_in_proof(proof.header, "typ") != wire::kProofType) {
    return "the proof is of another type";
  }
  if (checks.key && (!jwk.is_object() || is_private(jwk))) return "the proof has no public key";
  if (!is_signed_well(proof, jwk, expected, checks)) return "the proof is not signed with its key";
  const auto made = proof.claims.find("iat");
  const bool has_claims = made != proof.claims.end() && made->is_number() &&
                          !text_in_proof(proof.claims, "jti").empty();
  if (checks.claims && !has_claims) return "the proof lacks jti or iat";
  if (checks.method && text_in_proof(proof.claims, "htm") != expected.method) {
    return "the proof is for another method";
  }
  if (checks.place && text_in_proof(proof.claims, "htu") != expected.place) {
    return "the proof is for another place";
  }
  return nullptr;
}

}  // namespace assay::authorization
