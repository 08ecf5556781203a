#include "reference/client/worker.h"

#include <utility>

#include "reference/transport/signals.h"

namespace assay::client {

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
  stop();
}

bool Worker::post(Task task, Time when) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_ || tasks_.size() >= kMaxTasks) return false;
  tasks_.emplace(when, std::move(task));
  changed_.notify_one();
  return true;
}

void Worker::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  transport::take_no_signals();
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = tasks_.begin();
    if (first->first > std::chrono::steady_clock::now()) {
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
