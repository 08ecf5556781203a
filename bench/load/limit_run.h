// Searches for the highest rate that a running server holds.
#pragma once

#include <functional>
#include <stop_token>
#include <variant>

#include "bench/load/load.h"
#include "reference/transport/client_transport.h"
#include "reports/load/limit_result.h"

namespace assay::bench {

struct LimitCallbacks {
  // Before the first step and during each.
  std::function<void(const LoadProgress&)> progress;
  // After each step, which is the last of the result so far.
  std::function<void(const reports::LimitResult&)> step_done;
};

// `options.warm_up` and `options.time` are those of each step; the rate does not count. `limit` is
// that of p99, in nanoseconds. It takes about 20 steps, and is bounded in steps and in time. A
// Failure if not even the first step could be measured.
std::variant<reports::LimitResult, transport::Failure> run_find_limit(
    const LoadOptions& options, double limit, const std::stop_token& stop,
    const LimitCallbacks& callbacks);

}  // namespace assay::bench
