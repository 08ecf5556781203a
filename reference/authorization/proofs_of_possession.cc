#include "reference/authorization/proofs_of_possession.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "reference/authorization/proof_checks.h"
#include "reference/transport/http_url.h"
#include "reference/transport/random_id.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"

namespace assay::authorization {
namespace {

using transport::TokenDuty;

// Given to clients that did not come back; then all are given anew.
constexpr std::size_t kMostNonces = 1000;

const transport::ProofReader::Refusal& bad_proof() {
  static const transport::ProofReader::Refusal kBad{.error = "invalid_dpop_proof"};
  return kBad;
}

std::vector<std::string> proofs_in(const transport::HttpHead& request) {
  std::vector<std::string> shown;
  for (const auto& [name, value] : request.headers) {
    if (wire::equals_without_case(name, wire::kProofName)) shown.push_back(value);
  }
  return shown;
}

}  // namespace

ProofsOfPossession::ProofsOfPossession(std::vector<TokenDuty> overlooked, ProofManner manner)
    : overlooked_(std::move(overlooked)), manner_(manner) {}

bool ProofsOfPossession::does(TokenDuty duty) const {
  return std::find(overlooked_.begin(), overlooked_.end(), duty) == overlooked_.end();
}

std::optional<transport::ProofReader::Refusal> ProofsOfPossession::refusal(
    const transport::HttpHead& request, std::string_view body, const transport::AccessToken& token,
    const std::string& endpoint) {
  const std::vector<std::string> shown = proofs_in(request);
  if (shown.empty())
    return does(TokenDuty::kWantsProofs) ? std::optional(bad_proof()) : std::nullopt;
  const auto proof = read_token(shown.front());
  if (!proof || (shown.size() > 1 && does(TokenDuty::kCountsProofs))) return bad_proof();
  if (auto refused = wanted_nonce(*proof)) return refused;
  const bool has_body = request.method == "POST";
  const bool is_good =
      holds(*proof, request, token, endpoint) && (!has_body || is_for_body(proof->claims, body));
  return is_good ? std::nullopt : std::optional(bad_proof());
}

std::optional<transport::ProofReader::Refusal> ProofsOfPossession::wanted_nonce(
    const TokenParts& proof) {
  if (!manner_.gives_nonces) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (nonces_.erase(text_in_proof(proof.claims, "nonce")) > 0) return std::nullopt;
  if (nonces_.size() == kMostNonces) nonces_.clear();
  return Refusal{wire::kUseNonce, *nonces_.insert(transport::random_id()).first};
}

bool ProofsOfPossession::holds(const TokenParts& proof, const transport::HttpHead& request,
                               const transport::AccessToken& token,
                               const std::string& endpoint) const {
  const bool is_excused = !proof.header.contains("typ") && !does(TokenDuty::kWantsProofTypes);
  const ProofChecks checks = {
      .type = does(TokenDuty::kComparesProofTypes) && !is_excused,
      .algorithm = does(TokenDuty::kRefusesUnsignedProofs),
      .symmetric = does(TokenDuty::kRefusesProofsBySecret),
      .key = does(TokenDuty::kWantsPublicProofKeys),
      .signature = does(TokenDuty::kVerifiesProofs),
      .claims = does(TokenDuty::kWantsProofClaims),
      .method = does(TokenDuty::kComparesProofMethods),
      .place = does(TokenDuty::kComparesProofPlaces) && !passes_in_part(proof, endpoint),
  };
  const auto found = proof.header.find("jwk");
  const Json jwk = found == proof.header.end() ? Json() : *found;
  const ExpectedProof expected = {request.method, endpoint, algorithms_};
  if (trouble_with_proof(proof, jwk, expected, checks) != nullptr) return false;
  const bool is_of_key =
      !does(TokenDuty::kComparesProofKeys) || wire::jwk_thumbprint(jwk) == token.key;
  const bool is_of_token =
      !does(TokenDuty::kComparesTokenHashes) ||
      text_in_proof(proof.claims, "ath") == wire::access_token_hash(token.text);
  return is_of_key && is_of_token && is_timely(proof.claims);
}

bool ProofsOfPossession::passes_in_part(const TokenParts& proof,
                                        const std::string& endpoint) const {
  const auto said = transport::HttpUrl::parse(text_in_proof(proof.claims, "htu"));
  const auto own = transport::HttpUrl::parse(endpoint);
  const auto* there = std::get_if<transport::HttpUrl>(&said);
  const auto* here = std::get_if<transport::HttpUrl>(&own);
  if (there == nullptr || here == nullptr) return false;
  return (!does(TokenDuty::kComparesProofOrigins) && there->target == here->target) ||
         (!does(TokenDuty::kComparesProofPaths) && there->origin() == here->origin());
}

bool ProofsOfPossession::is_timely(const Json& claims) const {
  const auto made = claims.find("iat");
  if (made == claims.end() || !made->is_number()) return true;  // a matter of the claims
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const double age = now - made->get<double>();
  const auto window = static_cast<double>(manner_.window.count());
  return (age <= window || !does(TokenDuty::kChecksAgeOfProofs)) &&
         (age >= -window || !does(TokenDuty::kChecksFutureOfProofs));
}

bool ProofsOfPossession::is_for_body(const Json& claims, std::string_view body) const {
  if (!claims.contains("content_digest")) return !does(TokenDuty::kWantsDigests);
  return text_in_proof(claims, "content_digest") == wire::content_digest(body) ||
         !does(TokenDuty::kComparesDigests);
}

}  // namespace assay::authorization
