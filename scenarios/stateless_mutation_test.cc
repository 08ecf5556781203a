// The same as mutation_test.cc for servers without a handshake: every fault of theirs is caught
// over each transport that can show it, and nothing but what it breaks is blamed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include "scenarios/fault_matrix_testing.h"
#include "scenarios/mutation_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

// Of an extension for both eras, which each plays by scenarios and monitors of its own.
bool is_of_extension(const server::Fault& fault) {
  return std::any_of(fault.breaks.begin(), fault.breaks.end(),
                     [](std::string_view rule) { return rule.starts_with("ext-"); });
}

std::vector<const server::Fault*> faults_over(Over over) {
  std::vector<const server::Fault*> faults;
  for (const server::Fault& fault : server::all_faults()) {
    const bool is_of_era_alone =
        fault.concerns != nullptr && !fault.concerns_any(model::Revision::handshake());
    const bool is_of_era = model::Revision::v2026_07_28.satisfies(fault.concerns) &&
                           (is_of_era_alone || is_of_extension(fault));
    const bool is_seen = over == Over::kPipe ? is_seen_over_a_pipe(fault)
                                             : fault.seen_over != server::SeenOver::kProcessOnly &&
                                                   fault.seen_over != server::SeenOver::kStdioOnly;
    const bool is_wanted_here = is_wanted_fault(fault.id) && !fault.needs_protection;
    if (is_of_era && is_seen && is_wanted_here) faults.push_back(&fault);
  }
  return faults;
}

class StatelessMutation : public testing::TestWithParam<Over> {};

TEST_P(StatelessMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  const Matrix matrix = play(faults_over(GetParam()), {model::Revision::v2026_07_28}, GetParam());
  std::cout << fmt::format("2026-07-28 over {}: {}\n",
                           GetParam() == Over::kPipe ? "a pipe" : "HTTP", matrix.summary());
  EXPECT_GT(matrix.tried, 0);
  EXPECT_EQ(matrix.all_missed(), "");
  EXPECT_EQ(matrix.all_blamed(), "");
}

INSTANTIATE_TEST_SUITE_P(Transports, StatelessMutation, testing::Values(Over::kPipe, Over::kHttp),
                         [](const auto& info) {
                           return info.param == Over::kPipe ? "pipe" : "http";
                         });

}  // namespace
}  // namespace assay::scenarios
