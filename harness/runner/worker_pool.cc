#include "harness/runner/worker_pool.h"

#include <utility>

namespace assay::harness {

WorkerPool::WorkerPool(int workers) {
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  drain();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::add(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void WorkerPool::add_exclusive(Task task) {
  {
    const std::lock_guard lock(mutex_);
    exclusive_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void WorkerPool::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty() && exclusive_.empty() && running_ == 0; });
}

bool WorkerPool::has_work() const {
  return !tasks_.empty() || (!exclusive_.empty() && !is_exclusive_running_);
}

WorkerPool::Task WorkerPool::take(bool& is_exclusive) {
  is_exclusive = !exclusive_.empty() && !is_exclusive_running_;
  std::deque<Task>& queue = is_exclusive ? exclusive_ : tasks_;
  Task task = std::move(queue.front());
  queue.pop_front();
  if (is_exclusive) is_exclusive_running_ = true;
  ++running_;
  return task;
}

void WorkerPool::work() {
  while (true) {
    Task task;
    bool is_exclusive = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_ending_ || has_work(); });
      if (!has_work()) return;
      task = take(is_exclusive);
    }
    task();
    {
      const std::lock_guard lock(mutex_);
      --running_;
      if (is_exclusive) is_exclusive_running_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace assay::harness
