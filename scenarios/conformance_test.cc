// The reference server breaks no rule: every scenario and every monitor agrees, in every revision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/runner.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

std::string violations(const reports::Result& result) {
  std::string text;
  for (const reports::Run& run : result.runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      // A scenario that our own side spoiled proves nothing, and is no better than a violation.
      const bool is_our_mistake = verdict.detail.find("harness error") != std::string::npos;
      if (verdict.outcome != reports::Outcome::kViolated && !is_our_mistake) continue;
      text += run.revision + " " + verdict.requirement + ": " + verdict.detail + "\n";
    }
    if (!run.reason.empty()) text += run.revision + ": " + run.reason + "\n";
  }
  return text;
}

// A server that answers with JSON only has no other place for what relates to a request than the
// GET stream, where it should not be.
std::string without_progress_on_get(const std::string& violated) {
  std::string rest;
  std::istringstream lines(violated);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("http.get-stream-unrelated") == std::string::npos) rest += line + "\n";
  }
  return rest;
}

TEST(Conformance, ReferenceServerViolatesNothingOverAPipe) {
  harness::CertifyOptions options;
  const auto revisions = model::Revision::handshake();
  options.revisions.assign(revisions.begin(), revisions.end());
  options.accesses = {reference_over_pipe({})};
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  EXPECT_EQ(violations(result), "");
  ASSERT_EQ(result.runs.size(), revisions.size());
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision;
  }
}

TEST(Conformance, ReferenceServerViolatesNothingOverHttp) {
  using Answers = ReferenceOverHttp::Answers;
  for (const Answers answers : {Answers::kAuto, Answers::kSse, Answers::kJson}) {
    const ReferenceOverHttp reference({}, answers);
    harness::CertifyOptions options;
    const auto revisions = model::Revision::handshake();
    options.revisions.assign(revisions.begin(), revisions.end());
    options.tools.kind = harness::ToolPolicy::Kind::kAll;
    options.accesses = {reference.http(), reference.http_sse()};
    NoEvents events;
    const reports::Result result = harness::certify(options, events);
    std::string violated = violations(result);
    if (answers == Answers::kJson) violated = without_progress_on_get(violated);
    EXPECT_EQ(violated, "") << "answers " << static_cast<int>(answers);
    for (const reports::Run& run : result.runs) {
      EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision;
    }
  }
}

// A tool that says it can be called as a task is enough: nobody has to know what it does.
TEST(Conformance, TasksAreExercisedWithoutAProfile) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.tools.kind = harness::ToolPolicy::Kind::kAll;
  options.profiles.detects = false;
  options.accesses = {reference_over_pipe({})};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("tasks_"); };
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  EXPECT_EQ(violations(result), "");
  for (const char* id :
       {"tasks.create-result-returned", "tasks.result-blocks", "tasks.result-of-terminal",
        "tasks.result-exact", "tasks.related-task-in-result", "tasks.list-complete",
        "tasks.cancel-terminal-refused", "tasks.related-task-ignored-in-requests"}) {
    const auto& verdicts = result.runs.front().verdicts;
    const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                    [&](const auto& verdict) { return verdict.requirement == id; });
    ASSERT_NE(found, verdicts.end()) << id;
    EXPECT_EQ(found->outcome, reports::Outcome::kSatisfied) << id << ": " << found->detail;
  }
}

class Order : public NoEvents {
 public:
  void scenario_finished(const reports::RunKey&, const std::string& scenario,
                         std::int64_t) override {
    finished.push_back(scenario);
  }
  std::vector<std::string> finished;
};

TEST(Conformance, WhatMayTakeSecondsBeginsFirst) {
  const std::string quick = "capabilities_declared_are_served";
  const std::string lengthy = "tasks_are_known_by_the_parameter";
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.accesses = {reference_over_pipe({})};
  options.jobs = 1;
  options.wants = [&](std::string_view name) { return name == quick || name == lengthy; };
  Order order;
  harness::certify(options, order);
  EXPECT_EQ(order.finished, (std::vector<std::string>{lengthy, quick}));
}

// What a server may do, and ours does not: nobody is blamed for it.
class Otherwise : public transport::HttpConduct {
 public:
  explicit Otherwise(transport::HttpDuty duty) : duty_(duty) {}
  bool does(transport::HttpDuty duty) const override { return duty != duty_; }

 private:
  const transport::HttpDuty duty_;
};

std::string violations_with(transport::HttpDuty left_out) {
  const Otherwise conduct(left_out);
  const ReferenceOverHttp reference(conduct);
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.tools.kind = harness::ToolPolicy::Kind::kAll;
  options.accesses = {reference.http()};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("http_"); };
  NoEvents events;
  return violations(harness::certify(options, events));
}

TEST(Conformance, AServerWithoutSessionsViolatesNothing) {
  EXPECT_EQ(violations_with(transport::HttpDuty::kKeepsSessions), "");
}

TEST(Conformance, AServerThatHasItsGetStreamsPolledViolatesNothing) {
  EXPECT_EQ(violations_with(transport::HttpDuty::kKeepsGetConnections), "");
}

// It answers nothing while a slow tool runs: no rule says that a ping may not wait for that.
TEST(Conformance, AServerThatDoesOneThingAtATimeViolatesNothing) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("ping_"); };
  server::Options one_at_a_time;
  one_at_a_time.switches.set(static_cast<std::size_t>(server::Switch::kSlowBlocksAll));
  options.accesses = {reference_over_pipe(one_at_a_time)};
  NoEvents events;
  EXPECT_EQ(violations(harness::certify(options, events)), "");
}

TEST(Conformance, SmallPagesAreNoReasonToViolateAnything) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  server::Options small;
  small.page_size = 2;
  options.accesses = {reference_over_pipe(small)};
  NoEvents events;
  EXPECT_EQ(violations(harness::certify(options, events)), "");
}

}  // namespace
}  // namespace assay::scenarios
