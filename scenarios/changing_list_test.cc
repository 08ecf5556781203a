// A list may change over time, for everybody. A server whose list does so while it is certified is
// not accused of a list that depends on connections, or on what else was asked.
#include <gtest/gtest.h>

#include <algorithm>
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

// The tasks/list of these numbers leave out one of the tasks.
template <int kFrom, int kTo>
void leave_one_out(server::Departure& d, server::FaultMemory& memory) {
  if (!d.is_result_of("tasks/list")) return;
  const int lists = memory.of_server.value("lists", 0);
  memory.of_server["lists"] = lists + 1;
  Json& tasks = d.result()["tasks"];
  if (lists >= kFrom && lists < kTo && !tasks.empty()) tasks.erase(tasks.size() - 1);
}

reports::Run certify_tasks(void (*change)(server::Departure&, server::FaultMemory&)) {
  const server::Fault changes = {
      .id = "changes", .description = "", .breaks = {}, .recollection = change};
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.accesses = {reference_over_pipe({}, {&changes})};
  options.wants = [](std::string_view scenario) { return scenario == "tasks_are_listed"; };
  NoEvents events;
  return harness::certify(options, events).runs.at(0);
}

// Where a task goes between two pages another may be left out of both.
TEST(ChangingList, MayLeaveATaskOutForOnce) {
  const reports::Run once = certify_tasks(leave_one_out<3, 4>);
  EXPECT_EQ(once.status, reports::RunStatus::kConformant);
  EXPECT_TRUE(std::any_of(once.verdicts.begin(), once.verdicts.end(), [](const auto& verdict) {
    return verdict.requirement == "tasks.list-complete" &&
           verdict.outcome == reports::Outcome::kSatisfied;
  }));
  const reports::Run always = certify_tasks(leave_one_out<3, 1000>);
  EXPECT_EQ(always.status, reports::RunStatus::kViolations);
}

TEST(ChangingList, IsNoBreachOfAnyRuleOfLists) {
  expect_no_breach(certify_lists(grow_once));
}

TEST(ChangingList, MayBeAnotherEachTime) {
  expect_no_breach(certify_lists(change_each_time));
}

}  // namespace
}  // namespace assay::scenarios
