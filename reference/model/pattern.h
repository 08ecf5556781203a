// Regular expressions as JSON Schema has them: ECMA-262 with the flag "u", not anchored.
//
// Specification: JSON Schema 2020-12 core, 6.4; ECMA-262, "RegExp (Regular Expression) Objects".
//
// Pattern and text are a stranger's, so that nothing is ever tried again: all ways to match are
// followed at once, one character after the other. The time is bounded by the size of the program
// times the length of the text (once more for each look-around that is nested), and so is counted
// in steps. What is left out: back references, flags inside a pattern, and properties of characters
// (\p{L}) beyond ASCII. Where only the older syntax without "u" gives a meaning, such as to a lone
// '{' or to '\-', it has that meaning.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace assay::model {

struct PatternProgram;

enum class PatternMatch { kNo, kUnknown, kYes };

inline constexpr std::size_t kLongestPattern = 4096;            // bytes
inline constexpr std::size_t kMostPatternInstructions = 20000;  // repetitions are written out
inline constexpr std::size_t kDeepestPattern = 50;              // nested groups

class Pattern {
 public:
  explicit Pattern(std::string_view pattern);
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  // Why it is not understood, as a phrase of printable ASCII; empty if it is.
  const std::string& defect() const { return defect_; }

  // Whether the pattern matches somewhere in `text`. Takes what it costs off `steps`, and is
  // unknown where those do not suffice, or where the pattern is not understood for this text.
  PatternMatch search(std::string_view text, std::size_t& steps) const;

 private:
  std::unique_ptr<const PatternProgram> program_;  // null if not understood
  std::string defect_;
};

}  // namespace assay::model
