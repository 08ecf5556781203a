// Waits for news of a board (harness/watch/board.h), or until nobody wants more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "reference/transport/waker.h"

namespace assay::cli {

class NewsBell : public transport::Waker {
 public:
  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      has_rung_ = true;
    }
    rung_.notify_one();
  }
  // False once nobody wants more.
  bool wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool has_come = rung_.wait(lock, stop, [this] { return has_rung_; });
    has_rung_ = false;
    return has_come;
  }
  void pause(const std::stop_token& stop, std::chrono::milliseconds length) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, stop, length, [] { return false; });
  }

 private:
  std::mutex mutex_;  // guards has_rung_
  std::condition_variable_any rung_;
  bool has_rung_ = false;
};

}  // namespace assay::cli
