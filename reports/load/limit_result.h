// What the search for a server's highest rate found: the model that its writers share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/load/load_result.h"

namespace assay::reports {

// One rate that was measured.
struct LimitStep {
  enum class LimitedBy {
    kNothing,      // it was held
    kServer,       // its answers took too long, were errors, or did not keep up
    kConnections,  // requests waited for a free connection, and were answered in time once sent
    kGenerator,    // we were late ourselves
  };
  double rate = 0;     // asked for, requests per second
  double reached = 0;  // good answers per second
  // Nanoseconds: from when requests were due, from when they were sent, and how late we sent them.
  double p50 = 0, p99 = 0;
  double once_sent_p99 = 0;
  double sender_late_p99 = 0;
  double generator_share = 0;  // of a core; the time that we waited for one counts as ours
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;
  std::uint64_t unsent = 0;
  LimitedBy limited_by = LimitedBy::kNothing;
  std::string reason;  // why it was not held; made of the server's text in part
};

struct LimitResult {
  LoadResult
      setting;       // of the first step: the target and the connections; its figures do not count
  double limit = 0;  // of p99, nanoseconds
  double step_seconds = 0;
  std::vector<LimitStep> steps;  // in the order in which they were measured
  double held = 0;               // the highest rate that was held; 0 if none
  double failed = 0;             // the lowest above it that failed, twice in a row; 0 if none
  bool is_out_of_time = false;   // the search ended early
  bool was_interrupted = false;

  // The steps at those rates that decided; nothing if there is none. If one of two failures was
  // not the server's, it decides: then the other proves nothing.
  const LimitStep* held_step() const;
  const LimitStep* failed_step() const;
};

}  // namespace assay::reports
