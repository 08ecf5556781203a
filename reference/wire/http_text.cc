#include "reference/wire/http_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace assay::wire {
namespace {

constexpr std::array<bool, 256> kIsTokenByte = [] {
  std::array<bool, 256> is_token{};
  for (unsigned char c = '0'; c <= '9'; ++c) is_token[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) is_token[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) is_token[c] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) {
    is_token[static_cast<unsigned char>(c)] = true;
  }
  return is_token;
}();

constexpr bool is_blank_or_tab(char c) {
  return c == ' ' || c == '\t';
}

constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kIsTokenByte[static_cast<unsigned char>(c)];
  });
}

bool is_field_value(std::string_view text) {
  constexpr std::string_view kBreaking("\r\n\0", 3);
  return text.find_first_of(kBreaking) == std::string_view::npos;
}

bool is_request_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > ' ' && byte != 0x7F;
  });
}

std::optional<std::uint64_t> read_number(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank_or_tab(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank_or_tab(text.back())) text.remove_suffix(1);
  return text;
}

bool equals_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return lower_letter(x) == lower_letter(y);
         });
}

bool lists_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equals_without_case(trim_blanks(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace assay::wire
