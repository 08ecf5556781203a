#include "reports/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::reports {
namespace {

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr auto kUnsafe = std::to_array<CodePointRange>({
    {0x0000, 0x001F},    // C0 controls
    {0x007F, 0x009F},    // DEL and C1 controls
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // invisible Khmer vowels
    {0x180B, 0x180F},    // Mongolian selectors and vowel separator
    {0x200B, 0x200F},    // zero width, direction marks
    {0x2028, 0x202E},    // line and paragraph separators, bidirectional embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFDD0, 0xFDEF},    // noncharacters
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // Hangul filler
    {0xFFF0, 0xFFFC},    // interlinear annotations, object replacement
    {0xFFFE, 0xFFFF},    // noncharacters
    {0xE0000, 0xE0FFF},  // tags, variation selectors
});

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Appends the printable ASCII that the text begins with, and takes it off: nearly all there is.
void move_plain(std::string_view& text, std::string& out) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F;
  });
  out.append(text.begin(), end);
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (move_plain(text, out); !text.empty(); move_plain(text, out)) {
    const CodePoint point = first_code_point(text);
    if (keep_lines && text.starts_with("\r\n")) {
      text.remove_prefix(1);
      continue;
    }
    if (!point.is_valid) {
      out += fmt::format("<0x{:02X}>", point.value);
    } else if (keep_lines && (point.value == '\n' || point.value == '\t')) {
      out += static_cast<char>(point.value);
    } else if (is_unsafe(point.value)) {
      out += fmt::format("<U+{:04X}>", point.value);
    } else {
      out.append(text.substr(0, point.size));
    }
    text.remove_prefix(point.size);
  }
  return out;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const CodePoint invalid{lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  std::size_t size = 0;
  if (lead >= 0xC2 && lead <= 0xDF) size = 2;
  if (lead >= 0xE0 && lead <= 0xEF) size = 3;
  if (lead >= 0xF0 && lead <= 0xF4) size = 4;
  if (size == 0 || text.size() < size) return invalid;
  std::uint32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return invalid;
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool is_overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (is_overlong || is_surrogate || value > 0x10FFFF) return invalid;
  return {value, size, true};
}

bool is_unsafe(std::uint32_t code_point) {
  if (code_point >= 0x20 && code_point < 0x7F) return false;
  if ((code_point & 0xFFFEU) == 0xFFFE) return true;  // the last two of every plane
  return std::any_of(kUnsafe.begin(), kUnsafe.end(), [code_point](const CodePointRange& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

std::string printable_line(std::string_view text) {
  return printable(text, false);
}
std::string printable_text(std::string_view text) {
  return printable(text, true);
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (move_plain(text, out); !text.empty(); move_plain(text, out)) {
    const CodePoint point = first_code_point(text);
    out.append(point.is_valid ? text.substr(0, point.size) : "\xEF\xBF\xBD");
    text.remove_prefix(point.size);
  }
  return out;
}

std::string safe_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (move_plain(json, out); !json.empty(); move_plain(json, out)) {
    const CodePoint point = first_code_point(json);
    const bool is_plain = json.front() == '\n' || !is_unsafe(point.value);
    if (!point.is_valid) {
      out += "\xEF\xBF\xBD";
    } else if (is_plain) {
      out.append(json.substr(0, point.size));
    } else if (point.value > 0xFFFF) {
      const std::uint32_t above = point.value - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10U), 0xDC00 + (above & 0x3FFU));
    } else {
      out += fmt::format("\\u{:04x}", point.value);
    }
    json.remove_prefix(point.size);
  }
  return out;
}

std::string cut(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 4 && is_continuation(text[end])) --end;
  return fmt::format("{} [cut: {} more bytes]", text.substr(0, end), text.size() - end);
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

namespace {

// For a word with what cannot be shown as itself.
std::string printf_word(std::string_view word) {
  std::string out = "\"$(printf '";
  for (const char byte : word) {
    const auto c = static_cast<unsigned char>(byte);
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\' && c != '%';
    out += is_plain ? std::string(1, static_cast<char>(c)) : fmt::format("\\{:03o}", c);
  }
  return out + "')\"";
}

}  // namespace

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  if (printable_line(word) != word) return printf_word(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace assay::reports
