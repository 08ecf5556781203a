#include "reports/load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::reports {
namespace {

constexpr unsigned kBits = 10;  // of the 1,024 buckets of a doubling
constexpr std::uint64_t kPerDoubling = std::uint64_t{1} << kBits;

// Below 2 * kPerDoubling a bucket is one nanosecond wide.
unsigned shift_of(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  return width > kBits + 1 ? width - kBits - 1 : 0;
}

std::size_t index_of(std::uint64_t value) {
  const unsigned shift = shift_of(value);
  return static_cast<std::size_t>(shift * kPerDoubling + (value >> shift));
}

Histogram::Bucket limits_of(std::size_t index) {
  if (index < 2 * kPerDoubling) return {index, index, 0};
  const auto shift = static_cast<unsigned>(index / kPerDoubling - 1);
  const std::uint64_t from = (index - shift * kPerDoubling) << shift;
  return {from, from + (std::uint64_t{1} << shift) - 1, 0};
}

}  // namespace

Histogram::Histogram() : counts_(index_of(kLongest) + 1) {}

void Histogram::record(std::uint64_t nanoseconds, std::uint64_t times) {
  if (times == 0) return;
  const std::uint64_t value = std::min(nanoseconds, kLongest);
  counts_[index_of(value)] += times;
  count_ += times;
  shortest_ = std::min(shortest_, value);
  longest_ = std::max(longest_, value);
  sum_ += static_cast<double>(value) * static_cast<double>(times);
}

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  shortest_ = std::min(shortest_, other.shortest_);
  longest_ = std::max(longest_, other.longest_);
  sum_ += other.sum_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t Histogram::percentile(double percent) const {
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  // A hair less, so that 99.9% of 1,000 is 999 and not, by rounding, 1,000.
  const auto wanted = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_) - 1e-6)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::min(limits_of(i).to, longest_);
  }
  return longest_;
}

std::vector<Histogram::Bucket> Histogram::buckets(unsigned per_doubling) const {
  std::vector<Bucket> all;
  const std::size_t joined = kPerDoubling / std::bit_floor(std::clamp(per_doubling, 1u, 1024u));
  for (std::size_t begin = 0; begin < counts_.size(); begin += joined) {
    Bucket bucket{limits_of(begin).from, limits_of(begin + joined - 1).to, 0};
    for (std::size_t i = begin; i < begin + joined; ++i) bucket.count += counts_[i];
    if (bucket.count > 0) all.push_back(bucket);
  }
  return all;
}

}  // namespace assay::reports
