#include "reference/model/formats.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace assay::model {
namespace {

constexpr std::size_t kLongestExcerpt = 60;
constexpr std::size_t kLongestToolName = 128;
constexpr std::size_t kNone = std::string_view::npos;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || is_letter(c);
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_any_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

using CharacterSet = std::array<bool, 256>;

template <typename Predicate>
constexpr CharacterSet make_set(Predicate is_member) {
  CharacterSet set = {};
  for (std::size_t i = 0; i < set.size(); ++i) {
    set[i] = is_member(static_cast<char>(static_cast<unsigned char>(i)));
  }
  return set;
}

constexpr CharacterSet kBase64Characters =
    make_set([](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
// Unreserved and reserved characters; '%' is looked at apart.
constexpr CharacterSet kUriCharacters =
    make_set([](char c) { return is_alphanumeric(c) || is_any_of(c, "-._~:/?#[]@!$&'()*+,;="); });
// Literals of a URI template: printable, without those that RFC 6570 (2.1) excludes.
constexpr CharacterSet kTemplateLiterals = make_set([](char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && !is_any_of(c, "\"'<>\\^`{|}%");
});

bool has(const CharacterSet& set, char c) {
  return set[static_cast<unsigned char>(c)];
}

// Each check returns the offset of the first character that cannot be there, text.size() if the end
// comes too early, or kNone if all is well.

std::size_t check_base64(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && has(kBase64Characters, text[end])) ++end;
  for (std::size_t i = end; i < text.size(); ++i) {
    if (text[i] != '=' || i - end == 2) return i;
  }
  if (text.size() % 4 != 0) return text.size();
  return kNone;
}

// The characters of a URI after `start`, percent-encoding included.
std::size_t check_uri_characters(std::string_view text, std::size_t start) {
  for (std::size_t i = start; i < text.size(); ++i) {
    if (has(kUriCharacters, text[i])) continue;
    if (text[i] != '%') return i;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return i;
    i += 2;
  }
  return kNone;
}

std::size_t check_uri(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  std::size_t i = 1;
  while (i < text.size() && (is_alphanumeric(text[i]) || is_any_of(text[i], "+-."))) ++i;
  if (i == text.size() || text[i] != ':') return i;
  return check_uri_characters(text, i + 1);
}

// One variable of an expression: its name, then ":4" or "*". Returns the offset behind it.
std::optional<std::size_t> skip_variable(std::string_view text, std::size_t i) {
  const std::size_t start = i;
  while (i < text.size()) {
    if (is_alphanumeric(text[i]) || text[i] == '_') {
      ++i;
    } else if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) &&
               is_hex(text[i + 2])) {
      i += 3;
    } else if (text[i] == '.' && i > start && text[i - 1] != '.') {
      ++i;
    } else {
      break;
    }
  }
  if (i == start || text[i - 1] == '.') return std::nullopt;
  if (i < text.size() && text[i] == '*') return i + 1;
  if (i < text.size() && text[i] == ':') {
    const std::size_t digits = ++i;
    while (i < text.size() && is_digit(text[i]) && i - digits < 4) ++i;
    if (i == digits || text[digits] == '0') return std::nullopt;
  }
  return i;
}

// An expression that starts behind '{' at `start`. Returns the offset behind its '}'.
std::optional<std::size_t> skip_expression(std::string_view text, std::size_t start) {
  std::size_t i = start;
  if (i < text.size() && is_any_of(text[i], "+#./;?&=,!@|")) ++i;
  while (true) {
    const std::optional<std::size_t> end = skip_variable(text, i);
    if (!end || *end >= text.size()) return std::nullopt;
    i = *end;
    if (text[i] == '}') return i + 1;
    if (text[i] != ',') return std::nullopt;
    ++i;
  }
}

std::size_t check_uri_template(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '{') {
      const std::optional<std::size_t> end = skip_expression(text, i + 1);
      if (!end) return i;
      i = *end;
    } else if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return i;
      i += 3;
    } else if (has(kTemplateLiterals, text[i])) {
      ++i;
    } else {
      return i;
    }
  }
  return kNone;
}

std::size_t check_tool_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == kLongestToolName) return i;
    if (!is_alphanumeric(text[i]) && !is_any_of(text[i], "_-.")) return i;
  }
  return text.empty() ? 0 : kNone;
}

std::size_t check_meta_name(std::string_view text, std::size_t start) {
  if (start == text.size()) return kNone;
  for (std::size_t i = start; i < text.size(); ++i) {
    const bool is_edge = i == start || i + 1 == text.size();
    if (is_alphanumeric(text[i])) continue;
    if (is_edge || !is_any_of(text[i], "-_.")) return i;
  }
  return kNone;
}

std::size_t check_meta_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return check_meta_name(text, 0);
  bool starts_label = true;
  for (std::size_t i = 0; i < slash; ++i) {
    const char c = text[i];
    const bool ends_label = i + 1 == slash || text[i + 1] == '.';
    if (starts_label ? !is_letter(c) : !(is_alphanumeric(c) || c == '-' || c == '.')) return i;
    if (ends_label && !is_alphanumeric(c)) return i;
    starts_label = c == '.';
  }
  if (slash == 0) return 0;
  return check_meta_name(text, slash + 1);
}

// A reader of ISO 8601: calendar dates, with or without a time and a zone, in the extended form
// (2025-01-12T15:00:58.5Z) and the basic one (20250112T150058Z).
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  std::size_t check() {
    if (!read_date()) return at_;
    if (at_ == text_.size()) return kNone;
    if (!take('T') && !take('t')) return at_;
    if (!read_time() || !read_zone()) return at_;
    return at_ == text_.size() ? kNone : at_;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take_digits(std::size_t count, int least, int most) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (at_ + i >= text_.size()) {
        at_ = text_.size();
        return false;
      }
      if (!is_digit(text_[at_ + i])) {
        at_ += i;
        return false;
      }
      value = value * 10 + (text_[at_ + i] - '0');
    }
    if (value < least || value > most) return false;
    at_ += count;
    return true;
  }

  bool read_date() {
    if (!take_digits(4, 0, 9999)) return false;
    is_extended_ = take('-');
    return take_digits(2, 1, 12) && (!is_extended_ || take('-')) && take_digits(2, 1, 31);
  }

  bool read_time() {
    if (!take_digits(2, 0, 24)) return false;
    if (is_extended_ ? !take(':') : !next_is_digit()) return !is_extended_;
    if (!take_digits(2, 0, 59)) return false;
    if (is_extended_ ? !take(':') : !next_is_digit()) return true;
    if (!take_digits(2, 0, 60)) return false;
    if (!take('.') && !take(',')) return true;
    if (!next_is_digit()) return false;
    while (next_is_digit()) ++at_;
    return true;
  }

  bool read_zone() {
    if (at_ == text_.size() || take('Z') || take('z')) return true;
    if (!take('+') && !take('-')) return false;
    if (!take_digits(2, 0, 23)) return false;
    if (at_ == text_.size()) return true;
    take(':');
    return take_digits(2, 0, 59);
  }

  bool next_is_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_extended_ = true;
};

std::size_t check(Format format, std::string_view text) {
  switch (format) {
    case Format::kNone:
      return kNone;
    case Format::kBase64:
      return check_base64(text);
    case Format::kUri:
      return check_uri(text);
    case Format::kUriTemplate:
      return check_uri_template(text);
    case Format::kTime:
      return TimeReader(text).check();
    case Format::kToolName:
      return check_tool_name(text);
    case Format::kMetaKey:
      return check_meta_key(text);
  }
  return kNone;
}

}  // namespace

bool has_format(Format format, std::string_view text) {
  return check(format, text) == kNone;
}

std::string format_defect(Format format, std::string_view text) {
  const std::size_t at = check(format, text);
  if (at == kNone) return "";
  if (text.empty()) return "an empty string";
  if (at >= text.size()) return fmt::format("{}, which ends too early", excerpt(text));
  return fmt::format("{}, wrong from offset {}: {}", excerpt(text), at,
                     excerpt(text.substr(at, 8)));
}

std::string_view format_words(Format format) {
  switch (format) {
    case Format::kNone:
      return "string";
    case Format::kBase64:
      return "base64 string (RFC 4648)";
    case Format::kUri:
      return "URI (RFC 3986)";
    case Format::kUriTemplate:
      return "URI template (RFC 6570)";
    case Format::kTime:
      return "ISO 8601 time";
    case Format::kToolName:
      return "tool name (1 to 128 of A-Z a-z 0-9 _ - .)";
    case Format::kMetaKey:
      return "_meta key (optional dotted prefix and '/', then a name)";
  }
  return "";
}

std::string_view format_pattern(Format format) {
  switch (format) {
    case Format::kNone:
      return "";
    case Format::kBase64:
      return "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
    case Format::kUri:
      return "^[A-Za-z][A-Za-z0-9+.-]*:"
             "(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\\[\\]-]|%[0-9A-Fa-f]{2})*$";
    case Format::kUriTemplate:
      return "^(?:[^\\x00-\\x20\"'<>\\\\^`{|}%\\x7f]|%[0-9A-Fa-f]{2}|"
             "\\{[+#./;?&=,!@|]?"
             "(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*"
             "(?:\\*|:[1-9][0-9]{0,3})?"
             "(?:,(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*"
             "(?:\\*|:[1-9][0-9]{0,3})?)*\\})*$";
    case Format::kTime:
      return "^[0-9]{4}"
             "(?:-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
             "(?:[Tt](?:[01][0-9]|2[0-4]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?"
             "(?:[Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?)?"
             "|(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
             "(?:[Tt](?:[01][0-9]|2[0-4])(?:[0-5][0-9](?:(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?)?"
             "(?:[Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?)?)$";
    case Format::kToolName:
      return "^[A-Za-z0-9_.-]{1,128}$";
    case Format::kMetaKey:
      return "^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
             "(?:\\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*/)?"
             "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$";
  }
  return "";
}

std::string excerpt(std::string_view text) {
  std::string quoted = "\"";
  const bool is_cut = text.size() > kLongestExcerpt;
  for (const char c : is_cut ? text.substr(0, kLongestExcerpt) : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  quoted += is_cut ? "\"..." : "\"";
  return quoted;
}

}  // namespace assay::model
