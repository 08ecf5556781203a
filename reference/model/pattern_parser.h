// Reads the parts of a regular expression that stand for characters: escapes, classes, properties.
// Internal to pattern_parser.cc and pattern_characters.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "reference/model/pattern_program.h"

namespace assay::model {

// Where a reader is in a pattern, and what it met first that it does not understand.
struct PatternText {
  std::u32string text;
  std::size_t at = 0;
  std::string defect = {};

  bool is_at_end() const { return at >= text.size(); }
  bool is_next(char32_t one) const { return at < text.size() && text[at] == one; }
  bool take(char32_t one) {
    if (!is_next(one)) return false;
    ++at;
    return true;
  }
  void fail(std::string_view what) {
    if (defect.empty()) defect = what;
  }
  bool has_failed() const { return !defect.empty(); }
};

// What follows a backslash, in or outside of brackets: one character, or several.
CodePointSet read_character_escape(PatternText& text, bool is_in_brackets, bool& is_for_ascii);

// What follows '[', up to and with ']'.
CodePointSet read_brackets(PatternText& text, bool& is_for_ascii);

// '.': any character but the ends of lines.
CodePointSet any_but_line_ends();

// The ASCII characters with a Unicode property such as "L", "Letter" or "gc=Lu". Nothing for one
// that is not known here.
std::optional<CodePointSet> ascii_with_property(std::string_view name);

}  // namespace assay::model
