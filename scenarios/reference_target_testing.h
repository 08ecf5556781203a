// The reference server as a target inside the test's own process: over a pipe, no I/O and no child;
// over HTTP, on a free port of the loopback.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/script/link.h"
#include "reference/server/options.h"
#include "reports/events.h"

namespace assay::scenarios {

// Each connection is a server of its own with these options.
harness::TargetAccess reference_over_pipe(const server::Options& options);

// Nobody listens.
class NoEvents : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

}  // namespace assay::scenarios
