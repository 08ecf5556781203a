// What tests of sound servers share: one scenario, and what it makes of a server.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "harness/runner/runner.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {

using reports::Outcome;
using server::Fault;

inline server::Options of_one_era(model::Revision revision) {
  server::Options server;
  if (revision.has_handshake()) {
    server.stateless_revisions.clear();
  } else {
    server.revisions.clear();
  }
  return server;
}

// What one scenario makes of a server: the verdict of one rule, while none is violated.
inline Outcome outcome_of(const harness::TargetAccess& access, model::Revision revision,
                          std::string scenario, std::string_view rule,
                          harness::Patience patience = {}) {
  harness::CertifyOptions options;
  options.patience = patience;
  options.revisions = {revision};
  options.wants = [scenario](std::string_view name) { return name == scenario; };
  options.accesses = {access};
  NoEvents events;
  const reports::Run run = harness::certify(options, events).runs.at(0);
  Outcome outcome = Outcome::kNotExercised;
  for (const reports::Verdict& verdict : run.verdicts) {
    EXPECT_NE(verdict.outcome, Outcome::kViolated) << verdict.requirement << ": " << verdict.detail;
    if (verdict.requirement == rule) outcome = verdict.outcome;
  }
  return outcome;
}

// The same of the reference server where it behaves so, over a pipe.
inline Outcome outcome_of(const Fault& behaviour, model::Revision revision, std::string scenario,
                          std::string_view rule, harness::Patience patience = {}) {
  return outcome_of(reference_over_pipe(of_one_era(revision), {&behaviour}), revision,
                    std::move(scenario), rule, patience);
}

}  // namespace assay::scenarios
