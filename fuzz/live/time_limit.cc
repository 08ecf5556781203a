#include "fuzz/live/time_limit.h"

#include <pthread.h>

#include <csignal>
#include <utility>

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
  // Signals are for the program's own threads.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
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
