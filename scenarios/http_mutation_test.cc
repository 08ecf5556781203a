// A check that cannot fail is a defect: every fault of the reference server that shows over HTTP is
// caught, in every revision that it concerns, and nothing else is blamed for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/runner.h"
#include "reference/server/faults/fault.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using server::Fault;
using Answers = ReferenceOverHttp::Answers;

// The revisions in which at least one of the requirements that the fault breaks can be judged.
std::vector<model::Revision> revisions_of(const Fault& fault) {
  std::vector<model::Revision> revisions;
  for (const model::Revision revision : model::Revision::handshake()) {
    if (fault.concerns != nullptr && !fault.concerns(revision)) continue;
    const bool is_rule =
        std::any_of(catalogue::all().begin(), catalogue::all().end(), [&](const auto& requirement) {
          const bool is_broken = std::find(fault.breaks.begin(), fault.breaks.end(),
                                           requirement.id) != fault.breaks.end();
          return is_broken && requirement.binds_server_in(revision);
        });
    if (is_rule) revisions.push_back(revision);
  }
  return revisions;
}

struct Blamed {
  std::set<std::string> revisions;  // in which the fault was caught
  std::string wrongly;              // what else was blamed
  std::string seen;                 // what happened where it was not caught
  std::int64_t milliseconds = 0;
};

void certify(const Fault& fault, Answers answers, Blamed& blamed) {
  const ReferenceOverHttp reference({}, answers, {&fault});
  harness::CertifyOptions options;
  options.revisions = revisions_of(fault);
  options.tools.kind = harness::ToolPolicy::Kind::kAll;
  options.patience.request = std::chrono::milliseconds(1500);
  options.accesses = {reference.http(), reference.http_sse()};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("http_"); };
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  blamed.milliseconds += result.duration_ms;
  for (const reports::Run& run : result.runs) {
    if (!run.reason.empty()) blamed.seen += fmt::format("  {}: {}\n", run.revision, run.reason);
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != reports::Outcome::kViolated) continue;
      const bool is_right = std::find(fault.breaks.begin(), fault.breaks.end(),
                                      verdict.requirement) != fault.breaks.end();
      if (is_right) {
        blamed.revisions.insert(run.revision);
      } else {
        blamed.wrongly += fmt::format("  {} {}: {}: {}\n", run.revision, verdict.requirement,
                                      verdict.scenario, verdict.detail);
      }
    }
  }
}

TEST(HttpMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  int caught = 0;
  int all = 0;
  int wrongly = 0;
  for (const Fault& fault : server::all_faults()) {
    if (fault.seen_over != server::SeenOver::kHttpOnly) continue;
    Blamed blamed;
    for (const Answers answers : {Answers::kAuto, Answers::kSse}) certify(fault, answers, blamed);
    ++all;
    RecordProperty(std::string(fault.id), static_cast<int>(blamed.milliseconds));
    const bool is_caught = blamed.revisions.size() == revisions_of(fault).size();
    caught += is_caught ? 1 : 0;
    EXPECT_TRUE(is_caught) << fault.id << " was caught in " << blamed.revisions.size()
                           << " revisions of " << revisions_of(fault).size() << "\n"
                           << blamed.seen;
    wrongly += blamed.wrongly.empty() ? 0 : 1;
    EXPECT_EQ(blamed.wrongly, "") << fault.id << " had other rules blamed";
  }
  fmt::print("HTTP: caught {} of {}, blamed wrongly {}\n", caught, all, wrongly);
}

}  // namespace
}  // namespace assay::scenarios
