#include "harness/runner/jobs.h"

#include <algorithm>
#include <cstdint>
#include <thread>

namespace assay::harness {
namespace {

// More than these gain nothing, however quickly a server starts.
constexpr int kMostOfACore = 6;
// What a start may take among the others: far less than anybody is willing to wait for it, and no
// less, because a session waits longer for what its server does by the clock than for its start.
constexpr std::chrono::milliseconds kCrowdedStart{2000};

}  // namespace

int sessions_at_once(int cores, std::chrono::milliseconds first_start) {
  const std::int64_t each = std::max<std::int64_t>(first_start.count(), 1);
  const std::int64_t fitting = kCrowdedStart.count() / each;
  return cores * static_cast<int>(std::clamp<std::int64_t>(fitting, 1, kMostOfACore));
}

int sessions_at_once(std::chrono::milliseconds first_start) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return sessions_at_once(cores, first_start);
}

}  // namespace assay::harness
