// Keeps what a transport observes, and waits for it with a deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/transport/observer.h"

namespace assay::transport {

// Far more than any step of a test takes, also on a busy machine: only a hang reaches it.
inline std::chrono::steady_clock::time_point test_deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

class Recorder : public Observer {
 public:
  using Predicate = std::function<bool(const Observation&)>;

  void observe(const Observation& observation) override {
    const std::lock_guard lock(mutex_);
    observations_.push_back(observation);
    changed_.notify_all();
  }

  // The first observation that fits, now or by the deadline.
  std::optional<Observation> wait_for(const Predicate& fits) {
    std::unique_lock lock(mutex_);
    std::optional<Observation> found;
    std::size_t seen = 0;
    changed_.wait_until(lock, test_deadline(), [&] {
      for (; seen < observations_.size() && !found; ++seen) {
        if (fits(observations_[seen])) found = observations_[seen];
      }
      return found.has_value();
    });
    return found;
  }
  std::optional<Observation> wait_for(Observation::Kind kind, Party speaker = Party::kServer) {
    return wait_for([=](const Observation& observation) {
      return observation.kind == kind && observation.speaker == speaker;
    });
  }
  std::optional<Observation> wait_for_line(const std::string& text) {
    return wait_for([=](const Observation& observation) {
      return observation.kind == Observation::Kind::kLine &&
             observation.speaker == Party::kServer && observation.bytes == text;
    });
  }

  std::vector<Observation> all() const {
    const std::lock_guard lock(mutex_);
    return observations_;
  }
  // What another transport is observed with begins anew: lanes are counted from one by each.
  void forget() {
    const std::lock_guard lock(mutex_);
    observations_.clear();
  }

 private:
  mutable std::mutex mutex_;  // guards observations_
  std::condition_variable changed_;
  std::vector<Observation> observations_;
};

// How the traffic on `lane` ended.
inline std::optional<Observation> wait_for_end(Recorder& recorder, Lane lane) {
  return recorder.wait_for([=](const Observation& seen) {
    using Kind = Observation::Kind;
    return seen.lane == lane &&
           (seen.kind == Kind::kClosed || seen.kind == Kind::kBroken || seen.kind == Kind::kCutOff);
  });
}

}  // namespace assay::transport
