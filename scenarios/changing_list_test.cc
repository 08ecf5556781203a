// A list may change over time, for everybody. A server whose list does so while it is certified is
// not accused of a list that depends on connections, or on what else was asked.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

// Each list has another tool than the one before.
void change_each_time(server::Departure& d, server::FaultMemory& memory) {
  if (!d.is_result_of("tools/list")) return;
  const int lists = memory.of_server.value("lists", 0);
  memory.of_server["lists"] = lists + 1;
  d.result()["tools"].push_back(
      {{"name", "at-" + std::to_string(lists)}, {"inputSchema", {{"type", "object"}}}});
}

reports::Run certify_lists(void (*change)(server::Departure&, server::FaultMemory&)) {
  const server::Fault changes = {
      .id = "changes", .description = "", .breaks = {}, .recollection = change};
  server::Options modern;
  modern.revisions.clear();
  const ReferenceOverHttp reference(modern, ReferenceOverHttp::Answers::kAuto, {&changes});
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  options.accesses = {reference.http()};
  options.jobs = 4;
  options.wants = [](std::string_view scenario) {
    return scenario.starts_with("stateless_tools_");
  };
  NoEvents events;
  return harness::certify(options, events).runs.at(0);
}

// That nothing was violated, and that the lists were asked for.
void expect_no_breach(const reports::Run& run) {
  EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.reason;
  bool is_listed = false;
  for (const reports::Verdict& verdict : run.verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
        << verdict.requirement << ": " << verdict.detail;
    is_listed = is_listed || (verdict.requirement == "tools.list-answered" &&
                              verdict.outcome == reports::Outcome::kSatisfied);
  }
  EXPECT_TRUE(is_listed);
}

TEST(ChangingList, IsNoBreachOfAnyRuleOfLists) {
  expect_no_breach(certify_lists(grow_once));
}

TEST(ChangingList, MayBeAnotherEachTime) {
  expect_no_breach(certify_lists(change_each_time));
}

}  // namespace
}  // namespace assay::scenarios
