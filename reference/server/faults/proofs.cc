// Faults of a server that reads proofs of possession, and does not look at all of them, or refuses
// them in its own manner. Extension io.modelcontextprotocol/auth/dpop, "MCP Server Validation".
#include "reference/server/faults/fault.h"
#include "reference/server/faults/tokens.h"
#include "reference/wire/dpop.h"

namespace assay::server {
namespace {

using transport::HttpHead;
using transport::HttpReply;
using transport::TokenDuty;

// Where a token may be bound to a key.
constexpr model::Revision::Question kBindsTokens = &model::Revision::has_scope_challenges;

constexpr std::string_view kHeldProofs = "ext-dpop.proofs-validated";
constexpr std::string_view kEndpoints = "ext-dpop.endpoint-compared";
constexpr std::string_view kDigests = "ext-dpop.content-digest-compared";
constexpr std::string_view kWeakAlgorithms = "ext-dpop.weak-algorithms-refused";
constexpr std::string_view kWindow = "ext-dpop.window-kept";
constexpr std::string_view kForm = "ext-dpop.refused-with-challenge";

Fault lax_proof(std::string_view id, std::string_view description, std::string_view rule,
                TokenDuty duty) {
  return {.id = id,
          .description = description,
          .breaks = {rule},
          .concerns = kBindsTokens,
          .overlooks = duty};
}

using ReplySpoiler = void (*)(const HttpHead&, std::string_view, HttpReply&);

Fault odd_refusal(std::string_view id, std::string_view description, ReplySpoiler reply) {
  return {.id = id,
          .description = description,
          .breaks = {kForm},
          .concerns = kBindsTokens,
          .reply = reply,
          .needs_signed_tokens = true};
}

bool refuses_proof(const HttpHead& request, const HttpReply& reply) {
  return is_refusal_of_token(reply) &&
         transport::find_header(request.headers, wire::kProofName).has_value();
}

std::vector<Fault> odd_refusals() {
  return {
      odd_refusal("proof-refused-with-400", "Refuses proofs with 400",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (refuses_proof(request, reply)) reply.status = 400;
                  }),
      odd_refusal("proof-refused-in-a-success", "Refuses proofs with an error in a success",
                  [](const HttpHead& request, std::string_view body, HttpReply& reply) {
                    if (!refuses_proof(request, reply)) return;
                    const Json asked = Json::parse(body, nullptr, false);
                    const Json answer = {
                        {"jsonrpc", "2.0"},
                        {"id", asked.is_object() ? asked.value("id", Json()) : Json()},
                        {"error", {{"code", -32000}, {"message", "Bad proof"}}}};
                    const transport::Header type = {"Content-Type", "application/json"};
                    reply = {200, {type}, answer.dump(), nullptr};
                  }),
      odd_refusal("proof-refused-without-challenge",
                  "Refuses proofs with 401, and no WWW-Authenticate",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (!refuses_proof(request, reply)) return;
                    std::erase_if(reply.headers, [](const transport::Header& header) {
                      return header.first == "WWW-Authenticate";
                    });
                  }),
      odd_refusal("proof-refused-as-bearer", "Names the scheme Bearer where it refuses proofs",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (!refuses_proof(request, reply)) return;
                    change_challenge(
                        reply, [](wire::Challenge& challenge) { challenge.scheme = "Bearer"; });
                  }),
      odd_refusal("proof-refused-without-error", "Names no error where it refuses proofs",
                  [](const HttpHead& request, std::string_view, HttpReply& reply) {
                    if (!refuses_proof(request, reply)) return;
                    change_challenge(
                        reply, [](wire::Challenge& challenge) { leave_out(challenge, "error"); });
                  }),
  };
}

}  // namespace

std::vector<Fault> proof_faults() {
  std::vector<Fault> faults = {
      lax_proof("proof-not-wanted", "Takes a token that is bound to a key without a proof",
                kHeldProofs, TokenDuty::kWantsProofs),
      lax_proof("proof-not-counted", "Looks at the first of two proofs", kHeldProofs,
                TokenDuty::kCountsProofs),
      lax_proof("proof-not-verified", "Does not look at the signature of a proof", kHeldProofs,
                TokenDuty::kVerifiesProofs),
      lax_proof("proof-unsigned", "Takes a proof whose header says alg: none", kWeakAlgorithms,
                TokenDuty::kRefusesUnsignedProofs),
      lax_proof("proof-by-secret", "Takes a proof whose header says alg: HS256", kWeakAlgorithms,
                TokenDuty::kRefusesProofsBySecret),
      lax_proof("proof-of-any-type", "Takes a JWT of any type for a proof", kHeldProofs,
                TokenDuty::kComparesProofTypes),
      lax_proof("proof-without-type", "Takes a JWT without a type for a proof", kHeldProofs,
                TokenDuty::kWantsProofTypes),
      lax_proof("proof-with-private-key", "Takes a proof that shows its private key", kHeldProofs,
                TokenDuty::kWantsPublicProofKeys),
      lax_proof("proof-of-any-key", "Takes a proof with another key than that of its token",
                kHeldProofs, TokenDuty::kComparesProofKeys),
      lax_proof("proof-without-claims", "Takes a proof without jti or iat", kHeldProofs,
                TokenDuty::kWantsProofClaims),
      lax_proof("proof-for-any-token", "Does not look at the ath of a proof", kHeldProofs,
                TokenDuty::kComparesTokenHashes),
      lax_proof("proof-for-any-method", "Does not look at the htm of a proof",
                "ext-dpop.method-compared", TokenDuty::kComparesProofMethods),
      lax_proof("proof-for-any-place", "Does not look at the htu of a proof", kEndpoints,
                TokenDuty::kComparesProofPlaces),
      lax_proof("proof-for-any-origin", "Looks at the path in the htu of a proof only", kEndpoints,
                TokenDuty::kComparesProofOrigins),
      lax_proof("proof-for-any-path", "Looks at the origin in the htu of a proof only", kEndpoints,
                TokenDuty::kComparesProofPaths),
      lax_proof("proof-of-any-age", "Takes a proof however old it is", kWindow,
                TokenDuty::kChecksAgeOfProofs),
      lax_proof("proof-of-the-future", "Takes a proof from a time to come", kWindow,
                TokenDuty::kChecksFutureOfProofs),
      lax_proof("proof-without-digest", "Takes a proof without content_digest",
                "ext-dpop.content-digest-required", TokenDuty::kWantsDigests),
      lax_proof("proof-for-any-body", "Does not compare content_digest with the body", kDigests,
                TokenDuty::kComparesDigests),
  };
  for (Fault& fault : odd_refusals()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::server
