#include "reports/load/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace assay::reports {
namespace {

constexpr std::size_t kResamples = 2000;

std::vector<double> resample(const std::vector<double>& values, std::mt19937_64& random) {
  std::vector<double> drawn(values.size());
  // Not a distribution of the standard library: those differ between libraries.
  for (double& value : drawn) value = values[random() % values.size()];
  return drawn;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> block_means(std::span<const double> values, std::size_t count) {
  if (count == 0 || values.size() < 2 * count) return {values.begin(), values.end()};
  const std::size_t size = values.size() / count;
  std::vector<double> means;
  for (std::size_t block = 0; block < count; ++block) {
    double sum = 0;
    for (const double value : values.subspan(block * size, size)) sum += value;
    means.push_back(sum / static_cast<double>(size));
  }
  return means;
}

double mann_whitney(std::span<const double> left, std::span<const double> right) {
  std::vector<std::pair<double, bool>> all;  // value, is of `left`
  for (const double value : left) all.emplace_back(value, true);
  for (const double value : right) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double left_ranks = 0;
  double ties = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const auto same = static_cast<double>(end - begin);
    const double rank = (static_cast<double>(begin) + 1 + static_cast<double>(end)) / 2;
    for (std::size_t i = begin; i < end; ++i) left_ranks += all[i].second ? rank : 0;
    ties += same * same * same - same;
    begin = end;
  }
  const auto n = static_cast<double>(left.size());
  const auto m = static_cast<double>(right.size());
  const double total = n + m;
  if (n == 0 || m == 0) return 1;
  const double variance = n * m / 12 * (total + 1 - ties / (total * std::max(total - 1, 1.0)));
  if (!(variance > 0)) return 1;
  const double u = left_ranks - n * (n + 1) / 2;
  const double distance = std::max(std::abs(u - n * m / 2) - 0.5, 0.0);
  return std::erfc(distance / std::sqrt(variance) / std::sqrt(2.0));
}

Interval ratio_interval(const std::vector<double>& left, const std::vector<double>& right,
                        std::uint64_t seed) {
  if (left.empty() || right.empty()) return {};
  std::mt19937_64 random(seed);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double below = median(resample(left, random));
    const double above = median(resample(right, random));
    ratios.push_back(below > 0 ? above / below : 0);
  }
  std::sort(ratios.begin(), ratios.end());
  return {ratios[kResamples / 40], ratios[kResamples - 1 - kResamples / 40]};
}

}  // namespace assay::reports
