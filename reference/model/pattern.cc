#include "reference/model/pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "reference/model/pattern_program.h"

namespace assay::model {
namespace {

// Follows all ways through a program at once.
class PatternMatcher {
 public:
  PatternMatcher(const PatternProgram& program, const std::u32string& text, std::size_t& steps)
      : program_(program), text_(text), steps_(steps) {}

  // From any place of the text to any later one.
  bool search() { return run({.begin = 0, .from = 0, .is_anchored = false, .end = kAnywhere}); }
  bool is_exhausted() const { return is_exhausted_; }

 private:
  static constexpr std::size_t kAnywhere = static_cast<std::size_t>(-1);

  struct Task {
    std::size_t begin;  // of the program
    std::size_t from;   // of the text
    bool is_anchored;   // the match begins at `from`, not later
    std::size_t end;    // where the match has to end
  };

  // Instructions that are reached at one place of the text, each once.
  struct Front {
    std::vector<std::size_t> waiting;  // for a character
    std::vector<std::uint32_t> seen;   // by instruction: the last generation that reached it
    std::vector<std::size_t> unvisited;
  };

  bool spend(std::size_t steps) {
    if (steps_ < steps) is_exhausted_ = true;
    steps_ -= std::min(steps_, steps);
    return !is_exhausted_;
  }

  bool run(const Task& task) {
    if (!spend(program_.code.size() / 16 + 1)) return false;
    Front front;
    front.seen.assign(program_.code.size(), 0);
    std::vector<std::size_t> arrived;
    const std::size_t last = task.end == kAnywhere ? text_.size() : task.end;
    for (std::size_t at = task.from; at <= last; ++at) {
      const bool may_begin = !task.is_anchored || at == task.from;
      if (!may_begin && arrived.empty()) return false;
      if (may_begin) arrived.push_back(task.begin);
      front.waiting.clear();
      const auto generation = static_cast<std::uint32_t>(at - task.from + 1);
      for (const std::size_t place : arrived) {
        if (reach(place, at, generation, task, front)) return true;
      }
      if (is_exhausted_ || at == last) return false;
      arrived.clear();
      if (!spend(front.waiting.size() + 1)) return false;
      for (const std::size_t place : front.waiting) {
        const auto set = static_cast<std::size_t>(program_.code[place].first);
        if (program_.sets[set].contains(text_[at])) arrived.push_back(place + 1);
      }
    }
    return false;
  }

  static std::size_t moved(std::size_t place, std::int32_t by) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(place) + by);
  }

  // Goes on from `place` without a character. True if the match is complete.
  bool reach(std::size_t place, std::size_t at, std::uint32_t generation, const Task& task,
             Front& front) {
    front.unvisited.assign(1, place);
    while (!front.unvisited.empty()) {
      const std::size_t here = front.unvisited.back();
      front.unvisited.pop_back();
      if (front.seen[here] == generation) continue;
      front.seen[here] = generation;
      if (!spend(1)) return false;
      const PatternInstruction& one = program_.code[here];
      switch (one.op) {
        case PatternOp::kSet:
          front.waiting.push_back(here);
          break;
        case PatternOp::kSplit:
          front.unvisited.push_back(moved(here, one.second));
          front.unvisited.push_back(moved(here, one.first));
          break;
        case PatternOp::kJump:
          front.unvisited.push_back(moved(here, one.first));
          break;
        case PatternOp::kAccept:
          if (task.end == kAnywhere || at == task.end) return true;
          break;
        case PatternOp::kLook:
          if (looks(here, at)) front.unvisited.push_back(moved(here, one.first + 1));
          break;
        case PatternOp::kTextBegin:
        case PatternOp::kTextEnd:
        case PatternOp::kWordEdge:
        case PatternOp::kNoWordEdge:
          if (holds(one.op, at)) front.unvisited.push_back(here + 1);
          break;
      }
    }
    return false;
  }

  bool holds(PatternOp op, std::size_t at) const {
    if (op == PatternOp::kTextBegin) return at == 0;
    if (op == PatternOp::kTextEnd) return at == text_.size();
    const bool is_before = at > 0 && is_word_character(text_[at - 1]);
    const bool is_after = at < text_.size() && is_word_character(text_[at]);
    return (is_before != is_after) == (op == PatternOp::kWordEdge);
  }

  bool looks(std::size_t place, std::size_t at) {
    const std::int32_t kind = program_.code[place].second;
    const bool is_behind = kind == kBehind || kind == kNotBehind;
    const bool is_negated = kind == kNotAhead || kind == kNotBehind;
    const bool is_found = run({.begin = place + 1,
                               .from = is_behind ? 0 : at,
                               .is_anchored = !is_behind,
                               .end = is_behind ? at : kAnywhere});
    return is_found != is_negated;
  }

  const PatternProgram& program_;
  const std::u32string& text_;
  std::size_t& steps_;
  bool is_exhausted_ = false;
};

}  // namespace

Pattern::Pattern(std::string_view pattern) {
  std::variant<PatternProgram, std::string> compiled = compile_pattern(pattern);
  if (auto* program = std::get_if<PatternProgram>(&compiled)) {
    program_ = std::make_unique<const PatternProgram>(std::move(*program));
  } else {
    defect_ = std::get<std::string>(std::move(compiled));
  }
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

PatternMatch Pattern::search(std::string_view text, std::size_t& steps) const {
  if (program_ == nullptr) return PatternMatch::kUnknown;
  if (text.size() > steps) {
    steps = 0;
    return PatternMatch::kUnknown;
  }
  const std::u32string characters = code_points(text);
  const auto is_beyond_ascii = [](char32_t one) { return one > 0x7f; };
  if (program_->is_for_ascii && std::ranges::any_of(characters, is_beyond_ascii)) {
    return PatternMatch::kUnknown;
  }
  PatternMatcher matcher(*program_, characters, steps);
  const bool is_found = matcher.search();
  if (matcher.is_exhausted()) return PatternMatch::kUnknown;
  return is_found ? PatternMatch::kYes : PatternMatch::kNo;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t point = size == 1 ? lead : lead & (0xffu >> (size + 1));
    std::size_t used = 1;
    for (; used < size && at + used < text.size(); ++used) {
      const auto next = static_cast<unsigned char>(text[at + used]);
      if ((next & 0xc0u) != 0x80u) break;
      point = (point << 6) | (next & 0x3fu);
    }
    points.push_back(used == size ? point : static_cast<char32_t>(lead));
    at += used == size ? size : 1;
  }
  return points;
}

bool is_word_character(char32_t character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_';
}

}  // namespace assay::model
