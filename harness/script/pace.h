// How fast a target is asked, over all connections to it: at full speed, until it says that it
// limits how often it may be asked (limit.h); then about as often as it has answered since.
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
  static constexpr std::chrono::milliseconds kBudget{120'000};
  // Of that, for a target that refuses again and again and answers nothing in between.
  static constexpr std::chrono::milliseconds kBudgetInVain{30'000};

  // Takes the next turn to send a request, and says how long to wait for it.
  std::chrono::milliseconds take_turn();
  // What was sent in its turn was refused: pauses for as long as the server asks, and slows down to
  // what it has granted since it refused before.
  void note(const Limit& limit);
  // What was refused says nothing of the pace, such as one session too many: pauses only.
  void pause(const Limit& limit);
  // The target has answered a request, with whatever is no limit.
  void note_answer();
  // Whether to ask again: the budget is not used up.
  bool is_patient() const;
  // The target has spoken of a limit.
  bool is_limited() const;
  // How long was waited because of limits; 0: they played no part.
  std::chrono::milliseconds waited() const;

 private:
  // With the lock held.
  bool has_time() const;
  void slow_down(Clock::time_point now);
  void rest(const Limit& limit, Clock::time_point now);
  void count(std::chrono::milliseconds wait);

  mutable std::mutex mutex_;          // guards all below
  Clock::time_point next_{};          // the earliest time of the next turn
  Clock::time_point slowed_at_{};     // when it was slowed down last
  std::chrono::milliseconds gap_{0};  // between two turns
  int refusals_ = 0;                  // how often it was slowed down
  int turns_ = 0;                     // since then
  std::chrono::milliseconds waited_{0};
  std::chrono::milliseconds in_vain_{0};
  bool is_limited_ = false;
  bool has_answered_ = false;  // since it was paused last
};

}  // namespace assay::harness
