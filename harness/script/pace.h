// How fast a target is asked, over all connections to it: at full speed, until it says that it
// limits how often it may be asked (limit.h).
//
// All waiting for limits comes out of one budget, which the report names. Used by several threads.
#pragma once

#include <chrono>
#include <mutex>

#include "harness/script/limit.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {

class Pace {
 public:
  // In all, for one target over one transport.
  static constexpr std::chrono::milliseconds kBudget{30'000};

  // Takes the next turn to send a request, and says how long to wait for it.
  std::chrono::milliseconds take_turn();
  // Slows down, and pauses for as long as the server asks. False if the budget is used up, so that
  // there is no point in asking again.
  bool note(const Limit& limit);
  // The target has spoken of a limit.
  bool is_limited() const;
  // How long was waited because of limits; 0: they played no part.
  std::chrono::milliseconds waited() const;

 private:
  mutable std::mutex mutex_;          // guards all below
  Clock::time_point next_{};          // the earliest time of the next turn
  Clock::time_point slowed_at_{};     // when it was slowed down last
  std::chrono::milliseconds gap_{0};  // between two turns
  std::chrono::milliseconds waited_{0};
  bool is_limited_ = false;
};

}  // namespace assay::harness
