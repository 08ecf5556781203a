#include "reference/model/pattern_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "reference/model/pattern.h"

namespace assay::model {
namespace {

using Code = std::vector<PatternInstruction>;

constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();

struct Repetition {
  std::size_t least = 1;
  std::size_t most = 1;
};

std::int32_t distance_over(const Code& code, int more) {
  return static_cast<std::int32_t>(code.size()) + more;
}

class PatternCompiler {
 public:
  explicit PatternCompiler(std::string_view pattern) : text_{code_points(pattern)} {}

  std::variant<PatternProgram, std::string> compile() {
    program_.code = read_alternatives(0);
    if (!text_.is_at_end()) text_.fail("a ')' without its '('");
    program_.code.push_back({PatternOp::kAccept});
    if (text_.has_failed()) return "a pattern with " + text_.defect;
    return std::move(program_);
  }

 private:
  bool has_room(std::size_t more) {
    if (more > kMostPatternInstructions) text_.fail("more repetitions than are followed");
    return !text_.has_failed();
  }

  void append(Code& code, const Code& more) {
    if (has_room(code.size() + more.size())) code.insert(code.end(), more.begin(), more.end());
  }

  Code read_alternatives(std::size_t depth) {
    if (depth > kDeepestPattern) text_.fail("more nested groups than are followed");
    Code code = read_sequence(depth);
    while (!text_.has_failed() && text_.take('|')) {
      const Code other = read_sequence(depth);
      Code either = {{PatternOp::kSplit, 1, distance_over(code, 2)}};
      append(either, code);
      either.push_back({PatternOp::kJump, distance_over(other, 1)});
      append(either, other);
      code = std::move(either);
    }
    return code;
  }

  Code read_sequence(std::size_t depth) {
    Code code;
    while (!text_.has_failed() && !text_.is_at_end() && !text_.is_next('|') &&
           !text_.is_next(')')) {
      append(code, read_term(depth));
    }
    return code;
  }

  Code read_term(std::size_t depth) {
    const char32_t next = text_.text[text_.at++];
    if (next == '^') return {{PatternOp::kTextBegin}};
    if (next == '$') return {{PatternOp::kTextEnd}};
    if (next == '\\' && text_.take('b')) return {{PatternOp::kWordEdge}};
    if (next == '\\' && text_.take('B')) return {{PatternOp::kNoWordEdge}};
    if (next == '(' && text_.take('?')) return read_special_group(depth);
    const Code atom = read_atom(next, depth);
    return repeat(atom, read_repetition());
  }

  Code read_atom(char32_t next, std::size_t depth) {
    switch (next) {
      case '(':
        return read_group(depth);
      case '.':
        return one_of(any_but_line_ends());
      case '[':
        return one_of(read_brackets(text_, program_.is_for_ascii));
      case '\\':
        return one_of(read_character_escape(text_, false, program_.is_for_ascii));
      case '*':
      case '+':
      case '?':
        text_.fail("nothing to repeat");
        return {};
      default:
        return one_of(CodePointSet({{next, next}}));
    }
  }

  Code one_of(CodePointSet set) {
    program_.sets.push_back(std::move(set));
    return {{PatternOp::kSet, static_cast<std::int32_t>(program_.sets.size() - 1)}};
  }

  Code read_group(std::size_t depth) {
    Code code = read_alternatives(depth + 1);
    if (!text_.take(')')) text_.fail("a '(' without its ')'");
    return code;
  }

  Code read_repeated_group(std::size_t depth) {
    const Code group = read_group(depth);
    return repeat(group, read_repetition());
  }

  // After "(?".
  Code read_special_group(std::size_t depth) {
    if (text_.take(':')) return read_repeated_group(depth);
    const bool is_behind = text_.take('<');
    if (text_.take('=')) return read_look(is_behind ? kBehind : kAhead, depth);
    if (text_.take('!')) return read_look(is_behind ? kNotBehind : kNotAhead, depth);
    if (!is_behind) {
      text_.fail("flags inside");
      return {};
    }
    while (!text_.is_at_end() && !text_.is_next('>')) ++text_.at;  // a name, which nobody asks for
    if (!text_.take('>')) text_.fail("a group without a name");
    return read_repeated_group(depth);
  }

  Code read_look(LookKind kind, std::size_t depth) {
    Code body = read_group(depth);
    body.push_back({PatternOp::kAccept});
    Code code = {{PatternOp::kLook, distance_over(body, 0), kind}};
    append(code, body);
    if (!text_.is_at_end() &&
        std::u32string_view(U"*+?").find(text_.text[text_.at]) != std::u32string_view::npos) {
      text_.fail("a repeated look-around");
    }
    return code;
  }

  // Whether a repetition takes as much or as little as it can does not decide if there is a match.
  Repetition read_repetition() {
    Repetition repetition;
    if (text_.take('*')) {
      repetition = {0, kEndless};
    } else if (text_.take('+')) {
      repetition = {1, kEndless};
    } else if (text_.take('?')) {
      repetition = {0, 1};
    } else if (!text_.is_next('{') || !read_counts(repetition)) {
      return repetition;
    }
    text_.take('?');
    return repetition;
  }

  // "{2}", "{2,}" or "{2,4}"; anything else is text.
  bool read_counts(Repetition& repetition) {
    const std::size_t start = text_.at++;
    const std::optional<std::size_t> least = read_number();
    std::optional<std::size_t> most = least;
    if (least && text_.take(',')) most = text_.is_next('}') ? kEndless : read_number();
    if (!least || !most || !text_.take('}')) {
      text_.at = start;
      return false;
    }
    if (*least > *most) text_.fail("a repetition whose limits are the wrong way round");
    repetition = {*least, *most};
    return true;
  }

  std::optional<std::size_t> read_number() {
    constexpr std::size_t kLargest = 1'000'000'000;
    const std::size_t start = text_.at;
    std::size_t number = 0;
    for (; !text_.is_at_end() && text_.text[text_.at] >= '0' && text_.text[text_.at] <= '9';
         ++text_.at) {
      number = std::min(kLargest, number * 10 + (text_.text[text_.at] - U'0'));
    }
    if (text_.at == start) return std::nullopt;
    return number;
  }

  // Written out: a copy for each time that it has to be there, and one for each that it may be.
  Code repeat(const Code& code, const Repetition& times) {
    if (times.least == 1 && times.most == 1) return code;
    const std::size_t copies = times.most == kEndless ? times.least + 1 : times.most;
    if (copies > kMostPatternInstructions || !has_room(copies * (code.size() + 2))) {
      text_.fail("more repetitions than are followed");
      return {};
    }
    Code all;
    for (std::size_t i = 0; i < times.least; ++i) append(all, code);
    if (times.most == kEndless) {
      all.push_back({PatternOp::kSplit, 1, distance_over(code, 2)});
      append(all, code);
      all.push_back({PatternOp::kJump, -distance_over(code, 1)});
      return all;
    }
    for (std::size_t i = times.least; i < times.most; ++i) {
      all.push_back({PatternOp::kSplit, 1, distance_over(code, 1)});
      append(all, code);
    }
    return all;
  }

  PatternText text_;
  PatternProgram program_;
};

}  // namespace

std::variant<PatternProgram, std::string> compile_pattern(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) return "a pattern that is longer than what is read";
  return PatternCompiler(pattern).compile();
}

}  // namespace assay::model
