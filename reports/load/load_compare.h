// Whether a server became faster or slower between two load runs, by a test of significance.
//
// Runs give a sample of throughput and of latency for each tenth of a second. They are joined to
// blocks (statistics.h), and the blocks compared: a difference counts only if chance would rarely
// produce it (p < 0.01) and it is large enough to matter (2%). What the samples of two runs cannot
// tell is whether the machine was another one that day: repeat a run that surprises.
#pragma once

#include <string>
#include <vector>

#include "reports/load/load_result.h"
#include "reports/load/statistics.h"

namespace assay::reports {

struct LoadDifference {
  enum class Judgement { kNoDifference, kBetter, kWorse, kTooFewSamples };
  std::string what;   // "throughput"
  double before = 0;  // medians: requests per second, or nanoseconds
  double after = 0;
  double ratio = 1;        // after / before
  Interval confidence;     // of the ratio, 95%
  double probability = 1;  // of so large a difference by chance
  Judgement judgement = Judgement::kNoDifference;
};

struct LoadComparison {
  LoadDifference throughput;
  LoadDifference latency;  // of the samples' means
  double tail_before = 0;  // p99, nanoseconds; shown, not judged
  double tail_after = 0;
  std::uint64_t errors_before = 0;
  std::uint64_t errors_after = 0;
  std::vector<std::string> caveats;  // what makes the two runs hard to compare

  // Slower, or errors where there were none.
  bool is_worse() const;
};

LoadComparison compare_loads(const LoadResult& before, const LoadResult& after);
std::string render_load_comparison(const LoadComparison& comparison);

}  // namespace assay::reports
