// The stream of events that a certification emits while it goes on.
//
// Progress and every other live consumer implement Events; the runner knows none of them. The
// runner calls from several threads, but never two at a time, so that an implementation needs no
// lock.
#pragma once

#include <cstdint>
#include <string>

#include "reports/result.h"

namespace assay::reports {

// Which run of the Result: one revision over one transport.
struct RunKey {
  std::string revision;
  std::string transport;
};

// How much there is to do, known before it begins.
struct PlanSize {
  int runs = 0;  // revisions x transports
  int scenarios =
      0;  // of all runs together: as many scenario_finished() follow, unless interrupted
};

class Events {
 public:
  virtual ~Events() = default;
  virtual void run_started(const PlanSize& plan) = 0;
  virtual void scenario_finished(const RunKey& run, const std::string& scenario,
                                 std::int64_t duration_ms) = 0;
  // A final verdict, as it will stand in the Result (an expected failure is marked as such).
  virtual void verdict(const RunKey& run, const Verdict& verdict) = 0;
  // The last call, also after an interruption.
  virtual void run_finished(const Result& result) = 0;
};

}  // namespace assay::reports
