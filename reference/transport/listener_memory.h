// What the connections of a listener may hold together, and who waits for it.
#pragma once

#include <atomic>
#include <cstddef>

#include "reference/wire/budget.h"

namespace assay::transport {

// Thread safety: any thread may call any member.
class ListenerMemory {
 public:
  explicit ListenerMemory(std::size_t most) : budget_(most) {}

  // Takes `bytes` if they are there.
  [[nodiscard]] bool take(std::size_t bytes) { return budget_.take(bytes); }
  // Takes what is held already, be it there or not.
  void take_anyway(std::size_t bytes) { budget_.take_anyway(bytes); }
  void give_back(std::size_t bytes) { budget_.give_back(bytes); }

  // Somebody begins, and stops, to wait for memory.
  void begin_waiting() { ++waiting_; }
  void end_waiting() { --waiting_; }
  // Whether there is less than is wanted.
  bool is_short() const { return waiting_ > 0 || budget_.taken() > budget_.limit(); }
  // Whether so much was taken anyway that nothing more should be begun.
  bool is_overfull() const { return budget_.taken() > budget_.limit() + budget_.limit() / 4; }

 private:
  wire::Budget budget_;
  std::atomic<std::size_t> waiting_ = 0;
};

}  // namespace assay::transport
