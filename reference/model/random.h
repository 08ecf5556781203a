// A small random generator whose values are the same on every platform (the distributions of the
// standard library are not). Not for secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace assay::model {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // SplitMix64.
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, bound); `bound` is at least 1.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <typename Container>
  const auto& pick(const Container& container) {
    return *(std::begin(container) + static_cast<std::ptrdiff_t>(below(std::size(container))));
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay::model
