// A list may change over time, for everybody. A server whose list does so while it is certified is
// not accused of a list that depends on connections, or on what else was asked.
#include <gtest/gtest.h>

#include "harness/runner/runner.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

// From its third list on the server has one more tool.
void grow_once(server::Departure& d, server::FaultMemory& memory) {
  constexpr int kBefore = 2;
  if (!d.is_result_of("tools/list")) return;
  const int lists = memory.of_server.value("lists", 0);
  memory.of_server["lists"] = lists + 1;
  if (lists < kBefore) return;
  d.result()["tools"].push_back({{"name", "late"}, {"inputSchema", {{"type", "object"}}}});
}

TEST(ChangingList, IsNoBreachOfAnyRuleOfLists) {
  const server::Fault grows = {.id = "grows",
                               .description = "Has another tool after a while",
                               .breaks = {},
                               .recollection = grow_once};
  server::Options modern;
  modern.revisions.clear();
  const ReferenceOverHttp reference(modern, ReferenceOverHttp::Answers::kAuto, {&grows});
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  options.accesses = {reference.http()};
  options.jobs = 4;
  options.wants = [](std::string_view scenario) {
    return scenario.starts_with("stateless_tools_");
  };
  NoEvents events;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
          << verdict.requirement << ": " << verdict.detail;
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
