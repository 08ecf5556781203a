// Proof Key for Code Exchange: RFC 7636.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::wire {

// Base64 for URLs, without padding (RFC 4648, section 5).
std::string encode_base64url(std::string_view bytes);
// Nothing if the text is not that.
std::optional<std::string> decode_base64url(std::string_view text);
// The challenge that belongs to a verifier by the method S256.
std::string s256_challenge(std::string_view verifier);
// Whether the text may be a verifier: 43 to 128 letters, digits and "-._~".
bool is_code_verifier(std::string_view text);

}  // namespace assay::wire
