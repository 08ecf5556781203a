// What a client can get wrong when its tokens are bound to a key: the proofs that it has that key.
//
// Extension io.modelcontextprotocol/auth/dpop.
#include "reference/client/faults/authorization.h"
#include "reference/wire/base64.h"
#include "reference/wire/dpop.h"
#include "reference/wire/json.h"
#include "reference/wire/pkce.h"

namespace assay::client {
namespace {

constexpr std::string_view kProofSent = "ext-dpop.proof-sent";
constexpr std::string_view kProofForm = "ext-dpop.proof-well-formed";
constexpr std::string_view kProofSigned = "ext-dpop.proof-signed";
constexpr std::string_view kProofClaims = "ext-dpop.proof-claims";
constexpr std::string_view kProofFresh = "ext-dpop.proof-fresh";
constexpr std::string_view kProofNonce = "ext-dpop.nonce-used";
constexpr std::string_view kProofDigest = "ext-dpop.content-digest-sent";
constexpr std::string_view kProofDigestValue = "ext-dpop.content-digest-calculated";
constexpr std::string_view kProofForTokens = "ext-dpop.token-request-proof";
constexpr std::string_view kProofKeys = "ext-dpop.keys-protected";
constexpr std::string_view kProofAlgorithm = "ext-dpop.algorithm-asymmetric";

constexpr ProofFor kServer = ProofFor::kServer;
constexpr ProofFor kTokens = ProofFor::kTokenEndpoint;

Fault proof_fault(std::string_view id, std::string_view description, std::string_view rule,
                  void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {rule}, nullptr, login);
}

// Before they are signed.
template <ProofFor kFor, auto kSpoil>
void spoils_proofs(LoginConduct& conduct) {
  conduct.proof = [](Json& header, Json& claims, ProofFor receiver) {
    if (receiver == kFor) kSpoil(header, claims);
  };
}

// After that.
template <ProofFor kFor, auto kSpoil>
void spoils_signed_proofs(LoginConduct& conduct) {
  conduct.signed_proof = [](std::string proof, ProofFor receiver) {
    return receiver == kFor ? kSpoil(std::move(proof)) : proof;
  };
}

// Of the signature the first letter is another.
std::string with_other_signature(std::string proof) {
  char& first = proof[proof.rfind('.') + 1];
  first = first == 'A' ? 'B' : 'A';
  return proof;
}

std::string with_no_signature(std::string proof) {
  return proof.substr(0, proof.rfind('.') + 1);
}

std::string hash_in(const Json& claims) {
  const std::string said = claims.value("content_digest", "");
  const std::size_t begin = said.find(':') + 1;
  return begin == 0 ? "" : said.substr(begin, said.size() - begin - 1);
}

// Only where there is one: the proof is for a message.
template <auto kWrite>
void writes_digest(LoginConduct& conduct) {
  spoils_proofs<kServer, [](Json&, Json& claims) {
    const std::string hash = hash_in(claims);
    if (!hash.empty()) claims["content_digest"] = kWrite(hash);
  }>(conduct);
}

std::vector<Fault> proofs_in_requests() {
  return {
      proof_fault("proof-as-bearer", "Shows a token of the type DPoP as a bearer token",
                  "ext-dpop.scheme-named", [](LoginConduct& c) { c.bound_scheme = "Bearer"; }),
      proof_fault("proof-left-out", "Shows a token that is bound to its key without a proof",
                  kProofSent, [](LoginConduct& c) { c.proves_requests = false; }),
      proof_fault("proof-in-two-fields", "Sends two proofs with each request", kProofSent,
                  [](LoginConduct& c) { c.proofs = 2; }),
      proof_fault("proof-used-again", "Sends the same proof with each request", kProofFresh,
                  [](LoginConduct& c) { c.makes_new_proofs = false; }),
      proof_fault("proof-one-jti", "Gives each of its proofs the same jti", kProofFresh,
                  [](LoginConduct& c) { c.makes_new_numbers = false; }),
      proof_fault("proof-of-other-key", "Proves to have another key than that of its token",
                  kProofSigned, [](LoginConduct& c) { c.keeps_proof_key = false; }),
      proof_fault("proof-not-for-token",
                  "Sends no proof for the token, and takes it for bound to its key",
                  kProofForTokens, [](LoginConduct& c) { c.proves_token_requests = false; }),
      proof_fault("proof-without-nonce", "Does not use the nonce that the server gave", kProofNonce,
                  [](LoginConduct& c) { c.heeds_nonce = false; }),
      proof_fault("proof-for-token-without-nonce",
                  "Does not use the nonce that the token endpoint gave", kProofNonce,
                  [](LoginConduct& c) { c.heeds_nonce_of_token_endpoint = false; }),
      proof_fault("proof-other-nonce", "Uses a nonce of its own for the server", kProofNonce,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  if (claims.contains("nonce"))
                                    claims["nonce"] = "a-nonce-of-its-own";
                                }>),
      proof_fault("proof-for-token-other-nonce", "Uses a nonce of its own for the token endpoint",
                  kProofNonce,
                  spoils_proofs<kTokens,
                                [](Json&, Json& claims) {
                                  if (claims.contains("nonce"))
                                    claims["nonce"] = "a-nonce-of-its-own";
                                }>),
  };
}

std::vector<Fault> forms_of_proofs() {
  return {
      proof_fault("proof-no-jwt", "Sends a proof that is not a JWT", kProofForm,
                  spoils_signed_proofs<kServer, [](std::string) { return std::string("proof"); }>),
      proof_fault("proof-other-type", "Gives its proofs the type JWT", kProofForm,
                  spoils_proofs<kServer, [](Json& header, Json&) { header["typ"] = "JWT"; }>),
      proof_fault("proof-without-type", "Gives its proofs no type", kProofForm,
                  spoils_proofs<kServer, [](Json& header, Json&) { header.erase("typ"); }>),
      proof_fault("proof-without-alg", "Names no algorithm in its proofs", kProofForm,
                  spoils_proofs<kServer, [](Json& header, Json&) { header.erase("alg"); }>),
      proof_fault("proof-names-key", "Names its key in its proofs, in place of showing it",
                  kProofForm,
                  spoils_proofs<kServer,
                                [](Json& header, Json&) {
                                  header["kid"] = wire::jwk_thumbprint(header["jwk"]);
                                  header.erase("jwk");
                                }>),
      proof_fault("proof-for-token-other-type", "Gives its proofs for tokens the type JWT",
                  kProofForm,
                  spoils_proofs<kTokens, [](Json& header, Json&) { header["typ"] = "JWT"; }>),
      proof_fault("proof-other-signature", "Sends proofs with a signature that is spoilt",
                  kProofSigned, spoils_signed_proofs<kServer, with_other_signature>),
      proof_fault("proof-no-signature", "Sends proofs without a signature", kProofSigned,
                  spoils_signed_proofs<kServer, with_no_signature>),
      proof_fault("proof-for-token-other-signature",
                  "Sends proofs for tokens with a signature that is spoilt", kProofSigned,
                  spoils_signed_proofs<kTokens, with_other_signature>),
      proof_fault("proof-with-private-key", "Shows its private key in its proofs", kProofKeys,
                  spoils_proofs<kServer,
                                [](Json& header, Json&) {
                                  header["jwk"]["d"] = wire::encode_base64url(std::string(32, 'd'));
                                }>),
      proof_fault("proof-for-token-with-private-key",
                  "Shows its private key in its proofs for tokens", kProofKeys,
                  spoils_proofs<kTokens,
                                [](Json& header, Json&) {
                                  header["jwk"]["d"] = wire::encode_base64url(std::string(32, 'd'));
                                }>),
      proof_fault("proof-unsigned", "Says that its proofs are not signed", kProofAlgorithm,
                  spoils_proofs<kServer, [](Json& header, Json&) { header["alg"] = "none"; }>),
      proof_fault("proof-by-secret", "Signs its proofs by a secret", kProofAlgorithm,
                  spoils_proofs<kServer, [](Json& header, Json&) { header["alg"] = "HS256"; }>),
      proof_fault("proof-for-token-unsigned", "Says that its proofs for tokens are not signed",
                  kProofAlgorithm,
                  spoils_proofs<kTokens, [](Json& header, Json&) { header["alg"] = "none"; }>),
  };
}

std::vector<Fault> claims_of_proofs() {
  return {
      proof_fault("proof-without-jti", "Leaves jti out of its proofs", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("jti"); }>),
      proof_fault("proof-without-htm", "Leaves htm out of its proofs", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("htm"); }>),
      proof_fault("proof-other-method", "Makes its proofs for PUT", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims["htm"] = "PUT"; }>),
      proof_fault("proof-method-in-small-letters", "Writes htm in small letters", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims["htm"] = "post"; }>),
      proof_fault("proof-without-htu", "Leaves htu out of its proofs", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("htu"); }>),
      proof_fault("proof-for-origin", "Makes its proofs for the host, and not for the endpoint",
                  kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  const std::string place = claims["htu"];
                                  claims["htu"] = place.substr(0, place.rfind('/'));
                                }>),
      proof_fault("proof-for-path", "Makes its proofs for a path without a host", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims["htu"] = "/mcp"; }>),
      proof_fault("proof-with-query", "Adds a query to htu", kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  claims["htu"] = claims["htu"].get<std::string>() + "?v=1";
                                }>),
      proof_fault("proof-without-iat", "Leaves iat out of its proofs", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("iat"); }>),
      proof_fault("proof-time-as-text", "Writes iat as a string", kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) { claims["iat"] = claims["iat"].dump(); }>),
      proof_fault("proof-in-milliseconds", "Counts iat in milliseconds", kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  claims["iat"] = claims["iat"].get<std::int64_t>() * 1000;
                                }>),
      proof_fault("proof-without-ath", "Leaves ath out of its proofs", kProofClaims,
                  spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("ath"); }>),
      proof_fault("proof-of-other-token", "Makes its proofs for another token", kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  claims["ath"] = wire::access_token_hash("another token");
                                }>),
      proof_fault("proof-padded-ath", "Pads ath", kProofClaims,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  claims["ath"] = claims["ath"].get<std::string>() + "=";
                                }>),
      proof_fault("proof-for-token-other-method", "Makes its proofs for tokens for GET",
                  kProofForTokens,
                  spoils_proofs<kTokens, [](Json&, Json& claims) { claims["htm"] = "GET"; }>),
      proof_fault("proof-for-token-other-place", "Makes its proofs for tokens for another place",
                  kProofForTokens,
                  spoils_proofs<kTokens,
                                [](Json&, Json& claims) {
                                  claims["htu"] = claims["htu"].get<std::string>() + "/other";
                                }>),
      proof_fault("proof-for-token-without-jti", "Leaves jti out of its proofs for tokens",
                  kProofForTokens,
                  spoils_proofs<kTokens, [](Json&, Json& claims) { claims.erase("jti"); }>),
      proof_fault("proof-for-token-without-iat", "Leaves iat out of its proofs for tokens",
                  kProofForTokens,
                  spoils_proofs<kTokens, [](Json&, Json& claims) { claims.erase("iat"); }>),
  };
}

std::vector<Fault> digests_in_proofs() {
  return {
      proof_fault(
          "proof-without-digest", "Leaves content_digest out of its proofs", kProofDigest,
          spoils_proofs<kServer, [](Json&, Json& claims) { claims.erase("content_digest"); }>),
      proof_fault("proof-misnamed-digest", "Names content_digest as the header field is named",
                  kProofDigest,
                  spoils_proofs<kServer,
                                [](Json&, Json& claims) {
                                  if (!claims.contains("content_digest")) return;
                                  claims["content-digest"] = claims["content_digest"];
                                  claims.erase("content_digest");
                                }>),
      proof_fault("proof-bare-digest", "Writes content_digest without sha-256 and colons",
                  kProofDigestValue, writes_digest<[](std::string hash) { return hash; }>),
      proof_fault("proof-digest-for-urls", "Writes content_digest in base64url", kProofDigestValue,
                  writes_digest<[](const std::string& hash) {
                    const std::string bytes = wire::decode_base64(hash).value_or("");
                    return "sha-256=:" + wire::encode_base64url(bytes) + ":";
                  }>),
      proof_fault("proof-digest-without-colons", "Leaves out the colons of content_digest",
                  kProofDigestValue,
                  writes_digest<[](const std::string& hash) { return "sha-256=" + hash; }>),
      proof_fault("proof-digest-of-other-body", "Digests another body", kProofDigestValue,
                  writes_digest<[](const std::string&) { return wire::content_digest("{}"); }>),
      proof_fault(
          "proof-digest-of-digest", "Digests the digest", kProofDigestValue,
          writes_digest<[](const std::string& hash) { return wire::content_digest(hash); }>),
      proof_fault("proof-digest-at-token-endpoint", "Adds content_digest for the token endpoint",
                  "ext-dpop.no-content-digest-at-token-endpoint",
                  spoils_proofs<kTokens,
                                [](Json&, Json& claims) {
                                  claims["content_digest"] = wire::content_digest("grant_type=");
                                }>),
  };
}

}  // namespace

std::vector<Fault> proof_faults() {
  std::vector<Fault> all = proofs_in_requests();
  for (auto table : {forms_of_proofs(), claims_of_proofs(), digests_in_proofs()}) {
    for (Fault& each : table) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace assay::client
