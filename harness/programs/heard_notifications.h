// Which notifications a server has sent, for who waits for one of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace assay::cli {

// Thread safety: any thread may call any member.
class HeardNotifications {
 public:
  void note(std::string_view method) {
    const std::lock_guard lock(mutex_);
    heard_.emplace(method);
    changed_.notify_all();
  }
  // As if it had never come.
  void forget(std::string_view method) {
    const std::lock_guard lock(mutex_);
    if (const auto found = heard_.find(method); found != heard_.end()) heard_.erase(found);
  }
  bool has(std::string_view method) {
    const std::lock_guard lock(mutex_);
    return heard_.find(method) != heard_.end();
  }
  // Returns when it has come, or at the deadline.
  void wait_for(std::string_view method, std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [&] { return heard_.find(method) != heard_.end(); });
  }

 private:
  std::mutex mutex_;  // guards heard_
  std::condition_variable changed_;
  std::set<std::string, std::less<>> heard_;
};

}  // namespace assay::cli
