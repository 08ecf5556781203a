// An endpoint that serves only who shows a token: the resource server of the authorization pages.
//
// Specification: basic/authorization (2025-03-26 and later). The metadata is RFC 9728's, the
// challenge and the errors are those of OAuth 2.1, section 5. Tokens are opaque words that the
// server was given, or what a reader makes of those that an authorization server has signed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/http_listener.h"

namespace assay::transport {

inline constexpr std::string_view kResourceMetadataPath = "/.well-known/oauth-protected-resource";

struct AccessToken {
  std::string text;
  std::vector<std::string> scopes;
  std::string user;      // whose it is
  std::string key = {};  // the thumbprint of that to which it is bound; empty: to none
};

// What a resource server looks at in a token that somebody signed.
enum class TokenDuty {
  kWantsSignature,   // it is there, whole, and made with the key
  kRefusesUnsigned,  // alg: none
  kRefusesEmptySignature,
  kKnowsAlgorithms,   // a public key is no secret that one signs with
  kKnowsKeys,         // a key that is not published is nobody's
  kKeepsToKnownKeys,  // a token does not bring the key that it is verified by
  kForgetsKeys,       // those that are published no longer
  kChecksExpiry,
  kChecksBeginning,  // nbf
  kChecksIssuer,
  kChecksAudience,
  kWantsAudience,          // a token for nobody in particular is not for us
  kComparesWholeAudience,  // what begins like our address is another one
  kComparesPaths,          // what is on the same host is another one
  // Near misses of the above.
  kKnowsSpellingsOfNone,  // alg: None, NONE, ...
  kRefusesZeroSignatures,
  kFetchesNoForeignKeys,    // jku
  kKeepsFilesOutOfKeys,     // a kid that is a path of a file
  kKeepsQueriesOutOfKeys,   // a kid that is a piece of SQL
  kKnowsExtensions,         // crit
  kVerifiesNestedTokens,    // a token within a token is verified, too
  kComparesIssuerToItsEnd,  // what begins like the issuer is another one
  kComparesIssuerFromItsBeginning,
  kWantsOneIssuer,        // a list of issuers is none
  kReadsExpiryOfAnyForm,  // a text is no time to come
  kReadsExpiryOfZero,     // nor is it as good as none
  kComparesAudienceFromItsBeginning,
  kTellsIssuersFromAudiences,  // a token for the authorization server
  kTellsClientsFromAudiences,  // a token for the client: an ID token
  kWantsAudienceInList,        // an empty list names nobody
  kKnowsTypes,                 // who refuses "JWT" for its type takes at+jwt alone
  kForgetsTokens,              // what was good once may have expired since
  kKnowsNoCertificates,        // a token does not bring the certificate of its key (x5c)
  kFetchesNoCertificates,      // nor does it say where that is (x5u)
  kAsksNoOtherIssuers,         // whom a token names is not asked for keys
  kWantsAlgorithm,             // a header without alg is none
  kKnowsFurtherAlgorithms,     // HS512 is as little for public keys as HS256
  kHasNoCommonSecret,          // such as "secret"
  kCountsParts,                // there are three, and no more
  kReadsBeginningOfAnyForm,    // a text is no time that has come
  kTellsPathsBelowFromAudiences,
  kKeepsScopesToTokens,  // what one token allows, another of the same user need not
  kAsksForScopesOfTools,
  kComparesScopesToTheirEnd,  // what begins like a scope is another one
  kComparesScopesFromTheirBeginning,
  kComparesCaseOfScopes,
  kPartsScopesAtBlanksOnly,
  // Of a proof that the sender has the key of the token.
  kWantsProofs,
  kCountsProofs,  // there is one, and no more
  kVerifiesProofs,
  kRefusesUnsignedProofs,
  kRefusesProofsBySecret,  // HS256
  kComparesProofTypes,
  kWantsProofTypes,  // what has no type is no proof either
  kWantsPublicProofKeys,
  kComparesProofKeys,  // with that of the token
  kWantsProofClaims,   // jti and iat
  kComparesProofMethods,
  kComparesProofPlaces,
  kComparesProofOrigins,  // the same path of another host is another place
  kComparesProofPaths,
  kComparesTokenHashes,
  kChecksAgeOfProofs,
  kChecksFutureOfProofs,
  kWantsDigests,
  kComparesDigests,
};

// Reads the tokens of an authorization server. Thread safety: any thread may call it.
class TokenReader {
 public:
  virtual ~TokenReader() = default;
  // What the token stands for; nothing where it does not hold for this resource.
  virtual std::optional<AccessToken> read(std::string_view token, const std::string& resource) = 0;
};

// Reads the proofs by which senders show that they have the key of their token (RFC 9449). Thread
// safety: any thread may call it.
class ProofReader {
 public:
  struct Refusal {
    std::string error;
    std::string nonce = {};  // that the next proof must hold; empty: none is wanted
  };
  virtual ~ProofReader() = default;
  // By which a proof may be signed.
  virtual std::vector<std::string> algorithms() const = 0;
  // Nothing where the request has a proof that holds for its token and for the endpoint.
  virtual std::optional<Refusal> refusal(const HttpHead& request, std::string_view body,
                                         const AccessToken& token, const std::string& endpoint) = 0;
};

struct HttpProtection {
  std::vector<AccessToken> tokens;                 // those that hold
  std::shared_ptr<TokenReader> reader = nullptr;   // of further ones; null: there are none
  std::shared_ptr<ProofReader> proofs = nullptr;   // null: no token is bound to a key
  bool wants_proofs = false;                       // with `proofs`: of every token
  std::vector<std::string> authorization_servers;  // their issuers; one at least
  std::string scope = "mcp:use";                   // what every request needs
  std::map<std::string, std::string> tool_scopes;  // what calls of these tools need besides

  // Otherwise the endpoint is open to everybody.
  bool is_on() const { return !tokens.empty() || reader != nullptr; }
};

// The Authorization field; empty: there is none.
std::string credentials_in(const HttpHead& request);

class HttpGatekeeper {
 public:
  // `endpoint`: the path that is protected, such as "/mcp".
  HttpGatekeeper(HttpProtection protection, std::string_view endpoint)
      : protection_(std::move(protection)), endpoint_(endpoint) {}

  // The metadata, which is open to everybody; nothing for any other target, or where nothing is
  // protected.
  std::optional<HttpReply> metadata(const HttpHead& request) const;
  // 400, 401 or 403, with a challenge, for a request that may not pass. `body` may be anything.
  std::optional<HttpReply> refusal(const HttpHead& request, std::string_view body) const;
  // Whose token the request shows; empty where it shows none of ours, or nothing is protected.
  std::string user_of(const HttpHead& request) const;

 private:
  std::optional<AccessToken> token_of(const HttpHead& request) const;
  // The same for a token that needs a proof; nothing where it needs none, or has one that holds.
  std::optional<HttpReply> refusal_of_proof(const HttpHead& request, std::string_view body,
                                            const AccessToken& token) const;
  // Its token is shown with the scheme of tokens that are bound to keys.
  bool is_of_proofs(const HttpHead& request) const;
  // What the request needs, separated by blanks, unless all of it is among `scopes`.
  std::string lacking(std::string_view body, const std::vector<std::string>& scopes) const;
  HttpReply challenge(const HttpHead& request, int status, std::string_view error,
                      const std::string& scope) const;
  std::string origin_of(const HttpHead& request) const;

  const HttpProtection protection_;
  const std::string endpoint_;
};

}  // namespace assay::transport
