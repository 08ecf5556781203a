// The requests of one connection that have no answer yet.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/load/request_text.h"

namespace assay::bench {

// Times are nanoseconds of the monotonic clock.
struct PendingRequest {
  std::size_t entry = 0;   // of the mix
  std::uint64_t due = 0;   // when it should have been sent
  std::uint64_t sent = 0;  // when it was
};

// Answers may come in any order; ids go up one by one. One that never comes blocks nothing until
// several times `most` younger ones have been answered.
class Pending {
 public:
  explicit Pending(std::size_t most)
      : most_(most), slots_(std::bit_ceil(std::max<std::size_t>(64, 4 * most))) {}

  bool has_room() const { return count_ < most_ && next_ - first_ < slots_.size(); }
  std::size_t count() const { return count_; }

  // Only with room. Gives the id.
  std::uint64_t add(const PendingRequest& request) {
    slot(next_) = {request, true};
    ++count_;
    return kFirstId + next_++;
  }
  // Nothing if no such request waits.
  std::optional<PendingRequest> take(std::uint64_t id) {
    if (id < kFirstId + first_ || id >= kFirstId + next_) return std::nullopt;
    Slot& found = slot(id - kFirstId);
    if (!found.waits) return std::nullopt;
    found.waits = false;
    --count_;
    while (first_ < next_ && !slot(first_).waits) ++first_;
    return found.request;
  }
  std::optional<PendingRequest> take_oldest() { return take(kFirstId + first_); }
  // Only if count() > 0.
  std::uint64_t oldest_sent() { return slot(first_).request.sent; }

 private:
  struct Slot {
    PendingRequest request;
    bool waits = false;
  };
  Slot& slot(std::uint64_t number) { return slots_[number & (slots_.size() - 1)]; }

  const std::size_t most_;
  std::vector<Slot> slots_;
  std::uint64_t first_ = 0;  // the oldest that waits, or next_
  std::uint64_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace assay::bench
