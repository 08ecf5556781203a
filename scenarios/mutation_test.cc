// A check that cannot fail is a defect: every fault of the reference server that breaks a tested
// rule is caught, and nothing but what it breaks is blamed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "harness/runner/worker_pool.h"
#include "reference/server/faults/fault.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using Ids = std::set<std::string_view>;

// Everything that a scenario or a monitor may speak of.
Ids judged_requirements() {
  Ids ids;
  for (const harness::Scenario& scenario : harness::scenarios()) {
    for (const auto& requirement : scenario.requirements) ids.insert(requirement.text());
  }
  for (const harness::MonitorFactory factory : harness::monitors()) {
    for (const auto& requirement : factory()->server_requirements()) ids.insert(requirement.text());
  }
  return ids;
}

// A rule that a pipe can show: those of the other transports are tested where their transport is.
bool is_seen_over_a_pipe(const server::Fault& fault) {
  const bool is_http = fault.seen_over == server::SeenOver::kHttpOnly || fault.neglects ||
                       fault.reply != nullptr || fault.event != nullptr ||
                       fault.session_id != nullptr;
  return !is_http && fault.seen_over != server::SeenOver::kProcessOnly;
}

bool is_about_pages(const server::Fault& fault) {
  return fault.id.starts_with("cursor-") || fault.id.starts_with("page-");
}

reports::Result certify_with(const server::Fault& fault) {
  harness::CertifyOptions options;
  for (const model::Revision revision : model::Revision::handshake()) {
    if (fault.concerns == nullptr || fault.concerns(revision))
      options.revisions.push_back(revision);
  }
  // A missing answer costs its time, and there are many; nothing in process takes half as long.
  options.patience.request = std::chrono::milliseconds(400);
  options.patience.start = std::chrono::milliseconds(1000);
  options.jobs = 8;
  // A server that reads nothing while a tool runs must not wait for our answers as long as it
  // would.
  server::Options server_options;
  // Short pages, so that what is wrong between pages can be seen.
  if (is_about_pages(fault)) server_options.page_size = 4;
  server_options.client_timeout = std::chrono::milliseconds(300);
  // Faults of one era are looked for in servers of that era alone.
  server_options.stateless_revisions.clear();
  options.accesses = {reference_over_pipe(server_options, {&fault})};
  NoEvents events;
  return harness::certify(options, events);
}

struct Catch {
  bool is_caught = true;  // in every revision in which one of its requirements holds
  std::vector<std::string> blamed_wrongly;
};

Catch examine(const server::Fault& fault, const Ids& judged) {
  Catch result;
  for (const reports::Run& run : certify_with(fault).runs) {
    const auto revision = model::Revision::parse(run.revision);
    bool is_caught_here = false;
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != reports::Outcome::kViolated) continue;
      if (fault.surely_breaks(verdict.requirement)) {
        is_caught_here = true;
      } else if (!fault.can_break(verdict.requirement)) {
        result.blamed_wrongly.push_back(fmt::format("{} ({}): {} by {}: {}", fault.id, run.revision,
                                                    verdict.requirement, verdict.scenario,
                                                    verdict.detail));
      }
    }
    const bool is_judged_here =
        std::any_of(fault.breaks.begin(), fault.breaks.end(), [&](std::string_view id) {
          const auto* requirement = catalogue::find(id);
          return judged.contains(id) && requirement != nullptr &&
                 requirement->binds_server_in(*revision);
        });
    if (is_judged_here && !is_caught_here) result.is_caught = false;
  }
  return result;
}

TEST(Mutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  const Ids judged = judged_requirements();
  std::mutex mutex;  // guards all below
  int tried = 0;
  int caught = 0;
  std::set<std::string_view> missed;
  std::set<std::string> blamed_wrongly;
  {
    // Most of the time is spent waiting for what a fault keeps back.
    harness::WorkerPool pool(16);
    for (const server::Fault& fault : server::all_faults()) {
      const bool is_judged = std::any_of(fault.breaks.begin(), fault.breaks.end(),
                                         [&](std::string_view id) { return judged.contains(id); });
      if (!is_judged || !is_seen_over_a_pipe(fault)) continue;
      ++tried;
      pool.add([&] {
        const Catch result = examine(fault, judged);
        const std::lock_guard lock(mutex);
        if (result.is_caught) {
          ++caught;
        } else {
          missed.insert(fault.id);
        }
        blamed_wrongly.insert(result.blamed_wrongly.begin(), result.blamed_wrongly.end());
      });
    }
  }
  std::cout << fmt::format("caught {} of {}, blamed wrongly {}\n", caught, tried,
                           blamed_wrongly.size());
  EXPECT_TRUE(missed.empty()) << fmt::format("{}", fmt::join(missed, "\n"));
  EXPECT_TRUE(blamed_wrongly.empty()) << fmt::format("{}", fmt::join(blamed_wrongly, "\n"));
}

TEST(Mutation, EveryFaultNamesRequirementsThatExist) {
  for (const server::Fault& fault : server::all_faults()) {
    EXPECT_FALSE(fault.breaks.empty()) << fault.id;
    for (const std::string_view id : fault.breaks) {
      EXPECT_NE(catalogue::find(id), nullptr) << fault.id << " breaks " << id;
    }
    for (const std::string_view id : fault.may_break) {
      EXPECT_NE(catalogue::find(id), nullptr) << fault.id << " may break " << id;
      EXPECT_FALSE(fault.surely_breaks(id)) << fault.id << " names " << id << " twice";
    }
  }
}

TEST(Mutation, EveryTestedRequirementHasAFault) {
  // Broken by how the test starts the server, and not by what it says: http_mutation_test.cc proves
  // these.
  Ids broken = {"http.localhost-binding", "http-sse.localhost-binding",
                "http.connections-authenticated", "http-sse.connections-authenticated",
                // Can be seen to be kept, and by nobody to be broken: the text names no rate.
                "tools.calls-rate-limited", "completion.rate-limited"};
  for (const server::Fault& fault : server::all_faults()) {
    broken.insert(fault.breaks.begin(), fault.breaks.end());
  }
  for (const std::string_view id : judged_requirements()) {
    const catalogue::Requirement& requirement = *catalogue::find(id);
    const bool can_be_broken = std::any_of(
        requirement.in.begin(), requirement.in.end(),
        [](const catalogue::Holding& holding) { return holding.level != reports::Level::kMay; });
    if (!can_be_broken) continue;
    EXPECT_TRUE(broken.contains(id)) << id << " is judged, but no fault breaks it";
  }
}

}  // namespace
}  // namespace assay::scenarios
