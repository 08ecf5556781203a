#include <algorithm>
#include <array>
#include <utility>

#include "reference/model/pattern_parser.h"

namespace assay::model {
namespace {

using CodePointRanges = std::vector<CodePointSet::Range>;

constexpr char32_t kLastCharacter = 0x10ffff;

const CodePointSet& digits() {
  static const CodePointSet kDigits({{'0', '9'}});
  return kDigits;
}

const CodePointSet& word_characters() {
  static const CodePointSet kWord({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
  return kWord;
}

// WhiteSpace and LineTerminator of ECMA-262.
const CodePointSet& white_space() {
  static const CodePointSet kSpace({{0x09, 0x0d},
                                    {0x20, 0x20},
                                    {0xa0, 0xa0},
                                    {0x1680, 0x1680},
                                    {0x2000, 0x200a},
                                    {0x2028, 0x2029},
                                    {0x202f, 0x202f},
                                    {0x205f, 0x205f},
                                    {0x3000, 0x3000},
                                    {0xfeff, 0xfeff}});
  return kSpace;
}

CodePointSet only(char32_t character) {
  return CodePointSet({{character, character}});
}

int hex_digit(char32_t one) {
  if (one >= '0' && one <= '9') return static_cast<int>(one - U'0');
  if (one >= 'a' && one <= 'f') return static_cast<int>(one - U'a') + 10;
  if (one >= 'A' && one <= 'F') return static_cast<int>(one - U'A') + 10;
  return -1;
}

std::optional<char32_t> read_hex(PatternText& text, std::size_t digits_wanted) {
  char32_t number = 0;
  for (std::size_t i = 0; i < digits_wanted; ++i, ++text.at) {
    const int digit = text.is_at_end() ? -1 : hex_digit(text.text[text.at]);
    if (digit < 0) return std::nullopt;
    number = number * 16 + static_cast<char32_t>(digit);
  }
  return number;
}

// After "\u{".
std::optional<char32_t> read_braced_hex(PatternText& text) {
  char32_t number = 0;
  for (; !text.is_at_end() && hex_digit(text.text[text.at]) >= 0; ++text.at) {
    number = number * 16 + static_cast<char32_t>(hex_digit(text.text[text.at]));
    if (number > kLastCharacter) return std::nullopt;
  }
  return text.take('}') ? std::optional(number) : std::nullopt;
}

// After "\u": two halves of a surrogate pair are one character.
std::optional<char32_t> read_unicode_escape(PatternText& text) {
  if (text.take('{')) return read_braced_hex(text);
  const std::optional<char32_t> first = read_hex(text, 4);
  if (!first || *first < 0xd800 || *first > 0xdbff) return first;
  const std::size_t behind = text.at;
  if (text.take('\\') && text.take('u')) {
    const std::optional<char32_t> second = read_hex(text, 4);
    if (second && *second >= 0xdc00 && *second <= 0xdfff) {
      return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
    }
  }
  text.at = behind;
  return first;
}

CodePointSet read_property(PatternText& text, bool is_negated, bool& is_for_ascii) {
  std::string name;
  if (text.take('{')) {
    while (!text.is_at_end() && !text.is_next('}')) {
      name += static_cast<char>(text.text[text.at++] & 0x7f);
    }
  }
  const std::optional<CodePointSet> members = ascii_with_property(name);
  if (!text.take('}') || !members) {
    text.fail("a property of characters that is not known here");
    return {};
  }
  is_for_ascii = true;
  return is_negated ? members->complement() : *members;
}

CodePointSet read_code(PatternText& text, std::optional<char32_t> code) {
  if (!code) text.fail("a character's number that is none");
  return only(code.value_or(0));
}

// Escapes with a meaning of their own.
std::optional<char32_t> control_escape(char32_t letter) {
  switch (letter) {
    case 't':
      return U'\t';
    case 'n':
      return U'\n';
    case 'v':
      return U'\v';
    case 'f':
      return U'\f';
    case 'r':
      return U'\r';
    default:
      return std::nullopt;
  }
}

std::optional<CodePointSet> class_escape(char32_t letter) {
  switch (letter) {
    case 'd':
      return digits();
    case 'D':
      return digits().complement();
    case 'w':
      return word_characters();
    case 'W':
      return word_characters().complement();
    case 's':
      return white_space();
    case 'S':
      return white_space().complement();
    default:
      return std::nullopt;
  }
}

bool is_ascii_letter(char32_t one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
}

// One member of a class, and whether it is a single character that may begin or end a range.
CodePointSet read_member(PatternText& text, bool& is_for_ascii) {
  const char32_t next = text.text[text.at++];
  return next == '\\' ? read_character_escape(text, true, is_for_ascii) : only(next);
}

std::optional<char32_t> single(const CodePointSet& set) {
  if (set.ranges().size() != 1 || set.ranges()[0].first != set.ranges()[0].second) {
    return std::nullopt;
  }
  return set.ranges()[0].first;
}

}  // namespace

CodePointSet::CodePointSet(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end());
  for (const Range& range : ranges) {
    if (!ranges_.empty() && range.first <= ranges_.back().second + 1) {
      ranges_.back().second = std::max(ranges_.back().second, range.second);
    } else {
      ranges_.push_back(range);
    }
  }
}

bool CodePointSet::contains(char32_t character) const {
  const auto above =
      std::upper_bound(ranges_.begin(), ranges_.end(), character,
                       [](char32_t one, const Range& range) { return one < range.first; });
  return above != ranges_.begin() && character <= std::prev(above)->second;
}

CodePointSet CodePointSet::complement() const {
  CodePointSet others;
  char32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) others.ranges_.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kLastCharacter) others.ranges_.emplace_back(next, kLastCharacter);
  return others;
}

CodePointSet any_but_line_ends() {
  return CodePointSet({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}).complement();
}

CodePointSet read_character_escape(PatternText& text, bool is_in_brackets, bool& is_for_ascii) {
  if (text.is_at_end()) {
    text.fail("a lone '\\' at its end");
    return {};
  }
  const char32_t letter = text.text[text.at++];
  if (const auto set = class_escape(letter)) return *set;
  if (const auto control = control_escape(letter)) return only(*control);
  if (is_in_brackets && letter == 'b') return only('\b');
  if (letter == 'x') return read_code(text, read_hex(text, 2));
  if (letter == 'u') return read_code(text, read_unicode_escape(text));
  if (letter == 'p' || letter == 'P') return read_property(text, letter == 'P', is_for_ascii);
  if (letter == 'c' && !text.is_at_end() && is_ascii_letter(text.text[text.at])) {
    return only(text.text[text.at++] % 32);
  }
  const bool is_digit = letter >= '0' && letter <= '9';
  const bool is_before_digit =
      !text.is_at_end() && text.text[text.at] >= '0' && text.text[text.at] <= '9';
  if (letter == '0' && !is_before_digit) return only(0);
  if (is_digit || letter == 'k') {
    text.fail("a back reference or an octal number");
  } else if (is_ascii_letter(letter)) {
    text.fail("an escape that ECMA-262 does not have");
  }
  return only(letter);
}

CodePointSet read_brackets(PatternText& text, bool& is_for_ascii) {
  const bool is_negated = text.take('^');
  CodePointRanges ranges;
  const auto add = [&ranges](const CodePointSet& set) {
    ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
  };
  while (!text.has_failed() && !text.is_at_end() && !text.is_next(']')) {
    const CodePointSet first = read_member(text, is_for_ascii);
    const bool is_before_dash =
        text.is_next('-') && text.at + 1 < text.text.size() && text.text[text.at + 1] != ']';
    if (!is_before_dash) {
      add(first);
      continue;
    }
    ++text.at;
    const CodePointSet last = read_member(text, is_for_ascii);
    if (!single(first) || !single(last)) {  // without "u", the dash stands for itself
      add(first);
      add(last);
      add(only('-'));
    } else if (*single(first) > *single(last)) {
      text.fail("a range whose ends are the wrong way round");
    } else {
      ranges.emplace_back(*single(first), *single(last));
    }
  }
  if (!text.take(']')) text.fail("a '[' without its ']'");
  const CodePointSet set(std::move(ranges));
  return is_negated ? set.complement() : set;
}

std::optional<CodePointSet> ascii_with_property(std::string_view name) {
  struct Property {
    std::array<std::string_view, 3> names;
    std::string_view ranges;  // pairs of characters
  };
  static constexpr Property kProperties[] = {
      {{"L", "Letter", "Alphabetic"}, "AZaz"},
      {{"Lu", "Uppercase_Letter", "Uppercase"}, "AZ"},
      {{"Ll", "Lowercase_Letter", "Lowercase"}, "az"},
      {{"N", "Number", ""}, "09"},
      {{"Nd", "Decimal_Number", "digit"}, "09"},
      {{"M", "Mark", "Combining_Mark"}, ""},
      {{"P", "Punctuation", "punct"}, "!#%*,/:;?@[]__{{}}"},
      {{"S", "Symbol", ""}, "$$++<>^^``||~~"},
      {{"Z", "Separator", ""}, "  "},
      {{"Zs", "Space_Separator", ""}, "  "},
  };
  for (const std::string_view prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  for (const Property& property : kProperties) {
    if (name.empty() || std::ranges::find(property.names, name) == property.names.end()) continue;
    CodePointRanges ranges;
    for (std::size_t i = 0; i + 1 < property.ranges.size(); i += 2) {
      ranges.emplace_back(static_cast<char32_t>(property.ranges[i]),
                          static_cast<char32_t>(property.ranges[i + 1]));
    }
    return CodePointSet(std::move(ranges));
  }
  return std::nullopt;
}

}  // namespace assay::model
