// Tokens that the target's authorization server, which is ours, would not have issued, or not for
// the target: what each of them is, for the scenarios that show them.
//
// Specification: basic/authorization, "Token Handling"; OAuth 2.1, section 5.2; RFC 7515, 7519,
// 8725 and 9068.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/script/token_issuer.h"

namespace assay::scenarios {

struct ForgedToken {
  std::string what;  // "a token whose time is over"
  std::string text;
  bool is_expired = false;  // nothing else is wrong with it
};

// A token that is good but for the key that signed it, which is nobody's.
std::string token_of_stranger(const harness::TokenIssuer& issuer);
// Tokens that nobody may take: of another signer, of nobody, or not of this time.
std::vector<ForgedToken> invalid_tokens(const harness::TokenIssuer& issuer);

// A token that is good but for its audience.
struct ForeignToken {
  ForgedToken token;
  // The audience is this path on the server's own origin, and somebody else's only where the server
  // does not answer there; empty: it is somebody else's anyway.
  std::string path;
  // It names nobody at all.
  bool is_for_nobody = false;
};

// Tokens for others: quite other ones, and near misses of the name that the target goes by.
// `endpoint_path` is where the target is asked.
std::vector<ForeignToken> foreign_tokens(const harness::TokenIssuer& issuer,
                                         const std::string& endpoint_path);

// Good, but of a scope that nobody has heard of.
std::string token_of_other_scope(const harness::TokenIssuer& issuer);
// Good, but of that type: the header's "typ".
std::string token_of_type(const harness::TokenIssuer& issuer, const char* type);
// Good until then, in seconds.
std::string token_until(const harness::TokenIssuer& issuer, std::int64_t end);
// Good, if the key is.
std::string token_by(const harness::TokenIssuer& issuer, const authorization::SigningKey& key);

}  // namespace assay::scenarios
