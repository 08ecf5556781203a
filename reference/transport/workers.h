// A bounded pool of threads: for what waits, or takes long, while others are served.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::transport {

// A bounded pool that grows with need; no thread is started before there is work. Its threads take
// no signals.
//
// Thread safety: any thread may call run().
class Workers {
 public:
  Workers(std::size_t most_threads, std::size_t most_queued);
  // Waits for all work, also what has not begun. The owner has told it to stop.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False, and nothing is run, when too much is waiting already.
  [[nodiscard]] bool run(std::function<void()> work);

 private:
  void loop();

  const std::size_t most_threads_;
  const std::size_t most_queued_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable has_work_;
  std::deque<std::function<void()>> queue_;
  std::size_t idle_ = 0;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace assay::transport
