#include "reference/model/schema_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::model {
namespace {

constexpr double kLargestExactInteger = 9007199254740992.0;
// A double keeps every decimal number below this.
constexpr std::uint64_t kMostExactDigits = 1'000'000'000'000'000;
// Nested arrays and objects that are compared.
constexpr std::size_t kDeepestComparison = 500;

bool is_large(const Json& number) {
  return std::fabs(number.get<double>()) > kLargestExactInteger;
}

// Exact for everything that nlohmann keeps, which is a double or an integer of 64 bits.
std::partial_ordering order(const Json& one, const Json& other) {
  if (one.is_number_float() || other.is_number_float()) {
    return one.get<long double>() <=> other.get<long double>();
  }
  const bool is_negative = one < 0;
  if (is_negative != (other < 0)) {
    return is_negative ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return is_negative ? one.get<std::int64_t>() <=> other.get<std::int64_t>()
                     : one.get<std::uint64_t>() <=> other.get<std::uint64_t>();
}

// Whether rounding to doubles may have made two numbers equal that are not, when one of them was
// written with more digits than a double has.
bool may_be_rounded(const Json& one, const Json& other) {
  if (!one.is_number_float() && !other.is_number_float()) return false;
  if (!is_large(one) && !is_large(other)) return false;
  const double first = one.get<double>();
  return std::fabs(first - other.get<double>()) <= std::fabs(first) * 1e-15;
}

// What is so both exactly and for those who round.
Truth agreed(bool is_so, bool is_so_rounded) {
  return is_so == is_so_rounded ? truth(is_so) : Truth::kMaybe;
}

Truth equal_numbers(const Json& one, const Json& other) {
  if (may_be_rounded(one, other)) return Truth::kMaybe;
  return agreed(order(one, other) == std::partial_ordering::equivalent,
                one.get<double>() == other.get<double>());
}

// A number as `digits` times a power of ten.
struct Decimal {
  std::uint64_t digits = 0;  // at most 20 of them
  int exponent = 0;
};

Decimal decimal_of(const Json& number) {
  if (number.is_number_integer()) {
    const bool is_negative = number < 0;
    const auto bits = number.is_number_unsigned()
                          ? number.get<std::uint64_t>()
                          : static_cast<std::uint64_t>(number.get<std::int64_t>());
    return {is_negative ? 0 - bits : bits, 0};
  }
  // The shortest text that is this double: what was written, up to 15 digits.
  const std::string text = fmt::format("{}", std::fabs(number.get<double>()));
  Decimal decimal;
  bool is_fraction = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e'; ++at) {
    if (text[at] == '.') {
      is_fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (is_fraction) --decimal.exponent;
  }
  if (at < text.size()) decimal.exponent += std::atoi(text.c_str() + at + 1);
  return decimal;
}

// digits * 10^power modulo divisor.
std::uint64_t scaled_remainder(std::uint64_t digits, int power, std::uint64_t divisor) {
  __extension__ using Wide = unsigned __int128;
  Wide remainder = digits % divisor;
  for (int i = 0; i < power && remainder != 0; ++i) remainder = remainder * 10 % divisor;
  return static_cast<std::uint64_t>(remainder);
}

std::size_t mixed(std::size_t seed, std::size_t more) {
  return seed ^ (more + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}

// Equal values have equal hashes.
std::optional<std::size_t> hash_of(const Json& value, std::size_t depth, StepBudget& budget) {
  if (depth > kDeepestComparison || !budget.spend(1)) return std::nullopt;
  if (value.is_number()) return std::hash<double>()(value.get<double>());
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!budget.spend(text.size() / 64)) return std::nullopt;
    return std::hash<std::string_view>()(text);
  }
  std::size_t hash = static_cast<std::size_t>(value.type());
  if (value.is_boolean()) return mixed(hash, value.get<bool>() ? 1 : 2);
  if (value.is_object()) {
    for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
      const auto inner = hash_of(member, depth + 1, budget);
      if (!inner || !budget.spend(name.size() / 64)) return std::nullopt;
      hash = mixed(mixed(hash, std::hash<std::string_view>()(name)), *inner);
    }
  } else if (value.is_array()) {
    for (const Json& item : value) {
      const auto inner = hash_of(item, depth + 1, budget);
      if (!inner) return std::nullopt;
      hash = mixed(hash, *inner);
    }
  }
  return hash;
}

Truth equal_at(const Json& one, const Json& other, std::size_t depth, StepBudget& budget);

Truth equal_objects(const Json& one, const Json& other, std::size_t depth, StepBudget& budget) {
  const auto& first = one.get_ref<const Json::object_t&>();
  const auto& second = other.get_ref<const Json::object_t&>();
  Truth result = Truth::kYes;
  auto beside = second.begin();
  for (const auto& [name, member] : first) {
    if (!budget.spend(1 + name.size() / 64)) return Truth::kMaybe;
    if (name != beside->first) return Truth::kNo;
    result = std::min(result, equal_at(member, (beside++)->second, depth + 1, budget));
    if (result == Truth::kNo) break;
  }
  return result;
}

Truth equal_at(const Json& one, const Json& other, std::size_t depth, StepBudget& budget) {
  if (depth > kDeepestComparison || !budget.spend(1)) return Truth::kMaybe;
  if (one.is_number() && other.is_number()) return equal_numbers(one, other);
  if (one.type() != other.type() || one.size() != other.size()) return Truth::kNo;
  if (one.is_string()) {
    const auto& text = one.get_ref<const std::string&>();
    if (!budget.spend(text.size() / 64)) return Truth::kMaybe;
    return truth(text == other.get_ref<const std::string&>());
  }
  if (one.is_object()) return equal_objects(one, other, depth, budget);
  if (!one.is_array()) return truth(one == other);
  Truth result = Truth::kYes;
  for (std::size_t i = 0; i < one.size() && result != Truth::kNo; ++i) {
    result = std::min(result, equal_at(one[i], other[i], depth + 1, budget));
  }
  return result;
}

}  // namespace

Truth is_less(const Json& one, const Json& other) {
  if (may_be_rounded(one, other)) return Truth::kMaybe;
  return agreed(order(one, other) == std::partial_ordering::less,
                one.get<double>() < other.get<double>());
}

Truth is_multiple(const Json& value, const Json& divisor) {
  const Decimal dividend = decimal_of(value);
  // With fewer digits the text is what was written, and nothing was rounded.
  if (value.is_number_float() && is_large(value) && dividend.digits >= kMostExactDigits) {
    return Truth::kMaybe;
  }
  const Decimal by = decimal_of(divisor);
  if (dividend.digits == 0) return Truth::kYes;
  if (by.digits == 0) return Truth::kMaybe;
  const int power = dividend.exponent - by.exponent;
  if (power >= 0) return truth(scaled_remainder(dividend.digits, power, by.digits) == 0);
  // The divisor has more zeros than the number has: as many digits of the number have to be zeros.
  std::uint64_t digits = dividend.digits;
  for (int i = power; i < 0; ++i) {
    if (digits % 10 != 0) return Truth::kNo;
    digits /= 10;
  }
  return truth(digits % by.digits == 0);
}

bool is_integer(const Json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number()) return false;
  const double number = value.get<double>();
  return std::isfinite(number) && std::floor(number) == number;
}

Truth is_equal(const Json& one, const Json& other, StepBudget& budget) {
  return equal_at(one, other, 0, budget);
}

Truth are_different(const Json& items, StepBudget& budget) {
  std::vector<std::pair<std::size_t, const Json*>> hashed;
  for (const Json& item : items) {
    const auto hash = hash_of(item, 0, budget);
    if (!hash) return Truth::kMaybe;
    hashed.emplace_back(*hash, &item);
  }
  std::sort(hashed.begin(), hashed.end());
  Truth result = Truth::kYes;
  for (std::size_t i = 0; i < hashed.size(); ++i) {
    for (std::size_t j = i + 1; j < hashed.size() && hashed[j].first == hashed[i].first; ++j) {
      result = std::min(result, negated(equal_at(*hashed[i].second, *hashed[j].second, 0, budget)));
      if (result == Truth::kNo) return result;
    }
  }
  return result;
}

std::size_t text_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace assay::model
