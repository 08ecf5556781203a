// A check that cannot fail is a defect: every fault of the reference server that breaks a tested
// rule is caught, and nothing but what it breaks is blamed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "reports/result.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/mutation_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

void expect_all_caught(const Matrix& matrix, std::string_view what) {
  std::cout << fmt::format("{}: {}\n", what, matrix.summary());
  EXPECT_GT(matrix.tried, 0);
  EXPECT_EQ(matrix.all_missed(), "");
  EXPECT_EQ(matrix.all_blamed(), "");
}

TEST(Mutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  const auto all = model::Revision::handshake();
  std::vector<const server::Fault*> faults;
  for (const server::Fault& fault : server::all_faults()) {
    const bool is_seen = is_seen_over_a_pipe(fault) && fault.concerns_any(all);
    if (is_seen && is_wanted_fault(fault.id)) faults.push_back(&fault);
  }
  expect_all_caught(play(faults, {all.begin(), all.end()}, Over::kPipe), "with a handshake");
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
  // Broken by how the test starts the server, and not by what it says: http_mutation_test.cc
  // proves these.
  Ids broken = {"http.localhost-binding", "http-sse.localhost-binding",
                "http.connections-authenticated", "http-sse.connections-authenticated",
                // Can be seen to be kept, and by nobody to be broken: the text names no rate.
                "tools.calls-rate-limited", "completion.rate-limited",
                "completion.server-limits-rate", "tasks.rate-limited",
                // The same of a time.
                "lifecycle.request-timeout", "lifecycle.timeout-maximum",
                // Whoever takes no POST cannot be reached at all.
                "http.post-endpoint"};
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
