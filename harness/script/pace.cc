#include "harness/script/pace.h"

#include <algorithm>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstGap{50};
constexpr milliseconds kLongestGap{1'000};
// Where the server does not say how long to wait, and at most where it does.
constexpr milliseconds kPause{500};
constexpr milliseconds kLongestPause{5'000};
// Refusals within this time have one cause: several connections asked at once.
constexpr milliseconds kOneCause{300};

}  // namespace

milliseconds Pace::take_turn() {
  const std::lock_guard lock(mutex_);
  if (!is_limited_ || waited_ >= kBudget) return milliseconds(0);
  const Clock::time_point now = Clock::now();
  const Clock::time_point turn = std::max(now, next_);
  next_ = turn + gap_;
  // Several wait at the same time: what counts is the time between the turns.
  if (turn > now) waited_ += gap_;
  return std::chrono::ceil<milliseconds>(turn - now);
}

bool Pace::note(const Limit& limit) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - slowed_at_ > kOneCause || !is_limited_) {
    gap_ = std::clamp(2 * gap_, kFirstGap, kLongestGap);
    slowed_at_ = now;
  }
  is_limited_ = true;
  if (waited_ >= kBudget) return false;
  const milliseconds pause =
      std::clamp(limit.retry_after.value_or(kPause), kFirstGap, kLongestPause);
  const Clock::time_point next = std::max(next_, now + pause);
  waited_ += std::chrono::ceil<milliseconds>(next - std::max(next_, now));
  next_ = next;
  return true;
}

bool Pace::is_limited() const {
  const std::lock_guard lock(mutex_);
  return is_limited_;
}

milliseconds Pace::waited() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

}  // namespace assay::harness
