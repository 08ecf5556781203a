// The search for the highest rate that a server holds: when a step counts as held, and which rate
// to measure next. Nothing here knows a clock or a server.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "bench/load/load.h"
#include "reports/load/limit_result.h"
#include "reports/load/load_result.h"

namespace assay::bench {

// Judges a measurement of the open loop by the limit of p99, in nanoseconds. A step counts against
// the server only if its answers were late from when they were *sent*, or were errors, or did not
// keep up, while the generator had a processor and sent in time.
reports::LimitStep judge_step(const reports::LoadResult& result, double limit);

struct SearchBounds {
  double first = 100;  // requests per second
  double lowest = 25;  // below it, a step of seconds has too few requests for a p99
  double highest = kHighestRate;
  double precision = 1.05;  // the search ends when the rates on both sides are as close as this
  std::size_t most_steps = 28;
};

struct Knee {
  double held = 0;          // the highest rate that was held; 0 if none
  double failed = 0;        // the lowest above it that was not; 0 if none
  bool is_complete = true;  // false if the search ended before it had to
};

// True if the rate was held; nothing if it is not measured, because the search has to end.
using MeasureRate = std::function<std::optional<bool>(double rate)>;

// Doubles the rate until it is not held (or halves it until it is), and then bisects. A rate fails
// only if it fails twice in a row: a busy moment of the machine is no limit.
Knee find_limit(const MeasureRate& measure, const SearchBounds& bounds = {});

}  // namespace assay::bench
