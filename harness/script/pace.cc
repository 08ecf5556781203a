#include "harness/script/pace.h"

#include <algorithm>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstGap{50};
constexpr milliseconds kLongestGap{2'000};
// Where the server does not say how long to wait, and at most where it does.
constexpr milliseconds kPause{500};
constexpr milliseconds kLongestPause{5'000};
// Refusals within this time have one cause: several connections asked at once.
constexpr milliseconds kOneCause{300};
// Where one refusal stays the only one for this long, it was about something that is over, such as
// the start of the server.
constexpr milliseconds kProbation{3'000};
// From so many turns between two refusals it can be told how often the server may be asked.
constexpr int kEnoughTurns = 4;
// A little slower than what was granted.
constexpr double kMargin = 1.1;

}  // namespace

milliseconds Pace::take_turn() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  ++turns_;
  if (!is_limited_ || !has_time()) return milliseconds(0);
  if (refusals_ == 1 && now - slowed_at_ > kProbation) gap_ = milliseconds(0);
  const Clock::time_point turn = std::max(now, next_);
  next_ = turn + gap_;
  const auto wait = std::chrono::ceil<milliseconds>(turn - now);
  // Several wait at the same time: what counts is the time between the turns.
  count(std::min(wait, gap_));
  return wait;
}

void Pace::note(const Limit& limit) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (refusals_ == 0 || now - slowed_at_ > kOneCause) slow_down(now);
  rest(limit, now);
}

void Pace::pause(const Limit& limit) {
  const std::lock_guard lock(mutex_);
  rest(limit, Clock::now());
}

void Pace::note_answer() {
  const std::lock_guard lock(mutex_);
  has_answered_ = true;
  in_vain_ = milliseconds(0);
}

// Between two refusals a server grants what its limit allows in that time; before the first, it may
// have let pass what had been saved up.
void Pace::slow_down(Clock::time_point now) {
  const auto slower = [](milliseconds gap) {
    return std::chrono::duration_cast<milliseconds>(gap * kMargin);
  };
  if (refusals_ == 0) {
    gap_ = kFirstGap;
  } else if (turns_ >= kEnoughTurns) {
    const auto granted = std::chrono::duration_cast<milliseconds>((now - slowed_at_) / turns_);
    gap_ = slower(std::max(gap_, granted));
  } else {
    gap_ = gap_ * 3 / 2;
  }
  gap_ = std::clamp(gap_, kFirstGap, kLongestGap);
  ++refusals_;
  turns_ = 0;
  slowed_at_ = now;
}

void Pace::rest(const Limit& limit, Clock::time_point now) {
  is_limited_ = true;
  has_answered_ = false;
  if (!has_time()) return;
  const milliseconds length =
      std::clamp(limit.retry_after.value_or(kPause), kFirstGap, kLongestPause);
  const Clock::time_point next = std::max(next_, now + length);
  count(std::chrono::ceil<milliseconds>(next - std::max(next_, now)));
  next_ = next;
}

void Pace::count(milliseconds wait) {
  waited_ += wait;
  if (!has_answered_) in_vain_ += wait;
}

bool Pace::has_time() const {
  return waited_ < kBudget && in_vain_ < kBudgetInVain;
}

bool Pace::is_patient() const {
  const std::lock_guard lock(mutex_);
  return has_time();
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
