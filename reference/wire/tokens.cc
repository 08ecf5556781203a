#include "reference/wire/tokens.h"

#include <simdjson.h>

#include <algorithm>

#include "reference/wire/message.h"

namespace assay::wire {
namespace {

constexpr std::size_t kFirstCapacity = 4096;

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

TokenFinder::TokenFinder() = default;
TokenFinder::~TokenFinder() = default;

std::span<const std::uint32_t> TokenFinder::find(std::string_view text) {
  if (text.size() <= kPlainBytes) {
    const std::span<const std::uint32_t> starts = find_plain(text);
    is_plain_ = !starts.empty();
    if (is_plain_) return starts;
  }
  is_plain_ = false;
  return find_any(text);
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

std::span<const std::uint32_t> TokenFinder::find_any(std::string_view text) {
  simdjson::error_code code = simdjson::SUCCESS;
  if (!simdjson_) {
    code = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max(text.size(), kFirstCapacity), 1, simdjson_);
  } else if (simdjson_->capacity() < text.size()) {
    code = simdjson_->set_capacity(std::max(text.size(), 2 * simdjson_->capacity()));
  }
  if (code == simdjson::SUCCESS) {
    code = simdjson_->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                             simdjson::stage1_mode::regular);
  }
  error_ = code;
  if (code != simdjson::SUCCESS) return {};
  // There is room: simdjson itself writes behind the last one.
  std::uint32_t* const starts = simdjson_->structural_indexes.get();
  starts[simdjson_->n_structural_indexes] = static_cast<std::uint32_t>(text.size());
  return {starts, simdjson_->n_structural_indexes + 1};
}

DecodeError TokenFinder::why_none(std::string_view text) const {
  if (error_ == simdjson::MEMALLOC || error_ == simdjson::CAPACITY) {
    return {DecodeError::Kind::kTooLarge, "no memory to read the message"};
  }
  if (!simdjson::validate_utf8(text)) {
    return {DecodeError::Kind::kInvalidUtf8, "the bytes are not UTF-8"};
  }
  if (error_ == simdjson::EMPTY) {
    return {DecodeError::Kind::kEmpty, "there is nothing but white space"};
  }
  return {DecodeError::Kind::kInvalidJson,
          error_ == simdjson::UNESCAPED_CHARS
              ? "a string holds a control character that is not escaped"
              : "a string is not closed"};
}

void TokenFinder::release() {
  simdjson_.reset();
}

}  // namespace assay::wire
