// Numbers, texts and whole values as JSON Schema compares them. Internal to model/.
//
// Specification: JSON Schema 2020-12 core, 4.2.2 (equality) and 6.2 (numbers are mathematical).
//
// Implementations read a number as a double, so that one beyond 2^53 may have reached them as its
// neighbour. Where that decides, the answer is kMaybe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::model {

// What is known of a statement; the logic is Kleene's: "and" is the least, "or" the greatest.
enum class Truth : std::uint8_t { kNo, kMaybe, kYes };

constexpr Truth truth(bool is_true) {
  return is_true ? Truth::kYes : Truth::kNo;
}
constexpr Truth negated(Truth one) {
  return one == Truth::kYes ? Truth::kNo : one == Truth::kNo ? Truth::kYes : Truth::kMaybe;
}

// Both are numbers.
Truth is_less(const Json& one, const Json& other);
Truth is_multiple(const Json& value, const Json& divisor);

// A number without fraction, however it is written.
bool is_integer(const Json& value);

// What may still be spent; `spend` fails for ever once it does not suffice.
class StepBudget {
 public:
  explicit StepBudget(std::size_t steps) : left_(steps) {}

  bool spend(std::size_t steps) {
    if (steps > left_) is_over_ = true;
    left_ -= steps > left_ ? left_ : steps;
    return !is_over_;
  }
  bool is_over() const { return is_over_; }

 private:
  std::size_t left_;
  bool is_over_ = false;
};

// Takes a step for each part that is looked at; kMaybe if they do not suffice.
Truth is_equal(const Json& one, const Json& other, StepBudget& budget);

// Whether no two items of an array are equal.
Truth are_different(const Json& items, StepBudget& budget);

// In characters (code points).
std::size_t text_length(std::string_view text);

}  // namespace assay::model
