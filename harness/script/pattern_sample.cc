#include "harness/script/pattern_sample.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace assay::harness {
namespace {

// Patterns are a stranger's text: no honest one needs more than these.
constexpr std::size_t kLongestPattern = 1024;
constexpr std::size_t kLongestText = 1024;
constexpr int kDeepestGroup = 16;

// The characters that a class holds, or does not hold.
struct CharacterClass {
  std::vector<std::pair<char, char>> ranges;
  bool is_negated = false;

  bool holds(char c) const {
    const bool is_listed = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
      return range.first <= c && c <= range.second;
    });
    return is_listed != is_negated;
  }
  // One that it holds, a plain one if it can be; nothing if there is none.
  std::optional<char> any() const {
    for (const char c : std::string_view("a1A-_. /:@")) {
      if (holds(c)) return c;
    }
    for (char c = ' '; c <= '~'; ++c) {
      if (holds(c)) return c;
    }
    return std::nullopt;
  }
};

// What "\d", "\w" and the like stand for; a character by itself for all others.
CharacterClass class_of_escape(char c) {
  switch (c) {
    case 'd':
      return {{{'0', '9'}}};
    case 'D':
      return {{{'0', '9'}}, true};
    case 'w':
      return {{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}}};
    case 'W':
      return {{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}}, true};
    case 's':
      return {{{' ', ' '}}};
    case 'S':
      return {{{' ', ' '}}, true};
    default:
      return {{{c, c}}};
  }
}

class PatternReader {
 public:
  PatternReader(std::string_view pattern, std::size_t more) : rest_(pattern), more_(more) {}

  std::optional<std::string> read() {
    auto text = read_alternatives(0);
    return rest_.empty() ? text : std::nullopt;
  }

 private:
  bool take(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  // All are read, and the first is what counts.
  std::optional<std::string> read_alternatives(int depth) {
    auto first = read_sequence(depth);
    while (first && take("|")) {
      if (!read_sequence(depth)) return std::nullopt;
    }
    return first;
  }

  std::optional<std::string> read_sequence(int depth) {
    std::string text;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const auto atom = read_atom(depth);
      const auto count = read_count();
      if (!atom || !count || text.size() + *count * atom->size() > kLongestText) {
        return std::nullopt;
      }
      for (std::size_t i = 0; i < *count; ++i) text += *atom;
    }
    return text;
  }

  std::optional<std::string> read_atom(int depth) {
    const char c = next();
    if (c == '^' || c == '$') return "";
    if (c == '.') return "a";
    if (c == '[') return read_class();
    if (c == '\\') return read_escape();
    if (c == '*' || c == '+' || c == '?') return std::nullopt;
    if (c != '(') return std::string(1, c);
    if (depth >= kDeepestGroup || (rest_.starts_with("?") && !take("?:"))) return std::nullopt;
    auto text = read_alternatives(depth + 1);
    return take(")") ? text : std::nullopt;
  }

  std::optional<std::string> read_escape() {
    if (rest_.empty()) return std::nullopt;
    const char c = next();
    if (c == 'b') return "";
    const bool is_understood =
        std::string_view("dDwWsS").find(c) != std::string_view::npos ||
        std::string_view("abcdefghijklmnopqrstuvwxyz0123456789").find(c) == std::string_view::npos;
    if (!is_understood) return std::nullopt;
    const auto any = class_of_escape(c).any();
    return any ? std::optional(std::string(1, *any)) : std::nullopt;
  }

  std::optional<std::string> read_class() {
    CharacterClass found;
    found.is_negated = take("^");
    bool is_first = true;
    while (!rest_.empty() && (is_first || rest_.front() != ']')) {
      is_first = false;
      const char c = next();
      if (c == '\\') {
        if (rest_.empty()) return std::nullopt;
        const CharacterClass escaped = class_of_escape(next());
        if (escaped.is_negated) return std::nullopt;
        found.ranges.insert(found.ranges.end(), escaped.ranges.begin(), escaped.ranges.end());
        continue;
      }
      const bool is_range = rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']';
      if (is_range) next();
      found.ranges.emplace_back(c, is_range ? next() : c);
    }
    const auto any = found.any();
    if (!take("]") || !any) return std::nullopt;
    return std::string(1, *any);
  }

  // How often what stands before it comes; nothing for what cannot be read.
  std::optional<std::size_t> read_count() {
    std::size_t count = 1;
    if (take("*")) {
      count = more_;
    } else if (take("+")) {
      count = 1 + more_;
    } else if (take("?")) {
      count = 0;
    } else if (take("{")) {
      const auto least = read_number();
      if (!least) return std::nullopt;
      count = *least;
      if (take(",") && !rest_.starts_with("}")) {
        const auto most = read_number();
        if (!most) return std::nullopt;
        count = std::max(count, std::min(count + more_, *most));
      } else if (rest_.starts_with("}") && is_open_) {
        count += more_;
      }
      if (!take("}")) return std::nullopt;
    } else {
      return count;
    }
    take("?");  // the fewest are taken anyway
    return count;
  }

  std::optional<std::size_t> read_number() {
    std::size_t number = 0;
    bool is_any = false;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      number = std::min(number * 10 + static_cast<std::size_t>(next() - '0'), kLongestText + 1);
      is_any = true;
    }
    is_open_ = rest_.starts_with(",}");
    return is_any ? std::optional(number) : std::nullopt;
  }

  std::string_view rest_;
  const std::size_t more_;
  bool is_open_ = false;  // the number just read is a least one: "{2,}"
};

}  // namespace

std::optional<std::string> pattern_sample(std::string_view pattern, std::size_t more) {
  if (pattern.size() > kLongestPattern) return std::nullopt;
  // What is read byte by byte must not cut a character of several in two.
  const bool is_ascii = std::all_of(pattern.begin(), pattern.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!is_ascii) return std::nullopt;
  return PatternReader(pattern, std::min(more, kLongestText)).read();
}

}  // namespace assay::harness
