#include "reference/wire/budget.h"

namespace assay::wire {

bool Budget::take(std::size_t bytes) {
  std::size_t taken = taken_.load(std::memory_order_relaxed);
  do {
    if (taken > limit_ || bytes > limit_ - taken) return false;
  } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
  return true;
}

Share::Share(Share&& other) noexcept
    : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}

Share& Share::operator=(Share&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

bool Share::resize(std::size_t bytes) {
  if (budget_ && bytes > bytes_ && !budget_->take(bytes - bytes_)) return false;
  if (budget_ && bytes < bytes_) budget_->give_back(bytes_ - bytes);
  bytes_ = bytes;
  return true;
}

}  // namespace assay::wire
