// So many requests in one second, and no more.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

namespace assay::server {

// Thread safety: any thread may call any member.
class RateLimit {
 public:
  // 0: any number.
  explicit RateLimit(std::size_t per_second) : per_second_(per_second) {}

  // Counts a request, and tells whether there were too many.
  bool is_exceeded() {
    if (per_second_ == 0) return false;
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      count_ = 0;
    }
    return ++count_ > per_second_;
  }

 private:
  const std::size_t per_second_;
  std::mutex mutex_;                              // guards the members below
  std::chrono::steady_clock::time_point second_;  // when the second began in which is counted
  std::size_t count_ = 0;
};

}  // namespace assay::server
