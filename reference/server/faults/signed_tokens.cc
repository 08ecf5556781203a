// Faults of a server that reads tokens which an authorization server signed, and does not look at
// all of them. Specification: basic/authorization, "Token Handling", which follows OAuth 2.1,
// section 5.2; RFC 7515, 7519 and 9068.
#include "reference/server/faults/fault.h"
#include "reference/server/revision_questions.h"

namespace assay::server {
namespace {

using transport::TokenDuty;

// A token that nobody vouches for.
Fault invalid_token(std::string_view id, std::string_view description, TokenDuty duty) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                     "authorization.other-tokens-not-accepted",
                     "authorization.validated-before-processing"},
          .overlooks = duty};
}

// A good token of somebody else.
Fault foreign_token(std::string_view id, std::string_view description, TokenDuty duty) {
  return {
      .id = id,
      .description = description,
      .breaks = {"authorization.audience-validated", "authorization.intended-tokens-only",
                 "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.invalid-token-401"},
      .concerns = has_resource_metadata,
      .overlooks = duty};
}

Fault expired_token() {
  Fault fault =
      invalid_token("jwt-expired", "Takes a token whose time is over", TokenDuty::kChecksExpiry);
  fault.breaks.push_back("authorization.token-expiration");
  return fault;
}

}  // namespace

std::vector<Fault> signed_token_faults() {
  return {
      invalid_token("jwt-signature-unchecked",
                    "Believes what a token says, without looking at its signature",
                    TokenDuty::kWantsSignature),
      invalid_token("jwt-unsigned", "Takes a token whose header says alg: none",
                    TokenDuty::kRefusesUnsigned),
      invalid_token("jwt-empty-signature", "Takes a token whose signature is empty",
                    TokenDuty::kRefusesEmptySignature),
      invalid_token("jwt-key-as-secret",
                    "Takes the public key for the secret of a token that says HS256",
                    TokenDuty::kKnowsAlgorithms),
      invalid_token("jwt-of-unknown-key", "Takes a token whose key it does not find for a good one",
                    TokenDuty::kKnowsKeys),
      invalid_token("jwt-brings-its-key", "Verifies a token by the key in the token's own header",
                    TokenDuty::kKeepsToKnownKeys),
      invalid_token("jwt-key-kept", "Takes tokens of a key that is published no longer",
                    TokenDuty::kForgetsKeys),
      expired_token(),
      invalid_token("jwt-too-early", "Takes a token whose time has not come",
                    TokenDuty::kChecksBeginning),
      invalid_token("jwt-of-any-issuer", "Takes a token that names another issuer",
                    TokenDuty::kChecksIssuer),
      foreign_token("jwt-for-any-audience", "Takes a token that was issued for another server",
                    TokenDuty::kChecksAudience),
      foreign_token("jwt-for-nobody", "Takes a token that names no audience",
                    TokenDuty::kWantsAudience),
      foreign_token("jwt-audience-by-prefix",
                    "Takes a token for a server whose address begins like its own",
                    TokenDuty::kComparesWholeAudience),
      foreign_token("jwt-audience-by-origin",
                    "Takes a token for another server of the same host and port",
                    TokenDuty::kComparesPaths),
  };
}

}  // namespace assay::server
