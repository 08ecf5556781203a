#include "reference/wire/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "reference/wire/json.h"

namespace assay::wire {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// The four hexadecimal digits at `at`, or nothing.
std::optional<unsigned> hex4(std::string_view text, std::size_t at) {
  if (text.size() < 4 || at > text.size() - 4) return std::nullopt;
  unsigned value = 0;
  const char* const first = text.data() + at;
  const auto [end, error] = std::from_chars(first, first + 4, value, 16);
  if (error != std::errc() || end != first + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(unsigned unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(unsigned unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// One escape that starts with a backslash.
struct Escape {
  std::size_t length = 0;  // bytes of it; 0: no valid escape
  unsigned code_point = 0;
  bool is_lone_surrogate = false;
};

Escape unicode_escape(std::string_view text, std::size_t at) {
  const std::optional<unsigned> unit = hex4(text, at + 2);
  if (!unit) return {};
  if (is_low_surrogate(*unit)) return {6, *unit, true};
  if (!is_high_surrogate(*unit)) return {6, *unit, false};
  if (text.substr(std::min(at + 6, text.size()), 2) == "\\u") {
    const std::optional<unsigned> low = hex4(text, at + 8);
    if (low && is_low_surrogate(*low)) {
      return {12, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00), false};
    }
  }
  return {6, *unit, true};
}

Escape read_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return {};
  switch (text[at + 1]) {
    case '"':
      return {2, '"'};
    case '\\':
      return {2, '\\'};
    case '/':
      return {2, '/'};
    case 'b':
      return {2, '\b'};
    case 'f':
      return {2, '\f'};
    case 'n':
      return {2, '\n'};
    case 'r':
      return {2, '\r'};
    case 't':
      return {2, '\t'};
    case 'u':
      return unicode_escape(text, at);
    default:
      return {};
  }
}

void append_utf8(std::string& out, unsigned code_point) {
  const auto put = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | (code_point >> 12));
    } else {
      put(0xF0 | (code_point >> 18));
      put(0x80 | ((code_point >> 12) & 0x3F));
    }
    put(0x80 | ((code_point >> 6) & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

constexpr unsigned kReplacement = 0xFFFD;
constexpr std::string_view kLargestDouble = "1.7976931348623157e308";

// Copies the string that opens at `at` to `out`; returns where it ends.
std::size_t repair_string(std::string_view json, std::size_t at, std::string& out) {
  const std::size_t start = at++;
  std::size_t copied = start;
  while (json[at] != '"') {
    if (json[at] != '\\') {
      ++at;
      continue;
    }
    const Escape escape = read_escape(json, at);
    if (escape.is_lone_surrogate) {
      out.append(json, copied, at - copied).append("\\ufffd");
      copied = at + escape.length;
    }
    at += escape.length;
  }
  out.append(json, copied, at + 1 - copied);
  return at + 1;
}

// Copies the number that starts at `at` to `out`; returns where it ends.
std::size_t repair_number(std::string_view json, std::size_t at, std::string& out) {
  const std::size_t end = std::min(json.find_first_not_of("+-.0123456789eE", at), json.size());
  const std::string_view number = json.substr(at, end - at);
  if (!exceeds_double(number)) {
    out.append(number);
  } else {
    if (number.front() == '-') out.push_back('-');
    out.append(kLargestDouble);
  }
  return end;
}

}  // namespace

NumberForm number_form(std::string_view text) {
  std::size_t at = !text.empty() && text.front() == '-' ? 1 : 0;
  if (at >= text.size() || !is_digit(text[at])) return NumberForm::kNone;
  at = text[at] == '0' ? at + 1 : skip_digits(text, at);
  if (at == text.size()) return NumberForm::kInteger;
  if (text[at] == '.') {
    const std::size_t first = ++at;
    at = skip_digits(text, at);
    if (at == first) return NumberForm::kNone;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t first = at;
    at = skip_digits(text, at);
    if (at == first) return NumberForm::kNone;
  }
  return at == text.size() ? NumberForm::kFraction : NumberForm::kNone;
}

bool exceeds_double(std::string_view text) {
  constexpr std::size_t kAlwaysInRange = 300;  // digits; the largest double has 309
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  if (!has_exponent && text.size() < kAlwaysInRange) return false;
  return std::isinf(std::strtod(std::string(text).c_str(), nullptr));
}

Escapes check_escapes(std::string_view content) {
  Escapes result;
  for (std::size_t at = content.find('\\'); at != std::string_view::npos;
       at = content.find('\\', at)) {
    const Escape escape = read_escape(content, at);
    if (escape.length == 0) return {.is_valid = false};
    result.has_lone_surrogate |= escape.is_lone_surrogate;
    at += escape.length;
  }
  return result;
}

std::string unescape(std::string_view content, LoneSurrogate lone) {
  std::string out;
  out.reserve(content.size());
  std::size_t copied = 0;
  for (std::size_t at = content.find('\\'); at != std::string_view::npos;
       at = content.find('\\', at)) {
    const Escape escape = read_escape(content, at);
    if (escape.length == 0) break;
    out.append(content, copied, at - copied);
    const bool is_replaced = escape.is_lone_surrogate && lone == LoneSurrogate::kReplace;
    append_utf8(out, is_replaced ? kReplacement : escape.code_point);
    at += escape.length;
    copied = at;
  }
  out.append(content, copied);
  return out;
}

std::string quote(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    std::string out;
    out.reserve(text.size() + 2);
    return out.append(1, '"').append(text).append(1, '"');
  }
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string repair(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = repair_string(json, at, out);
    } else if (c == '-' || is_digit(c)) {
      at = repair_number(json, at, out);
    } else {
      out.push_back(c);
      ++at;
    }
  }
  return out;
}

}  // namespace assay::wire
