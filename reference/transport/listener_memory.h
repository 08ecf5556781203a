// What the connections of a listener may hold together.
#pragma once

#include <atomic>
#include <cstddef>

namespace assay::transport {

// Thread safety: any thread may call any member.
class ListenerMemory {
 public:
  explicit ListenerMemory(std::size_t most) : most_(most) {}

  // Takes `bytes` if they are there.
  [[nodiscard]] bool take(std::size_t bytes) {
    std::size_t used = used_.load();
    do {
      if (bytes > most_ || used > most_ - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes));
    return true;
  }
  // Takes what is held already, be it there or not.
  void take_anyway(std::size_t bytes) { used_ += bytes; }
  void give_back(std::size_t bytes) { used_ -= bytes; }

  // Somebody begins, and stops, to wait for memory.
  void begin_waiting() { ++waiting_; }
  void end_waiting() { --waiting_; }
  // Whether there is less than is wanted.
  bool is_short() const { return waiting_ > 0 || used_ > most_; }
  // Whether so much was taken anyway that nothing more should be begun.
  bool is_overfull() const { return used_ > most_ + most_ / 4; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
  std::atomic<std::size_t> waiting_ = 0;
};

}  // namespace assay::transport
