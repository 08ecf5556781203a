// A check that cannot fail is a defect: every fault of the reference server that shows over HTTP is
// caught, in every revision that it concerns, and nothing else is blamed for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "reference/server/faults/fault.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using server::Fault;
using Answers = ReferenceOverHttp::Answers;

// The revisions in which at least one of the requirements that the fault breaks can be judged.
std::vector<model::Revision> revisions_of(const Fault& fault) {
  std::vector<model::Revision> revisions;
  for (const model::Revision revision : model::Revision::handshake()) {
    if (!revision.satisfies(fault.concerns)) continue;
    const bool is_rule =
        std::any_of(catalogue::all().begin(), catalogue::all().end(), [&](const auto& requirement) {
          return fault.surely_breaks(requirement.id) && requirement.binds_server_in(revision);
        });
    if (is_rule) revisions.push_back(revision);
  }
  return revisions;
}

bool is_judged_by(const Fault& fault, std::string_view name) {
  const auto scenarios = harness::scenarios();
  return std::any_of(scenarios.begin(), scenarios.end(), [&](const harness::Scenario& scenario) {
    return scenario.name == name &&
           std::any_of(scenario.requirements.begin(), scenario.requirements.end(),
                       [&](const auto& each) { return fault.surely_breaks(each.text()); });
  });
}

struct Blamed {
  std::set<std::string> revisions;  // in which the fault was caught
  std::string wrongly;              // what else was blamed
  std::string seen;                 // what happened where it was not caught
};

void take(const Fault& fault, const reports::Result& result, Blamed& blamed) {
  for (const reports::Run& run : result.runs) {
    if (!run.reason.empty()) blamed.seen += fmt::format("  {}: {}\n", run.revision, run.reason);
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != reports::Outcome::kViolated) continue;
      if (fault.surely_breaks(verdict.requirement)) {
        blamed.revisions.insert(run.revision);
      } else if (!fault.can_break(verdict.requirement)) {
        blamed.wrongly += fmt::format("  {} {}: {}: {}\n", run.revision, verdict.requirement,
                                      verdict.scenario, verdict.detail);
      }
    }
  }
}

void certify(const Fault& fault, Answers answers, int slowness, Blamed& blamed) {
  const ReferenceOverHttp reference({}, answers, {&fault});
  harness::CertifyOptions options;
  options.revisions = revisions_of(fault);
  options.tools.kind = harness::ToolPolicy::Kind::kAll;
  options.patience.request = slowness * std::chrono::milliseconds(1500);
  options.accesses = {reference.http(), reference.http_sse()};
  options.wants = [&](std::string_view scenario) {
    const bool is_awaited = fault.afterthought && scenario == "silence_is_listened_to";
    return is_awaited || scenario.starts_with("http_") || is_judged_by(fault, scenario);
  };
  NoEvents events;
  take(fault, harness::certify(options, events), blamed);
}

// `slowness`: how many times longer than usual an answer may take.
Blamed certify_with(const Fault& fault, int slowness = 1) {
  Blamed blamed;
  for (const Answers answers : {Answers::kAuto, Answers::kSse}) {
    certify(fault, answers, slowness, blamed);
  }
  return blamed;
}

std::vector<Blamed> certify_with_each(const std::vector<const Fault*>& faults) {
  std::vector<Blamed> blamed(faults.size());
  play_rows(faults.size(), [&](std::size_t row) { blamed[row] = certify_with(*faults[row]); });
  return blamed;
}

TEST(HttpMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  std::vector<const Fault*> faults;
  for (const Fault& fault : server::all_faults()) {
    const bool is_concerned =
        is_wanted_fault(fault.id) && fault.concerns_any(model::Revision::handshake());
    const bool is_open = !fault.needs_protection;
    if (is_concerned && is_open && fault.seen_over == server::SeenOver::kHttpOnly) {
      faults.push_back(&fault);
    }
  }
  // What has to be waited for comes first.
  std::stable_partition(faults.begin(), faults.end(),
                        [](const Fault* fault) { return fault->leaves_streams_open; });
  const std::vector<Blamed> all = certify_with_each(faults);
  int caught = 0;
  int wrongly = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Blamed blamed = all[i];
    const std::size_t expected = revisions_of(*faults[i]).size();
    // On a busy machine a scenario may have given up: once more, alone and with patience. What is
    // blamed wrongly has no such excuse.
    if (blamed.revisions.size() < expected) {
      constexpr int kSlowness = 4;
      Blamed again = certify_with(*faults[i], kSlowness);
      again.wrongly += blamed.wrongly;
      blamed = std::move(again);
    }
    caught += blamed.revisions.size() == expected ? 1 : 0;
    wrongly += blamed.wrongly.empty() ? 0 : 1;
    EXPECT_EQ(blamed.revisions.size(), expected)
        << faults[i]->id << " was not caught in every revision\n"
        << blamed.seen;
    EXPECT_EQ(blamed.wrongly, "") << faults[i]->id << " had other rules blamed";
  }
  fmt::print("HTTP: caught {} of {}, blamed wrongly {}\n", caught, faults.size(), wrongly);
}

// What is violated in the newest revision of the handshake.
std::set<std::string> violated(const harness::TargetAccess& access) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.accesses = {access};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("http_"); };
  NoEvents events;
  std::set<std::string> all;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome == reports::Outcome::kViolated) all.insert(verdict.requirement);
    }
  }
  return all;
}

TEST(HttpMutation, ServingWithoutTheCredentialsThatWereGivenIsCaught) {
  const ReferenceOverHttp reference;
  const std::vector<transport::UserHeader> headers = {{"Authorization", "Bearer token", true}};
  EXPECT_EQ(violated(reference.http(headers)),
            std::set<std::string>{"http.connections-authenticated"});
}

TEST(HttpMutation, ListeningOnAllInterfacesIsCaught) {
  const ReferenceOverHttp reference({}, Answers::kAuto, {}, "0.0.0.0");
  if (!std::ifstream("/proc/net/tcp")) {
    GTEST_SKIP() << "this system does not tell who listens";
  }
  EXPECT_EQ(violated(reference.http()), std::set<std::string>{"http.localhost-binding"});
}

}  // namespace
}  // namespace assay::scenarios
