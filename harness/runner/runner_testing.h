// What tests of the runner share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/runner/runner.h"

namespace assay::harness {

inline constexpr Patience kShort{std::chrono::milliseconds(1000), std::chrono::milliseconds(40),
                                 std::chrono::milliseconds(100)};

class CountingEvents : public reports::Events {
 public:
  void run_started(const reports::PlanSize& plan) override { planned = plan.scenarios; }
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {
    ++finished;
  }
  void verdict(const reports::RunKey&, const reports::Verdict&) override { ++verdicts; }
  void run_finished(const reports::Result&) override { is_over = true; }

  int planned = 0;
  int finished = 0;
  int verdicts = 0;
  bool is_over = false;
};

inline const reports::Verdict& verdict_of(const reports::Result& result,
                                          std::string_view requirement) {
  const auto& verdicts = result.runs.at(0).verdicts;
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& verdict) {
    return verdict.requirement == requirement;
  });
  EXPECT_NE(found, verdicts.end()) << requirement;
  return *found;
}

}  // namespace assay::harness
