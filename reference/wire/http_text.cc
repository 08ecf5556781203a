#include "reference/wire/http_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

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

// `byte` in each byte of a word.
template <typename Word>
constexpr Word repeat(unsigned char byte) {
  return static_cast<Word>(static_cast<Word>(-1) / 0xFF * byte);
}

// A word with those of its bytes that are A to Z in lower case. No sum of two bytes below goes
// beyond 8 bits, so that no byte touches the next.
template <typename Word>
constexpr Word lower_letters(Word word) {
  const Word low_bits = word & repeat<Word>(0x7F);
  const Word is_from_a = low_bits + repeat<Word>(0x80 - 'A');    // in the top bit of each byte
  const Word is_beyond_z = low_bits + repeat<Word>(0x7F - 'Z');  // likewise
  const Word is_capital = is_from_a & ~is_beyond_z & ~word & repeat<Word>(0x80);
  return word | (is_capital >> 2);  // 'a' is 'A' with the bit 0x20
}

// Whether as many bytes as a word has are the same.
template <typename Word>
bool is_same_word(const char* a, const char* b) {
  Word x = 0;
  Word y = 0;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || lower_letters(x) == lower_letters(y);
}

// Of at least one word: the last one may overlap the one before it.
template <typename Word>
bool are_same_words(const char* a, const char* b, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(Word) < size; at += sizeof(Word)) {
    if (!is_same_word<Word>(a + at, b + at)) return false;
  }
  return is_same_word<Word>(a + size - sizeof(Word), b + size - sizeof(Word));
}

}  // namespace

std::size_t count_token_bytes(std::string_view text) {
  const auto end = std::find_if_not(
      text.begin(), text.end(), [](char c) { return kIsTokenByte[static_cast<unsigned char>(c)]; });
  return static_cast<std::size_t>(end - text.begin());
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
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

// Eight letters at a time: a server compares the names of fields more often than anything else.
bool are_same_letters(const char* a, const char* b, std::size_t size) {
  if (size >= sizeof(std::uint64_t)) return are_same_words<std::uint64_t>(a, b, size);
  if (size >= sizeof(std::uint32_t)) return are_same_words<std::uint32_t>(a, b, size);
  return std::equal(a, a + size, b, [](unsigned char x, unsigned char y) {
    return lower_letters<std::uint32_t>(x) == lower_letters<std::uint32_t>(y);
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
