#include "harness/frame/time_limit.h"

#include <utility>

namespace assay::cli {

TimeLimit::TimeLimit(std::stop_token parent, std::chrono::milliseconds limit)
    : forward_(std::move(parent), Forward{source_}),
      thread_([this, deadline = std::chrono::steady_clock::now() + limit] { wait(deadline); }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void TimeLimit::wait(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (over_.wait_until(lock, deadline, [this] { return is_over_; })) return;
  has_passed_ = !source_.stop_requested();
  lock.unlock();
  source_.request_stop();
}

}  // namespace assay::cli
