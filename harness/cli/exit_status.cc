#include "harness/cli/exit_status.h"

#include <algorithm>

#include "harness/cli/command.h"

namespace assay::cli {

int exit_status(const reports::Result& result) {
  if (result.was_interrupted) return kInterrupted;
  if (reports::has_failed(result)) return kViolations;
  const bool any_failed = std::any_of(
      result.runs.begin(), result.runs.end(),
      [](const reports::Run& run) { return run.status == reports::RunStatus::kFailed; });
  return any_failed || !reports::was_tested(result) ? kNotTested : kConformant;
}

}  // namespace assay::cli
