// Proofs of possession: whether a client has the key to which it wants its tokens bound.
//
// RFC 9449, sections 4.3, 5 and 8.
#include <optional>

#include "reference/authorization/proof_checks.h"
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
  const ExpectedProof expected = {"POST", place, knobs_.proof_algorithms};
  if (const char* trouble = trouble_with_proof(*proof, key, expected, checks)) {
    return refuse(kBadProof, kInvalidProof, trouble);
  }
  const std::string& nonce = knobs_.proof_nonce;
  if (!nonce.empty() && text_in_proof(proof->claims, "nonce") != nonce) {
    HttpReply reply = refuse(kBadProof, wire::kUseNonce, "the proof has to hold a nonce");
    reply.headers.emplace_back(wire::kNonceField, nonce);
    return reply;
  }
  return wire::jwk_thumbprint(key);
}

}  // namespace assay::authorization
