#include "reference/client/worker.h"

#include <algorithm>
#include <utility>

#include "reference/transport/signals.h"

namespace assay::client {

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
  stop();
}

bool Worker::post(Task task, Time when) {
  const std::lock_guard lock(mutex_);
  if (end_ != End::kNone || tasks_.size() >= kMaxTasks) return false;
  tasks_.emplace(when, std::move(task));
  changed_.notify_one();
  return true;
}

void Worker::stop() {
  end(End::kNow);
}

void Worker::finish() {
  end(End::kWhenNothingIsDue);
}

void Worker::end(End how) {
  {
    const std::lock_guard lock(mutex_);
    end_ = std::max(end_, how);
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  transport::take_no_signals();
  std::unique_lock lock(mutex_);
  while (end_ != End::kNow) {
    const auto first = tasks_.begin();
    const bool is_due = first != tasks_.end() && first->first <= std::chrono::steady_clock::now();
    if (!is_due && end_ == End::kWhenNothingIsDue) break;
    if (first == tasks_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (!is_due) {
      const Time until = first->first;
      changed_.wait_until(lock, until);
      continue;
    }
    const Task task = std::move(first->second);
    tasks_.erase(first);
    lock.unlock();
    task();
    lock.lock();
  }
  tasks_.clear();
}

}  // namespace assay::client
