// Clients that follow tasks of the extension `io.modelcontextprotocol/tasks` in other ways than the
// reference client, as they may; and a few that do not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "reference/model/extension.h"
#include "reference/wire/compose.h"
#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using model::Revision;
using std::chrono::milliseconds;

constexpr const char* kPollingPlay = "calls-become-tasks";
constexpr const char* kAskingPlay = "tasks-ask";
constexpr const char* kPollInterval = "ext-tasks.poll-interval-respected";
constexpr const char* kUntilEnd = "ext-tasks.polled-until-terminal";
constexpr const char* kHandled = "ext-tasks.either-result-handled";
constexpr const char* kFulfilled = "ext-tasks.input-fulfilled";
constexpr const char* kStandalone = "ext-tasks.inputs-as-standalone";
constexpr const char* kObserved = "ext-tasks.observed-after-update";

// Calls that become tasks, and looks at them.
class FollowedTasks : public ::testing::Test {
 protected:
  FollowedTasks() {
    Json declared = model::find_extension("tasks")->capability();
    declared["elicitation"] = {{"form", Json::object()}};
    traffic_.declares(declared);
  }

  void passes(std::string_view method, const Json& params, Json result, int at) {
    const std::int64_t id = traffic_.asks(method, params);
    passed_at(traffic_, milliseconds(at));
    traffic_.came(wire::encode(wire::make_result(wire::Id::of(id), std::move(result))));
    passed_at(traffic_, milliseconds(at));
  }
  static Json task(const char* status, int interval, const char* type) {
    return {
        {"taskId", "t"}, {"status", status}, {"pollIntervalMs", interval}, {"resultType", type}};
  }
  void call(const char* tool, int interval, int at) {
    passes("tools/call", {{"name", tool}}, task("working", interval, "task"), at);
  }
  void call_plain(int at) {
    passes("tools/call", {{"name", "test_task_not_needed"}},
           {{"resultType", "complete"}, {"content", Json::array()}}, at);
  }
  void look(int at, int interval = 60, const char* status = "working") {
    passes("tasks/get", {{"taskId", "t"}}, task(status, interval, "complete"), at);
  }
  void look_asking(int at) {
    Json asking = task("input_required", 100, "complete");
    asking["inputRequests"] = {{"first", {{"method", "elicitation/create"}}}};
    passes("tasks/get", {{"taskId", "t"}}, asking, at);
  }
  void give(Json response, int at) {
    passes("tasks/update", {{"taskId", "t"}, {"inputResponses", {{"first", std::move(response)}}}},
           {{"resultType", "complete"}}, at);
  }
  bool is_told(const char* scenario, const char* rule, Finding::Kind kind,
               const std::string& crash = "") const {
    return told(scenario, Revision::v2026_07_28, traffic_, kind, crash).contains(rule);
  }
  bool is_broken(const char* rule, const char* scenario = kPollingPlay) const {
    return is_told(scenario, rule, Finding::Kind::kBroke);
  }
  bool is_held(const char* rule, const char* scenario = kPollingPlay) const {
    return is_told(scenario, rule, Finding::Kind::kHeld);
  }

  harness::Traffic traffic_{Revision::v2026_07_28};
};

TEST_F(FollowedTasks, MayBeLookedAtAtOnceAndThenInTheirInterval) {
  call("test_task_steady", 60, 0);
  for (const int at : {0, 60, 120, 180, 240}) look(at);
  look(300, 60, "completed");
  EXPECT_FALSE(is_broken(kPollInterval));
  EXPECT_TRUE(is_held(kPollInterval));
  EXPECT_TRUE(is_held(kUntilEnd));
}

// A timer that stood still fires for what it missed.
TEST_F(FollowedTasks, MayBeLookedAtTogetherAfterAPause) {
  call("test_task_steady", 60, 0);
  for (const int at : {400, 401, 402, 403, 404}) look(at);
  EXPECT_FALSE(is_broken(kPollInterval));
}

TEST_F(FollowedTasks, AreNotLookedAtAsOftenAsOneLikes) {
  call("test_task_steady", 60, 0);
  for (const int at : {1, 2, 3}) look(at);
  EXPECT_TRUE(is_broken(kPollInterval));
}

TEST_F(FollowedTasks, AreLookedAtLessOftenOnceTheyAskForThat) {
  call("test_task_slows_down", 40, 0);
  for (const int at : {40, 80, 120, 160}) look(at, 200);
  EXPECT_TRUE(is_broken(kPollInterval));
}

TEST_F(FollowedTasks, MayBeCancelledBeforeTheyEnd) {
  call("test_task_steady", 60, 0);
  look(60);
  passes("tasks/cancel", {{"taskId", "t"}}, {{"resultType", "complete"}}, 70);
  EXPECT_TRUE(is_held(kUntilEnd));
}

TEST_F(FollowedTasks, AreNotLeftAtWork) {
  call("test_task_steady", 60, 0);
  look(60);
  EXPECT_TRUE(is_broken(kUntilEnd));
  EXPECT_TRUE(is_held(kHandled));
}

// It may have shown the task to its user.
TEST_F(FollowedTasks, MayBeLeftToTheUser) {
  call("test_task_steady", 60, 0);
  EXPECT_FALSE(is_broken(kHandled));
  EXPECT_FALSE(is_broken(kUntilEnd));
  EXPECT_TRUE(is_told(kPollingPlay, kHandled, Finding::Kind::kUnclear));
}

TEST_F(FollowedTasks, MayBeLeftByAClientThatGoesOn) {
  call_plain(0);
  call("test_task_steady", 60, 10);
  call_plain(20);
  EXPECT_FALSE(is_broken(kHandled));
}

TEST_F(FollowedTasks, AreNoReasonToFallSilent) {
  call_plain(0);
  call("test_task_steady", 60, 10);
  EXPECT_TRUE(is_broken(kHandled));
}

TEST_F(FollowedTasks, AreNoReasonToCrash) {
  call("test_task_steady", 60, 0);
  EXPECT_TRUE(is_told(kPollingPlay, kHandled, Finding::Kind::kBroke, "it was ended by signal 11"));
}

TEST_F(FollowedTasks, MayHaveARefusalForAnAnswer) {
  call("test_task_asks", 100, 0);
  look_asking(100);
  give({{"action", "decline"}}, 110);
  look(200, 100, "completed");
  EXPECT_TRUE(is_held(kFulfilled, kAskingPlay));
  EXPECT_TRUE(is_held(kStandalone, kAskingPlay));
  EXPECT_TRUE(is_held(kObserved, kAskingPlay));
}

TEST_F(FollowedTasks, AreGivenWhatTheyAskFor) {
  call("test_task_asks", 100, 0);
  for (const int at : {100, 200, 300}) look_asking(at);
  EXPECT_TRUE(is_broken(kFulfilled, kAskingPlay));
}

TEST_F(FollowedTasks, MayBeCancelledInPlaceOfAnAnswer) {
  call("test_task_asks", 100, 0);
  look_asking(100);
  passes("tasks/cancel", {{"taskId", "t"}}, {{"resultType", "complete"}}, 110);
  EXPECT_FALSE(is_broken(kFulfilled, kAskingPlay));
}

TEST_F(FollowedTasks, AreNotGivenWholeMessages) {
  call("test_task_asks", 100, 0);
  look_asking(100);
  give({{"jsonrpc", "2.0"}, {"id", 1}, {"result", {{"action", "accept"}}}}, 110);
  EXPECT_TRUE(is_broken(kStandalone, kAskingPlay));
  EXPECT_TRUE(is_broken(kObserved, kAskingPlay));
}

}  // namespace
}  // namespace assay::scenarios
