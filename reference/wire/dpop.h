// What proofs of possession are made of: RFC 9449, RFC 7638, and the digest of a body that the
// extension io.modelcontextprotocol/auth/dpop adds (RFC 9530).
#pragma once

#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::wire {

// The scheme of a token that is bound to a key, and the field of its proof.
inline constexpr const char* kProofName = "DPoP";
// The "typ" of a proof.
inline constexpr const char* kProofType = "dpop+jwt";
// What an error says where a nonce is wanted, and the field that has it.
inline constexpr const char* kUseNonce = "use_dpop_nonce";
inline constexpr const char* kNonceField = "DPoP-Nonce";

// The claim ath of a proof for that token.
std::string access_token_hash(std::string_view token);
// The claim content_digest of a proof for that body: "sha-256=:...:".
std::string content_digest(std::string_view body);
// Of a public key (RFC 7638, SHA-256); empty where it is of no kind that has one.
std::string jwk_thumbprint(const Json& jwk);

}  // namespace assay::wire
