// Draws one line of progress on a terminal's standard error while a certification runs; without a
// terminal, a line of its own now and then, so that the log of a pipeline shows that it goes on.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "reports/events.h"

namespace assay::reports {

struct ProgressOptions {
  bool is_terminal = false;
  int width = 80;                                   // columns; the line never wraps
  std::chrono::milliseconds interval{50};           // between two drawings; zero draws every event
  std::chrono::milliseconds line_interval{30'000};  // between two lines without a terminal
  std::string title = {};           // which of several targets this is: "memory (2 of 5)"
  std::string items = "scenarios";  // what is counted
  std::string bad = "violated";     // what is said of those that went wrong
};

class Progress : public Events {
 public:
  // `out` (standard error) must outlive this object.
  Progress(std::ostream& out, const ProgressOptions& options);
  ~Progress() override;  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void run_started(const PlanSize& plan) override;
  void scenario_finished(const RunKey& run, const std::string& scenario,
                         std::int64_t duration_ms) override;
  void verdict(const RunKey& run, const Verdict& verdict) override;
  void run_finished(const Result& result) override;
  // Takes the line away, for whoever writes to the same terminal; the next event draws it again.
  void clear();

 private:
  void draw(bool is_due);
  // "12 s, about 30 s left"; empty of what has only begun.
  std::string times() const;
  void write_line();

  std::ostream& out_;
  ProgressOptions options_;
  PlanSize plan_;
  int finished_ = 0;
  int violated_ = 0;
  std::string current_;  // "2025-11-25 stdio  lifecycle_negotiates_version"
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace assay::reports
