#include "reference/wire/pkce.h"

#include <openssl/evp.h>

#include <array>

#include "reference/wire/base64.h"
#include "reference/wire/form.h"

namespace assay::wire {

std::string encode_base64url(std::string_view bytes) {
  std::string text = encode_base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
  std::string usual(text);
  for (char& c : usual) {
    // What stands in the place of these is no digit here.
    if (c == '+' || c == '/' || c == '=') return std::nullopt;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  usual.resize((usual.size() + 3) / 4 * 4, '=');
  return decode_base64(usual);
}

std::string s256_challenge(std::string_view verifier) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(verifier.data(), verifier.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return encode_base64url({reinterpret_cast<const char*>(digest.data()), size});
}

bool is_code_verifier(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && encode_percent(text) == text;
}

}  // namespace assay::wire
