// A few threads that take tasks from a queue; a task may add more.
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
  // No two of these run at once; they come before the others, lest they be what is waited for at
  // the end.
  void add_exclusive(Task task);
  // Returns when no task is queued or running.
  void drain();

 private:
  void work();
  // With the lock held. Whether there is something that may be begun, and what.
  bool has_work() const;
  Task take(bool& is_exclusive);

  std::mutex mutex_;  // guards all below but threads_
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::deque<Task> exclusive_;
  bool is_exclusive_running_ = false;
  int running_ = 0;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace assay::harness
