// When everything has to end: at a moment, or as soon as the user asks, whichever comes first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace assay::fuzz {

// Its token is asked by everything that waits, so that no target can keep us longer.
//
// Thread safety: the token may be asked from any thread; the rest is used by one.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // Without a deadline until set() is called.
  explicit TimeLimit(std::stop_token user);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // Once the deadline, or another one before, has passed, nothing changes that.
  void set(Clock::time_point deadline);
  // There is no deadline any more, unless it has passed.
  void lift() { set(Clock::time_point::max()); }

  std::stop_token token() const { return source_.get_token(); }
  bool is_over() const { return source_.stop_requested(); }

 private:
  void watch();

  std::stop_source source_;
  std::mutex mutex_;  // guards the two below
  std::condition_variable changed_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool is_closing_ = false;
  std::stop_callback<std::function<void()>> on_user_;
  std::thread thread_;
};

}  // namespace assay::fuzz
