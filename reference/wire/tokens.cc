#include "reference/wire/tokens.h"

#include <array>

#include "reference/wire/message.h"

namespace assay::wire {
namespace {

enum class Class : std::uint8_t {
  kOther,  // nothing that plain JSON has outside a string
  kSpace,
  kBracket,  // a token by itself: { } [ ] : ,
  kQuote,
  kLiteral,  // of numbers, true, false and null
};

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  const auto set = [&classes](std::string_view characters, Class kind) {
    for (const char c : characters) classes[static_cast<unsigned char>(c)] = kind;
  };
  set(" \t\n\r", Class::kSpace);
  set("{}[]:,", Class::kBracket);
  set("\"", Class::kQuote);
  set("+-.0123456789Eaeflnrstu", Class::kLiteral);
  return classes;
}();

Class class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// Whether a character may stand in a string of plain text as it is.
bool is_plain_character(char c) {
  return kIsPlain[static_cast<unsigned char>(c)];
}

}  // namespace

std::span<const std::uint32_t> TokenFinder::find(std::string_view text) {
  if (text.size() <= kPlainBytes) {
    const std::span<const std::uint32_t> starts = find_plain(text);
    is_plain_ = !starts.empty();
    if (is_plain_) return starts;
  }
  is_plain_ = false;
  return first_stage_.find(text);
}

// Comes back empty as soon as there is anything that it does not know: an escape, a control
// character, a byte beyond ASCII, a string that does not end. All that can be refused is thereby
// left to simdjson.
std::span<const std::uint32_t> TokenFinder::find_plain(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::uint32_t* next = plain_starts_.data();
  for (const char* at = begin; at != end;) {
    const Class kind = class_of(*at);
    if (kind == Class::kOther) return {};
    *next = static_cast<std::uint32_t>(at++ - begin);
    next += kind != Class::kSpace;
    if (kind == Class::kQuote) {
      while (at != end && is_plain_character(*at)) ++at;
      if (at == end || *at++ != '"') return {};
    } else if (kind == Class::kLiteral) {
      while (at != end && class_of(*at) == Class::kLiteral) ++at;
      if (at != end && class_of(*at) == Class::kQuote) return {};
    }
  }
  if (next != plain_starts_.data()) *next++ = static_cast<std::uint32_t>(text.size());
  return {plain_starts_.data(), next};
}

DecodeError TokenFinder::why_none() const {
  switch (first_stage_.error()) {
    case TokenError::kTooLarge:
      return {DecodeError::Kind::kTooLarge, "no memory to read the message"};
    case TokenError::kNotUtf8:
      return {DecodeError::Kind::kInvalidUtf8, "the bytes are not UTF-8"};
    case TokenError::kEmpty:
      return {DecodeError::Kind::kEmpty, "there is nothing but white space"};
    case TokenError::kControlCharacter:
      return {DecodeError::Kind::kInvalidJson,
              "a string holds a control character that is not escaped"};
    case TokenError::kNone:
    case TokenError::kOpenString:
      break;
  }
  return {DecodeError::Kind::kInvalidJson, "a string is not closed"};
}

}  // namespace assay::wire
