// A limit for the work at hand: it stops as if the user had asked for it, and what was found so far
// is still reported.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace assay::cli {

class TimeLimit {
 public:
  // Requests a stop after `limit`, or as soon as `parent` does.
  TimeLimit(std::stop_token parent, std::chrono::milliseconds limit);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  // The time was up before the parent asked for a stop.
  bool has_passed() const { return has_passed_; }

 private:
  struct Forward {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  void wait(std::chrono::steady_clock::time_point deadline);

  std::stop_source source_;
  std::atomic<bool> has_passed_{false};
  std::mutex mutex_;  // guards is_over_
  std::condition_variable over_;
  bool is_over_ = false;
  std::stop_callback<Forward> forward_;
  std::thread thread_;
};

}  // namespace assay::cli
