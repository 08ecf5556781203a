// What a server can overlook when clients want tokens that are bound to their keys.
//
// Extension io.modelcontextprotocol/auth/dpop.
#include "reference/authorization/fault.h"

namespace assay::authorization {
namespace {

constexpr const char* kListed = "dpop_signing_alg_values_supported";
constexpr std::string_view kBoundClients = "ext-dpop.bound-clients-need-proof";
constexpr std::string_view kWeakProofs = "ext-dpop.weak-algorithms-refused-for-tokens";
constexpr std::string_view kAsymmetricOnly = "ext-dpop.algorithms-asymmetric";
constexpr std::string_view kInArray = "ext-dpop.algorithms-in-array";

Fault proof_row(std::string_view id, std::string_view description, std::string_view rule,
                void (*spoil)(Knobs& knobs)) {
  return {.id = id, .description = description, .breaks = {rule}, .spoil = spoil};
}

template <bool ProofChecks::*kCheck>
void overlook_of_proofs(Knobs& knobs) {
  knobs.conduct.proofs.*kCheck = false;
}

template <auto kList>
void list_algorithms(Knobs& knobs) {
  knobs.conduct.metadata = [](Json& json, bool) { json[kListed] = kList(); };
}

}  // namespace

std::vector<Fault> proof_faults() {
  using Checks = ProofChecks;
  return {
      proof_row(
          "as-proof-algorithms-unlisted",
          "Binds tokens to keys, and does not say so in its metadata", "ext-dpop.algorithms-listed",
          [](Knobs& k) { k.conduct.metadata = [](Json& json, bool) { json.erase(kListed); }; }),
      proof_row("as-proof-algorithms-empty", "Lists no algorithm of proofs",
                "ext-dpop.algorithms-listed", list_algorithms<[] { return Json::array(); }>),
      proof_row("as-proof-algorithms-as-text", "Lists the algorithms of proofs in one string",
                kInArray, list_algorithms<[] { return Json("ES256 RS256"); }>),
      proof_row("as-proof-algorithms-of-other-form", "Lists the algorithms of proofs as objects",
                kInArray, list_algorithms<[] {
                  return Json::array({{{"alg", "ES256"}}});
                }>),
      proof_row("as-proof-algorithm-none", "Lists none among the algorithms of proofs",
                kAsymmetricOnly, list_algorithms<[] {
                  return Json::array({"ES256", "none"});
                }>),
      proof_row("as-proof-algorithm-secret", "Lists HS256 among the algorithms of proofs",
                kAsymmetricOnly, list_algorithms<[] {
                  return Json::array({"ES256", "HS256"});
                }>),
      proof_row("as-proof-left-out", "Gives a token without a proof to a client that is bound",
                kBoundClients, [](Knobs& k) { k.conduct.binds_registered_clients = false; }),
      proof_row("as-proof-of-any-form", "Takes two proofs, and gives a token that is bound to none",
                kBoundClients, overlook_of_proofs<&Checks::form>),
      proof_row("as-proof-of-any-type", "Takes a JWT of another type for a proof", kBoundClients,
                overlook_of_proofs<&Checks::type>),
      proof_row("as-proof-with-private-key", "Takes a proof with a private key", kBoundClients,
                overlook_of_proofs<&Checks::key>),
      proof_row("as-proof-of-any-key", "Does not verify proofs", kBoundClients,
                overlook_of_proofs<&Checks::signature>),
      proof_row("as-proof-without-claims", "Takes a proof without jti or iat", kBoundClients,
                overlook_of_proofs<&Checks::claims>),
      proof_row("as-proof-of-any-method", "Takes a proof for another method", kBoundClients,
                overlook_of_proofs<&Checks::method>),
      proof_row("as-proof-of-any-place", "Takes a proof for another place", kBoundClients,
                overlook_of_proofs<&Checks::place>),
      proof_row("as-proof-unsigned", "Takes a proof that says it is not signed", kWeakProofs,
                overlook_of_proofs<&Checks::algorithm>),
      proof_row("as-proof-by-secret", "Takes a proof that is signed by a secret", kWeakProofs,
                overlook_of_proofs<&Checks::symmetric>),
  };
}

}  // namespace assay::authorization
