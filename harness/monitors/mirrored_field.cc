#include "harness/monitors/mirrored_field.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "reference/wire/base64.h"
#include "reference/wire/http_text.h"

namespace assay::harness {
namespace {

constexpr std::string_view kFieldPrefix = "=?base64?";
constexpr std::string_view kFieldSuffix = "?=";

// UTF-8 as the one byte for each character that many programs put into a field; nothing where that
// is no way to write it.
std::optional<std::string> in_latin_1(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += text[i];
      continue;
    }
    const bool is_short = byte == 0xc2 || byte == 0xc3;
    if (!is_short || i + 1 == text.size()) return std::nullopt;
    const auto next = static_cast<unsigned char>(text[++i]);
    out += static_cast<char>(((byte & 0x03U) << 6U) | (next & 0x3fU));
  }
  return out;
}

}  // namespace

MirroredField read_mirrored_field(std::string_view field, std::string_view meant) {
  // Blanks around it get lost on the way.
  const std::string_view bare = wire::trim_blanks(meant);
  if (field == meant || field == bare || field == in_latin_1(bare)) return {true, false, false};
  const bool is_long_enough = field.size() >= kFieldPrefix.size() + kFieldSuffix.size();
  if (!is_long_enough || !field.ends_with(kFieldSuffix) ||
      !wire::equals_without_case(field.substr(0, kFieldPrefix.size()), kFieldPrefix)) {
    return {};
  }
  const bool is_exact = field.starts_with(kFieldPrefix);
  field.remove_prefix(kFieldPrefix.size());
  field.remove_suffix(kFieldSuffix.size());
  const auto decoded = wire::decode_base64(field);
  return {decoded && *decoded == meant, true, is_exact};
}

bool needs_base64(std::string_view text) {
  const bool has_unsafe = std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte >= 0x7f;
  });
  return has_unsafe || wire::trim_blanks(text) != text;
}

std::string header_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_same_integer(std::string_view field, const Json& value) {
  const std::string text(field);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && number == value.get<double>();
}

}  // namespace assay::harness
