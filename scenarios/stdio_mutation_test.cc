// A check that cannot fail is a defect: the faults that only a process shows are caught, and
// nothing else is blamed for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/runner.h"
#include "harness/runner/target.h"
#include "harness/runner/worker_pool.h"
#include "reference/server/faults/fault.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using server::Fault;

// Sanitizers slow a process down, most of all where it reads megabytes.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kSlowness = 4;
#else
constexpr int kSlowness = 1;
#endif

reports::Result certify_with(const Fault* fault) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  // What a fault keeps back is not worth waiting for; a good process keeps nothing back.
  if (fault != nullptr) {
    options.patience.request = kSlowness * std::chrono::milliseconds(2000);
    options.patience.close = kSlowness * std::chrono::milliseconds(1000);
  }
  std::vector<std::string> command = {ASSAY_PROGRAM, "reference-server"};
  if (fault != nullptr) command.insert(command.end(), {"--fault", std::string(fault->id)});
  options.accesses = {harness::over_stdio({command, {}, ""})};
  options.wants = [](std::string_view scenario) {
    return scenario.starts_with("stdio_") || scenario == "ping_is_answered";
  };
  NoEvents events;
  return harness::certify(options, events);
}

std::set<std::string> violated(const reports::Result& result) {
  std::set<std::string> ids;
  for (const reports::Run& run : result.runs) {
    if (run.status == reports::RunStatus::kFailed) ids.insert(run.reason);
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome == reports::Outcome::kViolated) ids.insert(verdict.requirement);
    }
  }
  return ids;
}

TEST(StdioMutation, AGoodProcessViolatesNothing) {
  EXPECT_EQ(violated(certify_with(nullptr)), std::set<std::string>());
}

TEST(StdioMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  std::mutex mutex;  // guards the counts, and is held while something is expected
  int tried = 0;
  int caught = 0;
  int wrongly = 0;
  {
    harness::WorkerPool pool(4);
    for (const Fault& fault : server::all_faults()) {
      if (fault.seen_over != server::SeenOver::kProcessOnly || !is_wanted_fault(fault.id)) continue;
      ++tried;
      pool.add([&, fault = &fault] {
        const std::set<std::string> blamed = violated(certify_with(fault));
        const std::lock_guard lock(mutex);
        const bool is_caught =
            std::any_of(blamed.begin(), blamed.end(),
                        [&](const std::string& id) { return fault->surely_breaks(id); });
        caught += is_caught ? 1 : 0;
        EXPECT_TRUE(is_caught) << fault->id;
        for (const std::string& id : blamed) {
          if (fault->can_break(id)) continue;
          ++wrongly;
          ADD_FAILURE() << fault->id << " had blamed " << id;
        }
      });
    }
  }
  fmt::print("stdio: caught {} of {}, blamed wrongly {}\n", caught, tried, wrongly);
}

}  // namespace
}  // namespace assay::scenarios
