#include "fuzz/live/target/time_limit.h"

#include <utility>

#include "reference/transport/signals.h"

namespace assay::fuzz {

TimeLimit::TimeLimit(std::stop_token user)
    : on_user_(std::move(user), [this] { source_.request_stop(); }), thread_([this] { watch(); }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TimeLimit::set(Clock::time_point deadline) {
  {
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
  }
  changed_.notify_one();
}

void TimeLimit::watch() {
  transport::take_no_signals();
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    const Clock::time_point deadline = deadline_;
    if (deadline == Clock::time_point::max()) {
      changed_.wait(lock);
    } else if (Clock::now() < deadline) {
      changed_.wait_until(lock, deadline);
    } else {
      deadline_ = Clock::time_point::max();
      lock.unlock();  // who waits on the token may look at the clock again
      source_.request_stop();
      lock.lock();
    }
  }
}

}  // namespace assay::fuzz
