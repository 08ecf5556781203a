// A client that runs sampling as a task of its own, for scenarios about servers that follow it.
//
// Specification: basic/utilities/tasks (2025-11-25).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/script/connection.h"

namespace assay::scenarios {

// So often a task is shown as it began; then it is at its end.
inline constexpr std::size_t kLooksAtTask = 3;

// On one connection: each request for sampling is a task of its own.
class SamplingTask {
 public:
  // A task is shown with this status until it has been looked at kLooksAtTask times or completed.
  SamplingTask(harness::Connection& session, std::string status);

  static Json capabilities();

  // Announces the status at the first look.
  void announce() { announces_ = true; }
  // From now on the tasks are completed, and said to be.
  void complete();

  bool is_asked() const { return !tasks_.empty(); }
  // Where in the session it began.
  std::size_t from() const { return from_; }
  // At the task that it looked at most; and at all of them together.
  std::size_t looks() const;
  std::size_t all_looks() const;
  bool is_fetched() const;
  bool is_cancelled() const;
  bool is_followed() const { return all_looks() > 0 || is_fetched(); }
  // Looked at up to its end, or fetched, or brought to its end by the server.
  bool is_through() const { return is_fetched() || is_cancelled() || looks() > kLooksAtTask; }

  // How the server polled a task more often than it may; nothing if it did not. The time is counted
  // from before the task was told of: however late either side is, and however many looks come
  // together then, that can only be longer, whether the pollInterval is counted from look to look,
  // from answer to look, or on a timer. Timers come a little early: half of the time is plainly too
  // little.
  std::optional<std::string> haste() const;

 private:
  struct Task {
    std::string id;
    std::size_t looks = 0;
    bool is_complete = false;
    bool is_cancelled = false;
    bool is_fetched = false;
    // When the request for it came, and each look up to that at its end.
    std::vector<harness::Clock::time_point> seen = {harness::Clock::now()};
  };

  Json shown(const Task& task) const;
  Task* find(const Json& params);
  harness::Answer ask(const Json& params);
  harness::Answer get(const Json& params);
  // Whoever waits for the result has waited long enough.
  harness::Answer result(const Json& params);
  harness::Answer cancel(const Json& params);
  // Two pages.
  harness::Answer list(const Json& params) const;

  harness::Connection& session_;
  const std::string status_;
  const std::size_t from_;  // no later client of the session has such a task
  bool announces_ = false;
  std::vector<Task> tasks_;
};

}  // namespace assay::scenarios
