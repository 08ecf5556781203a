// A client whose tokens are bound to its key, which proves with each request that it has that key.
//
// Extension io.modelcontextprotocol/auth/dpop.
#include <optional>

#include "harness/host/play.h"
#include "reference/wire/challenge.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "scenarios/clients/login_play.h"
#include "scenarios/clients/proof_review.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using transport::HttpHead;
using transport::HttpReply;

constexpr catalogue::RequirementId kNonceOfServers("ext-dpop.nonce-used");
constexpr const char* kServerNonce = "nonce-of-the-server-51c2";
constexpr const char* kTokenNonce = "nonce-of-the-token-endpoint-9e07";

// What a client that sends without end may make us remember.
constexpr std::size_t kMostProofs = 1000;

LoginTerms bound_terms() {
  LoginTerms terms;
  terms.binds_tokens = true;
  return terms;
}

std::string first_proof(const HttpHead& request) {
  const auto field = transport::find_header(request.headers, wire::kProofName);
  return field ? std::string(wire::trim_blanks(*field)) : "";
}

// It takes each proof, so that what comes after a bad one is seen as well.
class PossessionPlay : public LoginPlay {
 public:
  PossessionPlay() : LoginPlay(bound_terms()) {}

  std::optional<HttpReply> on_request(const HttpHead& request, std::string_view body) override {
    const std::string proof = first_proof(request);
    if (!proof.empty() && digests_.size() < kMostProofs) {
      digests_[proof].insert(wire::content_digest(body));
    }
    return LoginPlay::on_request(request, body);
  }

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.signing = authorization::Signing::kEs256;
    knobs.proof_algorithms = {"ES256", "RS256"};
    knobs.conduct.proofs = {.form = false,
                            .type = false,
                            .algorithm = false,
                            .symmetric = false,
                            .key = false,
                            .signature = false,
                            .claims = false,
                            .method = false,
                            .place = false};
    return knobs;
  }
  void judge(LoginReview& login) override { ProofReview(login, digests_).judge(); }

 private:
  DigestsSeen digests_;
};

// Both servers want a nonce of their own in each proof.
class NoncePlay : public PossessionPlay {
 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs = PossessionPlay::furnish(origin);
    knobs.proof_nonce = kTokenNonce;
    return knobs;
  }
  std::optional<std::string> begin(const harness::Venue& venue) override {
    metadata_ = venue.origin + kMetadataOfEndpoint;
    return PossessionPlay::begin(venue);
  }
  // Who shows no proof is let in: that is judged, and no nonce would help.
  std::optional<HttpReply> in_place_of(const HttpHead& request) override {
    const auto proof = authorization::read_token(first_proof(request));
    if (!proof || proof->claims.value("nonce", Json()) == kServerNonce) return std::nullopt;
    wire::Challenge challenge;
    challenge.scheme = wire::kProofName;
    challenge.parameters = {{"error", wire::kUseNonce}, {"resource_metadata", metadata_}};
    return HttpReply{401,
                     {{"Content-Type", "text/plain"},
                      {"WWW-Authenticate", wire::write_challenge(challenge)},
                      {wire::kNonceField, kServerNonce}},
                     "This server wants a nonce in each proof",
                     nullptr};
  }

 private:
  std::string metadata_;
};

harness::ClientScenario possession_scenario(std::string_view name, std::string_view task,
                                            std::unique_ptr<harness::Play> (*make)(),
                                            std::vector<catalogue::RequirementId> rules) {
  harness::ClientScenario scenario = login_scenario(name, task, make, nullptr, std::move(rules));
  scenario.topic = "";
  scenario.extension = "dpop";
  return scenario;
}

std::vector<catalogue::RequirementId> rules_with_nonce() {
  std::vector<catalogue::RequirementId> rules = ProofReview::rules();
  rules.push_back(kNonceOfServers);
  return rules;
}

const ClientScenarioRegistration kPossession(possession_scenario(
    "auth/dpop",
    "gets a token that is bound to its key, and proves with each request that it has that key",
    harness::make_play<PossessionPlay>, ProofReview::rules()));
const ClientScenarioRegistration kPossessionWithNonce(possession_scenario(
    "auth/dpop-nonce", "does the same with nonces, which both servers want in each proof",
    harness::make_play<NoncePlay>, rules_with_nonce()));

}  // namespace
}  // namespace assay::scenarios
