// Faults of a server that reads tokens which an authorization server signed, and does not look at
// all of them. Specification: basic/authorization, "Token Handling", which follows OAuth 2.1,
// section 5.2; RFC 7515, 7519 and 9068.
#include "reference/server/faults/fault.h"

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
      .concerns = &model::Revision::has_resource_metadata,
      .overlooks = duty};
}

Fault expired_token(std::string_view id, std::string_view description, TokenDuty duty) {
  Fault fault = invalid_token(id, description, duty);
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
      expired_token("jwt-expired", "Takes a token whose time is over", TokenDuty::kChecksExpiry),
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
      invalid_token("jwt-unsigned-in-any-case", "Takes a token whose header says alg: nOnE",
                    TokenDuty::kKnowsSpellingsOfNone),
      invalid_token("jwt-signature-of-zeros", "Takes a signature that is all zeros",
                    TokenDuty::kRefusesZeroSignatures),
      invalid_token("jwt-key-from-its-url",
                    "Fetches the key of a token from where the token says (jku)",
                    TokenDuty::kFetchesNoForeignKeys),
      invalid_token("jwt-key-from-file",
                    "Reads the key of a token from the file that its kid names",
                    TokenDuty::kKeepsFilesOutOfKeys),
      invalid_token("jwt-key-from-query", "Puts the kid of a token into a query for its key",
                    TokenDuty::kKeepsQueriesOutOfKeys),
      invalid_token("jwt-unknown-extension",
                    "Takes a token with an extension that it does not know",
                    TokenDuty::kKnowsExtensions),
      invalid_token("jwt-nested-unverified",
                    "Takes a token inside an unverified token for a good one",
                    TokenDuty::kVerifiesNestedTokens),
      invalid_token("jwt-issuer-by-prefix", "Takes a token whose issuer begins like its own",
                    TokenDuty::kComparesIssuerToItsEnd),
      invalid_token("jwt-issuer-by-suffix", "Takes a token whose issuer ends like its own",
                    TokenDuty::kComparesIssuerFromItsBeginning),
      invalid_token("jwt-issuer-among-others", "Takes a token that names several issuers",
                    TokenDuty::kWantsOneIssuer),
      expired_token("jwt-expiry-as-text", "Does not look at an expiry that is a text",
                    TokenDuty::kReadsExpiryOfAnyForm),
      expired_token("jwt-expiry-of-zero", "Takes the expiry 0 for none at all",
                    TokenDuty::kReadsExpiryOfZero),
      expired_token("jwt-remembered", "Remembers tokens that were good, and not until when",
                    TokenDuty::kForgetsTokens),
      invalid_token("jwt-of-any-type-but-one", "Refuses the type JWT, and takes all others",
                    TokenDuty::kKnowsTypes),
      invalid_token("jwt-brings-its-certificate",
                    "Verifies a token by the certificate in the token's own header (x5c)",
                    TokenDuty::kKnowsNoCertificates),
      invalid_token("jwt-certificate-from-its-url",
                    "Fetches the certificate of a token from where the token says (x5u)",
                    TokenDuty::kFetchesNoCertificates),
      invalid_token("jwt-keys-of-its-issuer",
                    "Asks whatever issuer a token names for the keys of the token",
                    TokenDuty::kAsksNoOtherIssuers),
      invalid_token("jwt-without-algorithm", "Takes a token whose header has no alg for unsigned",
                    TokenDuty::kWantsAlgorithm),
      invalid_token("jwt-key-as-long-secret",
                    "Takes the public key for the secret of a token that says HS512",
                    TokenDuty::kKnowsFurtherAlgorithms),
      invalid_token("jwt-by-common-secret", "Takes a token that is signed by the word \"secret\"",
                    TokenDuty::kHasNoCommonSecret),
      invalid_token("jwt-of-four-parts", "Takes a good token with a further part at its end",
                    TokenDuty::kCountsParts),
      invalid_token("jwt-beginning-as-text", "Does not look at an nbf that is a text",
                    TokenDuty::kReadsBeginningOfAnyForm),
      foreign_token("jwt-for-a-path-below", "Takes a token for what is below its own path",
                    TokenDuty::kTellsPathsBelowFromAudiences),
      foreign_token("jwt-audience-by-suffix",
                    "Takes a token for a server whose address ends like its own",
                    TokenDuty::kComparesAudienceFromItsBeginning),
      foreign_token("jwt-for-the-issuer", "Takes a token for the authorization server itself",
                    TokenDuty::kTellsIssuersFromAudiences),
      foreign_token("jwt-for-the-client", "Takes a token for the client: an ID token",
                    TokenDuty::kTellsClientsFromAudiences),
      foreign_token("jwt-for-an-empty-list", "Takes a token whose list of audiences is empty",
                    TokenDuty::kWantsAudienceInList),
  };
}

}  // namespace assay::server
