#include "reports/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>

namespace assay::reports {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest sha256(std::string_view text) {
  Digest out{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
  return out;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::string out;
  for (const unsigned char byte : sha256(text)) out += fmt::format("{:02x}", byte);
  return out;
}

std::string sha256_base64(std::string_view text) {
  const Digest digest = sha256(text);
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> out{};
  const int size = EVP_EncodeBlock(out.data(), digest.data(), static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(size)};
}

}  // namespace assay::reports
