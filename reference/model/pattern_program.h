// What a regular expression is compiled to: instructions that many places of a text can be at, at
// once. Internal to pattern.cc and pattern_parser.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::model {

// Characters, as ranges of code points: sorted, apart from each other.
class CodePointSet {
 public:
  using Range = std::pair<char32_t, char32_t>;  // both ends belong to it

  CodePointSet() = default;
  explicit CodePointSet(std::vector<Range> ranges);

  bool contains(char32_t character) const;
  CodePointSet complement() const;
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

enum class PatternOp : std::uint8_t {
  kSet,         // one character of sets[first]
  kSplit,       // goes on at `first` and at `second`
  kJump,        // goes on at `first`
  kTextBegin,   // ^
  kTextEnd,     // $
  kWordEdge,    // \b
  kNoWordEdge,  // \B
  kLook,        // a look-around: its body of `first` instructions follows; `second` is a LookKind
  kAccept,
};

enum LookKind : std::uint8_t { kAhead = 0, kNotAhead = 1, kBehind = 2, kNotBehind = 3 };

// Places are relative to the instruction itself, so that a piece of a program can be copied.
struct PatternInstruction {
  PatternOp op;
  std::int32_t first = 0;
  std::int32_t second = 0;
};

struct PatternProgram {
  std::vector<PatternInstruction> code;  // ends with kAccept
  std::vector<CodePointSet> sets;
  // It asks for properties of characters, of which only those of ASCII are known here.
  bool is_for_ascii = false;
};

// The program of a pattern, or why there is none, as a phrase.
std::variant<PatternProgram, std::string> compile_pattern(std::string_view pattern);

// The code points of a text. A byte that is not UTF-8 counts as one.
std::u32string code_points(std::string_view text);

// \w of ECMA-262.
bool is_word_character(char32_t character);

}  // namespace assay::model
