#include "reference/wire/weight.h"

#include <array>
#include <cstdint>

namespace assay::wire {
namespace {

enum class Part : std::uint8_t { kOther, kSpace, kBracket, kQuote };

constexpr std::array<Part, 256> kParts = [] {
  std::array<Part, 256> parts{};
  for (const char c : std::string_view(" \t\n\r"))
    parts[static_cast<unsigned char>(c)] = Part::kSpace;
  for (const char c : std::string_view("{}[]:,")) {
    parts[static_cast<unsigned char>(c)] = Part::kBracket;
  }
  parts[static_cast<unsigned char>('"')] = Part::kQuote;
  return parts;
}();

// Behind the string whose content starts at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return at + 1;
}

}  // namespace

std::size_t count_tokens(std::string_view text) {
  std::size_t tokens = 0;
  bool is_in_run = false;
  for (std::size_t at = 0; at < text.size();) {
    const Part part = kParts[static_cast<unsigned char>(text[at])];
    const bool is_other = part == Part::kOther;
    if (part != Part::kSpace && !(is_other && is_in_run)) ++tokens;
    is_in_run = is_other;
    if (part == Part::kQuote) {
      at = end_of_string(text, at + 1);
    } else {
      // Outside strings too, a quote behind a backslash begins no string.
      const bool is_escape =
          text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\');
      at += is_escape ? 2 : 1;
    }
  }
  return tokens;
}

}  // namespace assay::wire
