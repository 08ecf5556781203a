// What evaluating a stranger's schema would cost: counted before it is tried.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "reference/model/schema_check.h"
#include "reference/model/schema_walk.h"

namespace assay::model {
namespace {

// Schemas applied to one part of the value on top of each other; a circle goes on for ever.
constexpr std::size_t kDeepestInPlace = 200;

class StepCounter {
 public:
  StepCounter(const Json& root, std::size_t limit) : root_(root), limit_(limit) {}

  std::size_t count(const Json& value) {
    apply(root_, value, 0);
    return steps_;
  }

 private:
  bool is_over() const { return steps_ > limit_; }

  void add(std::size_t steps) { steps_ = std::min(steps_ + steps, limit_ + 1); }

  static const Json* keyword(const Json& schema, const char* name) {
    const auto found = schema.find(name);
    return found == schema.end() ? nullptr : &*found;
  }

  void apply(const Json& schema, const Json& value, std::size_t in_place) {
    add(1);
    if (in_place > kDeepestInPlace) add(limit_);
    if (is_over() || !schema.is_object()) return;
    if (const Json* reference = keyword(schema, "$ref")) {
      const Json* target = reference->is_string()
                               ? resolve_local(root_, reference->get_ref<const std::string&>())
                               : nullptr;
      if (target != nullptr) apply(*target, value, in_place + 1);
      return;
    }
    for (const char* const name : {"allOf", "anyOf", "oneOf"}) {
      const Json* schemas = keyword(schema, name);
      if (schemas == nullptr || !schemas->is_array()) continue;
      for (const Json& one : *schemas) apply(one, value, in_place + 1);
    }
    for (const char* const name : {"not", "if", "then", "else"}) {
      if (const Json* one = keyword(schema, name)) apply(*one, value, in_place + 1);
    }
    if (const Json* values = keyword(schema, "enum")) add(values->size() * 4);
    if (value.is_object()) apply_to_members(schema, value);
    if (value.is_array()) apply_to_items(schema, value);
  }

  void apply_to_members(const Json& schema, const Json& value) {
    const Json* properties = keyword(schema, "properties");
    const Json* patterns = keyword(schema, "patternProperties");
    const Json* others = keyword(schema, "additionalProperties");
    for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
      if (is_over()) return;
      if (properties != nullptr && properties->contains(name)) {
        apply(properties->at(name), member, 0);
      } else if (others != nullptr) {
        apply(*others, member, 0);
      }
      if (patterns == nullptr) continue;
      for (const auto& [pattern, one] : patterns->items()) apply(one, member, 0);
    }
    if (properties != nullptr) add(properties->size());
  }

  void apply_to_items(const Json& schema, const Json& value) {
    const Json* unique = keyword(schema, "uniqueItems");
    if (unique != nullptr && *unique == true) {
      // Comparing two items costs as much as they are large.
      const std::size_t size = std::min(value.size(), limit_);
      for (std::size_t i = 0; i < size && !is_over(); ++i) add(size);
      for (const Json& item : value) {
        if (item.is_structured() && item.size() > 8) add(limit_);
      }
    }
    for (const char* const name : {"items", "contains"}) {
      const Json* one = keyword(schema, name);
      if (one == nullptr || one->is_array()) continue;
      for (const Json& item : value) {
        if (is_over()) return;
        apply(*one, item, 0);
      }
    }
  }

  const Json& root_;
  std::size_t limit_;
  std::size_t steps_ = 0;
};

constexpr bool is_repetition(char c) {
  return c == '*' || c == '+' || c == '{' || c == '?';
}

// Reads a pattern once. A group that is repeated must not repeat, or branch, inside: that is where
// backtracking explodes. Repetitions in a row cost a power of the length each.
class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : pattern_(pattern) {}

  bool read() {
    while (at_ < pattern_.size()) {
      if (!step()) return false;
    }
    return groups_.empty();
  }
  std::size_t repetitions() const { return repetitions_; }

 private:
  static constexpr std::size_t kMostRepeats = 1000;

  struct Group {
    bool has_repetition = false;
    bool has_branch = false;
  };

  bool step() {
    const char c = pattern_[at_++];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) return false;
    if (c == '\\') return skip_escape();
    if (c == '[') return skip_class();
    if (c == '(') return open();
    if (c == ')') return close();
    if (c == '|') mark_branch();
    if (c == '*' || c == '+' || c == '{') return repeat(c);
    return true;
  }

  bool skip_escape() {
    if (at_ >= pattern_.size()) return false;
    const char c = pattern_[at_++];
    // Classes that every dialect reads alike, and escaped punctuation; no back reference, no \u,
    // \p.
    const bool is_plain = std::string_view("dDwWsSbBntrfv").find(c) != std::string_view::npos;
    const bool is_punctuation =
        std::string_view(".*+?()[]{}|^$/\\-").find(c) != std::string_view::npos;
    return is_plain || is_punctuation;
  }

  bool skip_class() {
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    const std::size_t start = at_;
    while (at_ < pattern_.size() && (pattern_[at_] != ']' || at_ == start)) {
      const char c = pattern_[at_++];
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte >= 0x7f || c == '[') return false;
      if (c == '\\' && !skip_escape()) return false;
    }
    return at_ < pattern_.size() && pattern_[at_++] == ']' && at_ - 1 != start;
  }

  bool open() {
    if (at_ < pattern_.size() && pattern_[at_] == '?') {
      if (at_ + 1 >= pattern_.size() || pattern_[at_ + 1] != ':')
        return false;  // look-around, names
      at_ += 2;
    }
    groups_.push_back({});
    return groups_.size() < 20;
  }

  bool close() {
    if (groups_.empty()) return false;
    const Group group = groups_.back();
    groups_.pop_back();
    const bool is_repeated =
        at_ < pattern_.size() && is_repetition(pattern_[at_]) && pattern_[at_] != '?';
    if (is_repeated && (group.has_repetition || group.has_branch)) return false;
    if (!groups_.empty()) {
      groups_.back().has_repetition |= group.has_repetition || is_repeated;
      groups_.back().has_branch |= group.has_branch;
    }
    return true;
  }

  void mark_branch() {
    if (!groups_.empty()) groups_.back().has_branch = true;
  }

  bool repeat(char c) {
    ++repetitions_;
    if (!groups_.empty()) groups_.back().has_repetition = true;
    if (c != '{') return true;
    std::size_t number = 0;
    while (at_ < pattern_.size() && pattern_[at_] != '}') {
      const char digit = pattern_[at_++];
      if (digit == ',') {
        number = 0;
        continue;
      }
      if (digit < '0' || digit > '9') return false;
      number = number * 10 + static_cast<std::size_t>(digit - '0');
      if (number > kMostRepeats) return false;
    }
    return at_++ < pattern_.size();
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t repetitions_ = 0;
  std::vector<Group> groups_;
};

}  // namespace

std::size_t count_steps(const Json& schema, const Json& value, std::size_t limit) {
  return StepCounter(schema, limit).count(value);
}

std::size_t pattern_cost(std::string_view pattern, std::size_t length) {
  if (pattern.size() > kLongestPattern || length > kLongestMatchedText) return kUnbounded;
  PatternReader reader(pattern);
  if (!reader.read()) return kUnbounded;
  // One more power for the place where the match begins.
  std::size_t cost = length + 1;
  for (std::size_t i = 0; i < reader.repetitions(); ++i) {
    cost *= length + 1;
    if (cost > kMostPatternSteps) return kUnbounded;
  }
  return cost;
}

}  // namespace assay::model
