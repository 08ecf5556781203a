// Proofs of possession: whether a client has the key to which it wants its tokens bound.
//
// RFC 9449, sections 4.3, 5 and 8.
#include <algorithm>
#include <optional>

#include "reference/authorization/server.h"
#include "reference/authorization/server_replies.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"

namespace assay::authorization {
namespace {

using transport::HttpHead;
using transport::HttpReply;

constexpr int kBadProof = 400;
constexpr const char* kInvalidProof = "invalid_dpop_proof";

std::string text_of_proof(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_private(const Json& jwk) {
  return std::any_of(std::begin(kPrivateMembers), std::end(kPrivateMembers),
                     [&](const char* name) { return jwk.contains(name); });
}

bool is_signed_well(const TokenParts& proof, const Json& jwk, const Knobs& knobs) {
  const ProofChecks& checks = knobs.conduct.proofs;
  const std::string algorithm = text_of_proof(proof.header, "alg");
  if (algorithm == "none") return !checks.algorithm;
  if (algorithm.starts_with("HS")) return !checks.symmetric;
  if (!checks.signature) return true;
  const auto& known = knobs.proof_algorithms;
  const auto key = VerifyingKey::read(jwk);
  return key != nullptr && std::find(known.begin(), known.end(), algorithm) != known.end() &&
         key->verifies(algorithm, proof.signed_part, proof.signature);
}

// Why it does not hold; null if it does.
const char* trouble_with_proof(const TokenParts& proof, const Json& jwk, const std::string& place,
                               const Knobs& knobs) {
  const ProofChecks& checks = knobs.conduct.proofs;
  if (checks.type && text_of_proof(proof.header, "typ") != wire::kProofType) {
    return "the proof is of another type";
  }
  if (checks.key && (!jwk.is_object() || is_private(jwk))) return "the proof has no public key";
  if (!is_signed_well(proof, jwk, knobs)) return "the proof is not signed with its key";
  const auto made = proof.claims.find("iat");
  const bool has_claims = made != proof.claims.end() && made->is_number() &&
                          !text_of_proof(proof.claims, "jti").empty();
  if (checks.claims && !has_claims) return "the proof lacks jti or iat";
  if (checks.method && text_of_proof(proof.claims, "htm") != "POST") {
    return "the proof is for another method";
  }
  if (checks.place && text_of_proof(proof.claims, "htu") != place) {
    return "the proof is for another place";
  }
  return nullptr;
}

}  // namespace

std::variant<std::string, HttpReply> Server::shown_key(const KnownClient& client,
                                                       const HttpHead& request) {
  const ProofChecks& checks = knobs_.conduct.proofs;
  std::vector<std::string> shown;
  for (const auto& [name, value] : request.headers) {
    if (wire::equals_without_case(name, wire::kProofName)) shown.push_back(value);
  }
  const bool is_bound = client.has_bound_tokens && knobs_.conduct.binds_registered_clients;
  if (knobs_.proof_algorithms.empty() || (shown.empty() && !is_bound)) return "";
  if (shown.empty()) return refuse(kBadProof, kInvalidProof, "the client has to show a proof");
  const auto proof = read_token(shown.front());
  if (!proof || shown.size() > 1) {
    if (!checks.form) return "";
    return refuse(kBadProof, kInvalidProof, "there has to be one proof, which is a JWT");
  }
  const auto jwk = proof->header.find("jwk");
  const Json key = jwk == proof->header.end() ? Json() : *jwk;
  const std::string place = origin_ + endpoints_path() + "/token";
  if (const char* trouble = trouble_with_proof(*proof, key, place, knobs_)) {
    return refuse(kBadProof, kInvalidProof, trouble);
  }
  const std::string& nonce = knobs_.proof_nonce;
  if (!nonce.empty() && text_of_proof(proof->claims, "nonce") != nonce) {
    HttpReply reply = refuse(kBadProof, wire::kUseNonce, "the proof has to hold a nonce");
    reply.headers.emplace_back(wire::kNonceField, nonce);
    return reply;
  }
  return wire::jwk_thumbprint(key);
}

}  // namespace assay::authorization
