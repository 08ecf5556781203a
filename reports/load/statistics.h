// Whether two series of measurements differ, and by how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reports {

double median(std::vector<double> values);  // 0 of none

// The means of `count` blocks of neighbours, which depend on each other less than the values do: a
// machine that is busy now is busy a moment later. Fewer values than blocks are returned as they
// are; what does not fill a last block is left out.
std::vector<double> block_means(std::span<const double> values, std::size_t count);

// The probability that two series from one distribution differ as much as these (two-sided
// Mann-Whitney U test, normal approximation with corrections for ties and continuity). 1 where a
// series is empty or all values are equal.
double mann_whitney(std::span<const double> left, std::span<const double> right);

struct Interval {
  double low = 0;
  double high = 0;
};
// 95% bootstrap interval of median(right) / median(left). The same input gives the same interval.
Interval ratio_interval(const std::vector<double>& left, const std::vector<double>& right,
                        std::uint64_t seed = 1);

}  // namespace assay::reports
