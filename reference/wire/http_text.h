// The lexical pieces that HTTP is made of: RFC 9110, section 5.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::wire {

// How many bytes at the front of `text` may be part of a token, as methods and field names are.
std::size_t count_token_bytes(std::string_view text);
// Whether `text` is a token; an empty one is not.
inline bool is_token(std::string_view text) {
  return !text.empty() && count_token_bytes(text) == text.size();
}
// Whether a field can have the value `text`: no line ends in it, and no NUL.
bool is_field_value(std::string_view text);
// Whether a request can have the target `text`: nothing in it ends the target or its line.
bool is_request_target(std::string_view text);
// A number that is nothing but digits of that base; nothing if it is none, or beyond 64 bits.
std::optional<std::uint64_t> read_number(std::string_view digits, int base);
// Without the blanks and tabs around it.
constexpr std::string_view trim_blanks(std::string_view text) {
  constexpr auto is_blank_or_tab = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank_or_tab(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank_or_tab(text.back())) text.remove_suffix(1);
  return text;
}
// Whether the `size` bytes at `a` and `b` differ in the case of A to Z at most.
bool are_same_letters(const char* a, const char* b, std::size_t size);
// The same for two texts. Most names of fields are told apart by their lengths, without a call.
inline bool equals_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && are_same_letters(a.data(), b.data(), a.size());
}
// Whether one of the members of a list ("keep-alive, close") is `token`, in any case.
bool lists_token(std::string_view list, std::string_view token);

}  // namespace assay::wire
