// Counts durations in buckets that are as narrow as the durations are short: percentiles of any
// number of measurements, in bounded memory.
//
// The idea is that of Gil Tene's HdrHistogram. Each doubling of the value has 1,024 buckets, so
// that a percentile is at most 0.1% too high, and never too low.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::reports {

class Histogram {
 public:
  // Longer durations count as this one: 36 minutes, more than any deadline here.
  static constexpr std::uint64_t kLongest = (std::uint64_t{1} << 41) - 1;  // nanoseconds

  Histogram();

  // Durations in nanoseconds.
  void record(std::uint64_t nanoseconds, std::uint64_t times = 1);
  void add(const Histogram& other);

  std::uint64_t count() const { return count_; }
  // All of these are 0 while nothing is recorded.
  std::uint64_t shortest() const { return count_ == 0 ? 0 : shortest_; }
  std::uint64_t longest() const { return longest_; }
  double mean() const;
  // The duration that `percent` (0 to 100) of all do not exceed.
  std::uint64_t percentile(double percent) const;

  struct Bucket {
    std::uint64_t from = 0;  // the shortest duration that falls into it
    std::uint64_t to = 0;    // the longest
    std::uint64_t count = 0;
  };
  // The buckets that hold something, shortest first; with `per_doubling` (a power of two, at most
  // 1,024) neighbours are joined until each doubling has that many.
  std::vector<Bucket> buckets(unsigned per_doubling = 1024) const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t shortest_ = UINT64_MAX;
  std::uint64_t longest_ = 0;
  double sum_ = 0;
};

}  // namespace assay::reports
