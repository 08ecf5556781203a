#include "reference/transport/header_value.h"

#include <algorithm>

#include "reference/wire/base64.h"

namespace assay::transport {
namespace {

constexpr std::string_view kEncodedPrefix = "=?base64?";
constexpr std::string_view kEncodedSuffix = "?=";

bool is_visible_or_blank(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

bool looks_encoded(std::string_view value) {
  return value.size() >= kEncodedPrefix.size() + kEncodedSuffix.size() &&
         value.starts_with(kEncodedPrefix) && value.ends_with(kEncodedSuffix);
}

std::string encode_header_value_in_base64(std::string_view text) {
  return std::string(kEncodedPrefix) + wire::encode_base64(text) + std::string(kEncodedSuffix);
}

std::string encode_header_value(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), is_visible_or_blank) &&
                        !text.starts_with(' ') && !text.ends_with(' ');
  if (is_plain && !looks_encoded(text)) return std::string(text);
  return encode_header_value_in_base64(text);
}

std::optional<std::string> decode_header_value(std::string_view value) {
  // RFC 9110, section 5.5, without the obsolete rest.
  const bool is_field_value = std::all_of(
      value.begin(), value.end(), [](char c) { return is_visible_or_blank(c) || c == '\t'; });
  if (!is_field_value) return std::nullopt;
  if (!looks_encoded(value)) return std::string(value);
  value.remove_prefix(kEncodedPrefix.size());
  value.remove_suffix(kEncodedSuffix.size());
  return wire::decode_base64(value);
}

}  // namespace assay::transport
