// A thread that does things later, one after the other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace assay::client {

class Worker {
 public:
  using Task = std::function<void()>;
  using Time = std::chrono::steady_clock::time_point;

  // More waiting tasks than any sane peer causes; further ones are dropped.
  static constexpr std::size_t kMaxTasks = 65536;

  Worker();
  // Lets the running task end; what has not begun is dropped.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `task` at `when`, in the order of time and then of posting. From any thread. False if it
  // was dropped.
  bool post(Task task, Time when = Time::min());
  // Drops what has not begun, waits for what has, and runs nothing any more. Not from a task.
  void stop();
  // The same, but what is due by now is done before. Not from a task.
  void finish();

 private:
  enum class End { kNone, kWhenNothingIsDue, kNow };

  void end(End how);
  void run();

  std::mutex mutex_;  // guards what follows, but for thread_
  std::condition_variable changed_;
  std::multimap<Time, Task> tasks_;
  End end_ = End::kNone;
  std::thread thread_;
};

}  // namespace assay::client
