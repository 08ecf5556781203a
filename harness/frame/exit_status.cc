#include "harness/frame/exit_status.h"

#include "harness/frame/command.h"

namespace assay::cli {

int exit_status(const reports::Result& result) {
  if (!reports::is_complete(result)) return kInterrupted;
  // Of what could not be tested nobody knows what it violates: it outweighs what is known.
  const bool any_failed = reports::count_runs(result, reports::RunStatus::kFailed) > 0;
  if (any_failed || !reports::was_tested(result)) return kNotTested;
  return reports::has_failed(result) ? kViolations : kConformant;
}

}  // namespace assay::cli
