// What waits to be recorded: taken in at once, worked off by a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "reference/transport/signals.h"

namespace assay::harness {

template <typename Item>
class Backlog {
 public:
  // `take` is called with one item after another; `on_loss` once, behind the last of them, where
  // more than `most_bytes` waited. From then on nothing is taken in.
  Backlog(std::size_t most_bytes, std::function<void(Item)> take, std::function<void()> on_loss)
      : most_bytes_(most_bytes),
        take_(std::move(take)),
        on_loss_(std::move(on_loss)),
        thread_([this] { run(); }) {}
  ~Backlog() { finish(); }
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // Any thread. `bytes` is what the item takes.
  void put(Item item, std::size_t bytes) {
    bool is_pressing = false;
    {
      const std::lock_guard lock(mutex_);
      // What comes behind a gap proves nothing.
      has_lost_ = has_lost_ || waiting_bytes_ + bytes > most_bytes_;
      if (has_lost_) return;
      is_pressing = waiting_bytes_ <= kPressing && waiting_bytes_ + bytes > kPressing;
      waiting_bytes_ += bytes;
      waiting_.emplace_back(std::move(item), bytes);
    }
    if (is_pressing) has_come_.notify_one();
  }
  // Waits until all is worked off. Nothing may be put any more. Idempotent.
  void finish() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    has_come_.notify_one();
    thread_.join();
  }

 private:
  // Whoever passes bytes on wakes nobody: that would cost more than all else. So the thread looks
  // this often, and what waits meanwhile is little.
  static constexpr std::chrono::milliseconds kInterval{20};
  // But for a flood nobody waits.
  static constexpr std::size_t kPressing = 1u << 20;

  void run() {
    transport::take_no_signals();
    bool has_told = false;
    std::unique_lock lock(mutex_);
    while (true) {
      has_come_.wait_for(lock, kInterval,
                         [this] { return is_over_ || waiting_bytes_ > kPressing; });
      while (!waiting_.empty()) {
        auto [item, bytes] = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        take_(std::move(item));
        lock.lock();
        waiting_bytes_ -= bytes;
      }
      if (has_lost_ && !std::exchange(has_told, true)) {
        lock.unlock();
        on_loss_();
        lock.lock();
      }
      if (is_over_ && waiting_.empty()) return;
    }
  }

  const std::size_t most_bytes_;
  const std::function<void(Item)> take_;
  const std::function<void()> on_loss_;
  std::mutex mutex_;  // guards all down to the blank line
  std::condition_variable has_come_;
  std::deque<std::pair<Item, std::size_t>> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool has_lost_ = false;  // something came that was not kept
  bool is_over_ = false;

  std::thread thread_;
};

}  // namespace assay::harness
