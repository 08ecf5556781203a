#include "reference/wire/base64.h"

#include <openssl/evp.h>

namespace assay::wire {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string_view digits = text;
  while (digits.ends_with('=')) digits.remove_suffix(1);
  const std::size_t padding = text.size() - digits.size();
  // The library forgives blanks around the text.
  const bool is_base64 = text.size() % 4 == 0 && padding <= 2 &&
                         digits.find_first_not_of(kDigits) == std::string_view::npos;
  if (!is_base64) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

}  // namespace assay::wire
