// A few threads that take tasks from one queue; a task may add more.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::harness {

class WorkerPool {
 public:
  using Task = std::function<void()>;

  explicit WorkerPool(int workers);
  // Waits for all tasks, then joins.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void add(Task task);
  // Returns when no task is queued or running.
  void drain();

 private:
  void work();

  std::mutex mutex_;  // guards all below but threads_
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  int running_ = 0;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace assay::harness
