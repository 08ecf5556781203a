#include "reference/transport/workers.h"

#include <utility>

#include "reference/transport/signals.h"

namespace assay::transport {

Workers::Workers(std::size_t most_threads, std::size_t most_queued)
    : most_threads_(most_threads), most_queued_(most_queued) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= most_queued_) return false;
    queue_.push_back(std::move(work));
    if (idle_ < queue_.size() && threads_.size() < most_threads_) {
      threads_.emplace_back([this] { loop(); });
    }
  }
  has_work_.notify_one();
  return true;
}

void Workers::loop() {
  take_no_signals();
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    has_work_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds may have much to do when it goes
    lock.lock();
  }
}

}  // namespace assay::transport
