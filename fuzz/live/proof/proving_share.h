// How much of the time of a run goes into proving what was seen, and how much into looking on.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace assay::fuzz {

class ProvingShare {
 public:
  using Duration = std::chrono::milliseconds;
  // Less is not worth a proof.
  static constexpr Duration kLeast{50};
  // Enough to make something small: in the first half of a run nothing is begun with less, for
  // what was proved once is not made smaller later.
  static constexpr Duration kEnough{2000};
  // Without a limit of time a proof has its own.
  static constexpr Duration kUnlimited{3'600'000};

  // `time`: what the run may take; nothing where it has no limit.
  explicit ProvingShare(std::optional<Duration> time) : time_(time) {}

  // What the next proof may take, when so much has passed and so much of it went into proofs; zero
  // if none is to be begun now. At most half of what has passed until half of the time is over, and
  // then what is left.
  Duration next(Duration passed, Duration spent) const {
    if (!time_) return kUnlimited;
    if (passed >= *time_ / 2) return at_least(*time_ - passed, kLeast);
    return at_least(passed / 2 - spent, std::clamp(*time_ / 16, kLeast, kEnough));
  }
  // The same when nothing is looked for any more.
  Duration at_end(Duration passed) const {
    return time_ ? at_least(*time_ - passed, Duration(0)) : kUnlimited;
  }

 private:
  static Duration at_least(Duration share, Duration least) {
    return share < least ? Duration(0) : share;
  }

  std::optional<Duration> time_;
};

}  // namespace assay::fuzz
