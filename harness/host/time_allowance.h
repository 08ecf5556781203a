// How long each scenario may take, for a client that may not end by itself.
#pragma once

#include <algorithm>
#include <chrono>

namespace assay::harness {

// A client that does not end costs each scenario all of its time. After each such scenario the next
// one has half as long, down to a bound; after one in which the client ended, twice as long again.
class TimeAllowance {
 public:
  // No shorter, whatever the client does.
  static constexpr std::chrono::milliseconds kLeast{5000};
  // Nor shorter than this many times what the client has ever taken to end.
  static constexpr int kAllowedSlowness = 3;

  explicit TimeAllowance(std::chrono::milliseconds all) : all_(all), next_(all) {}

  // For the next scenario.
  std::chrono::milliseconds next() const { return next_; }
  void note_end(std::chrono::milliseconds took) {
    longest_ = std::max(longest_, took);
    next_ = std::min(all_, next_ * 2);
  }
  void note_late() {
    const auto least = std::max(kLeast, longest_ * kAllowedSlowness);
    next_ = std::min(all_, std::max(least, next_ / 2));
  }

 private:
  const std::chrono::milliseconds all_;
  std::chrono::milliseconds next_;
  std::chrono::milliseconds longest_{0};
};

}  // namespace assay::harness
