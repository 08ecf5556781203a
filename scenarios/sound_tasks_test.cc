// Clients that look after their tasks as they may: however late they or we are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "reference/wire/compose.h"
#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using model::Revision;
using std::chrono::milliseconds;

const std::set<std::string> kInterval = {"tasks.poll-interval-respected"};

// Calls of test_tool_with_task, whose pollInterval is 60 ms, and looks at these tasks.
class PolledTasks : public ::testing::Test {
 protected:
  PolledTasks() { traffic_.handshake(Json::object(), Json::object()); }

  void call(int task, int at) {
    const std::int64_t id =
        traffic_.asks("tools/call", {{"name", "test_tool_with_task"}, {"task", Json::object()}});
    passed_at(traffic_, milliseconds(at));
    const Json created = {{"taskId", id_of(task)}, {"status", "working"}, {"pollInterval", 60}};
    traffic_.came(wire::encode(wire::make_result(wire::Id::of(id), {{"task", created}})));
    passed_at(traffic_, milliseconds(at));
  }
  void look(int task, int at) {
    const std::int64_t id = traffic_.asks("tasks/get", {{"taskId", id_of(task)}});
    passed_at(traffic_, milliseconds(at));
    traffic_.came(wire::encode(wire::make_result(wire::Id::of(id), {{"taskId", id_of(task)}})));
    passed_at(traffic_, milliseconds(at));
  }
  static std::string id_of(int task) {
    return fmt::format("assay-task-of-test_tool_with_task-{}", task);
  }
  bool is_told(Finding::Kind kind) const {
    return told("tools-as-tasks", Revision::v2025_11_25, traffic_, kind)
        .contains(*kInterval.begin());
  }

  harness::Traffic traffic_{Revision::v2025_11_25};
};

// A timer that stood still fires for what it missed.
TEST_F(PolledTasks, MayBeLookedAtTogetherAfterAPause) {
  call(1, 0);
  for (const int at : {200, 201, 202, 240}) look(1, at);
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
  EXPECT_TRUE(is_told(Finding::Kind::kHeld));
}

TEST_F(PolledTasks, AreEachPolledByThemselves) {
  for (const int task : {1, 2, 3}) call(task, 0);
  for (const int at : {60, 120, 180, 240}) {
    for (const int task : {1, 2, 3}) look(task, at);
  }
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
  EXPECT_TRUE(is_told(Finding::Kind::kHeld));
}

TEST_F(PolledTasks, AreNotPolledAsOftenAsOneLikes) {
  call(1, 0);
  for (const int at : {1, 2, 3, 4}) look(1, at);
  EXPECT_TRUE(is_told(Finding::Kind::kBroke));
}

// One of several is enough.
TEST_F(PolledTasks, AreNotPolledInHasteBesideOthers) {
  call(1, 0);
  call(2, 0);
  for (const int at : {60, 120, 180, 240}) look(1, at);
  for (const int at : {301, 302, 303, 304}) look(2, at);
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
  call(3, 400);
  for (const int at : {401, 402, 403, 404}) look(3, at);
  EXPECT_TRUE(is_told(Finding::Kind::kBroke));
}

TEST_F(PolledTasks, MayBeLookedAtWhenSomethingIsTold) {
  call(1, 0);
  look(1, 1);
  traffic_.notified("notifications/tasks/status", {{"taskId", "assay-task-of-test_other-2"}});
  look(1, 2);
  look(1, 50);
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
  EXPECT_TRUE(is_told(Finding::Kind::kUnclear));
}

// Once the task is at its end, or its result was asked for, nobody waits for it.
TEST_F(PolledTasks, MayBeLookedAtOnceMoreBehindTheirEnd) {
  call(1, 0);
  for (const int at : {60, 120, 180, 240, 241, 242, 243, 244}) look(1, at);
  call(2, 300);
  traffic_.asks("tasks/result", {{"taskId", id_of(2)}});
  for (const int at : {301, 302, 303}) look(2, at);
  EXPECT_FALSE(is_told(Finding::Kind::kBroke));
}

}  // namespace
}  // namespace assay::scenarios
